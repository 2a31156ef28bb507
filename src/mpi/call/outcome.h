// SPDX-License-Identifier: BSD-3-Clause
// What has become of a call on this rank.
#pragma once

#include <mpi.h>

#include <optional>
#include <utility>
#include <vector>

#include "executor/phases.h"
#include "wire/flow/flow_statistics.h"

namespace quadrille {

struct Outcome {
  int code = MPI_SUCCESS;  // an MPI error code
  std::optional<wire::FlowStatistics>
      flows{};                      // what its messages cost, where they went by the wire
  std::vector<CallPhase> phases{};  // what it did, where calls are traced

  // The same after `finish()`, whose code counts; it is left out after an error.
  template <typename Finish>
  Outcome then(Finish&& finish) && {
    if (code == MPI_SUCCESS) code = std::forward<Finish>(finish)();
    return std::move(*this);
  }
};

}  // namespace quadrille
