// SPDX-License-Identifier: BSD-3-Clause
// Who carried out the latest intercepted call, and what it cost this rank on the wire: asked from
// the preloaded library, where there is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/flow/flow_statistics.h"

namespace quadrille::bench {

struct Execution {
  std::string executor = "mpi";  // "quadrille" or "mpi"
  std::string algorithm{};       // with its parameters; empty where the MPI library chose
  std::string reason{};          // why it was left to the MPI library; empty where it was not

  bool operator==(const Execution&) const = default;
};

struct LatestCall {
  Execution execution{};
  wire::FlowStatistics flows{};  // all 0 where it did not go by the wire
};

// Parses the library's "executor=quadrille algorithm=alltoall_ordered:partners=1" or "executor=mpi
// reason=..."; see src/preload/core.h. The last key's value runs to the end of the text.
LatestCall parse_latest_call(std::string_view text);

// The calls that one step of a program makes, as one: Quadrille's only where all of them were,
// their algorithms side by side where they change, what they cost added up. REQUIRES:
// !calls.empty().
LatestCall as_one_call(const std::vector<LatestCall>& calls);

// Asks `quadrille_last_execution` of the process; without the library the MPI library executed.
class ExecutionSource {
 public:
  ExecutionSource();
  bool library_loaded() const { return ask_ != nullptr; }
  // Of this thread's latest collective call.
  LatestCall latest() const;

 private:
  using Ask = int (*)(char*, int);
  Ask ask_ = nullptr;
};

}  // namespace quadrille::bench
