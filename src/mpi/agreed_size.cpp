// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agreed_size.h"

#include <algorithm>

#include "planner/size_class.h"

namespace quadrille {
namespace {

// Of 16 ranks' smallest exchanges a comparison costs about a quarter; every 32nd call has one.
constexpr std::uint32_t longest_interval = 32;

}  // namespace

Bytes AgreedSize::of_call(MPI_Comm communicator, Bytes own) {
  largest_ = std::max(largest_, own);
  if (calls_left_ > 0) {
    --calls_left_;
    return agreed_;
  }
  std::uint64_t largest = 0;
  PMPI_Allreduce(&largest_.value, &largest, 1, MPI_UINT64_T, MPI_MAX, communicator);
  const bool is_as_before = size_class(largest) == size_class(agreed_.value);
  interval_ = is_as_before ? std::min(2 * interval_, longest_interval) : 1;
  calls_left_ = interval_ - 1;
  agreed_ = {largest};
  largest_ = {0};
  return agreed_;
}

}  // namespace quadrille
