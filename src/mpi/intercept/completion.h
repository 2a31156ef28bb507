// SPDX-License-Identifier: BSD-3-Clause
// What the functions that complete requests do for those of nonblocking collectives: see
// NonblockingRequests. Where the process has none they go on to the next definition at once.
#pragma once

#include <mpi.h>

#include <new>
#include <span>
#include <vector>

#include "mpi/job/runtime.h"
#include "mpi/nonblocking/nonblocking_requests.h"

namespace quadrille {

inline NonblockingRequests* pending_requests() {
  if (!NonblockingRequests::has_any()) return nullptr;
  const Runtime* const runtime = Runtime::active();
  return runtime == nullptr ? nullptr : runtime->nonblocking();
}

// `requests()`: a vector of those of the call, as they stand now. `execute()` has the MPI library
// complete them and returns its code. `before(ours, requests)` comes first.
template <typename Requests, typename Before, typename Execute>
int complete_after(const Requests& requests, const Before& before, const Execute& execute) try {
  NonblockingRequests* const ours = pending_requests();
  if (ours == nullptr) return execute();
  const std::vector<MPI_Request> given = requests();
  before(*ours, given);
  const int code = execute();
  const std::vector<MPI_Request> left = requests();
  int failure = MPI_SUCCESS;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (left[i] == given[i] && !NonblockingRequests::has_any_persistent()) continue;
    const int of_one = ours->completed(given[i]);
    if (failure == MPI_SUCCESS) failure = of_one;
  }
  return failure == MPI_SUCCESS ? code : failure;
} catch (const std::bad_alloc&) {
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

// Of MPI_Wait and MPI_Waitall: all of ours are complete before the MPI library waits.
template <typename Requests, typename Execute>
int complete_all(const Requests& requests, const Execute& execute) {
  return complete_after(
      requests, [](NonblockingRequests& ours, const auto& given) { ours.wait_for(given); },
      execute);
}

// Of those that only look.
template <typename Requests, typename Execute>
int complete_now(const Requests& requests, const Execute& execute) {
  return complete_after(
      requests, [](NonblockingRequests& ours, const auto&) { ours.progress(); }, execute);
}

// Of MPI_Waitany and MPI_Waitsome: `look(&found)` is the function that looks in their place, again
// and again while one of ours may be the first.
template <typename Requests, typename Execute, typename Look>
int complete_any(const Requests& requests, const Execute& execute, const Look& look) {
  // Kept, as another thread may complete the last of ours before the first look.
  NonblockingRequests* looks_at = nullptr;
  return complete_after(
      requests,
      [&](NonblockingRequests& ours, const auto& given) {
        ours.progress();
        if (ours.is_any_of(given)) looks_at = &ours;
      },
      [&] {
        if (looks_at == nullptr) return execute();
        int code = MPI_SUCCESS;
        looks_at->poll_until([&] {
          int found = 0;
          code = look(&found);
          return found != 0 || code != MPI_SUCCESS;
        });
        return code;
      });
}

}  // namespace quadrille
