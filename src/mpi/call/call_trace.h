// SPDX-License-Identifier: BSD-3-Clause
// What QUADRILLE_TRACE makes each rank write: every collective call on a communicator that
// Quadrille knows, with the time it took on this rank's clock, who executed it and where the
// program called; of those that Quadrille executed their phases; who the communicators' ranks are;
// how long MPI calls of all kinds took together, where libquadrille-timing.so tells of them; and
// how this rank's clock stands to rank 0's, at the start and at the end.
//
// Thread rule: any thread, but for begin() and end().
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "executor/phases.h"
#include "mpi/call/timed_calls.h"
#include "trace/trace_files.h"
#include "wire/flow/flow_statistics.h"

namespace quadrille {

class CallTrace {
 public:
  struct Process {
    MPI_Comm ranks = MPI_COMM_NULL;  // all of the job's; errors on it return
    int rank = 0;
    std::string host;
    std::string fabric;  // as fabric_use()
  };
  struct Call {
    std::uint64_t communicator = 0;
    std::uint32_t number = 0;
    const char* function = "";
    const std::string* algorithm = nullptr;  // null: the MPI library
    const void* site = nullptr;              // an address in the caller's code
    std::uint64_t bytes = 0;
    std::int32_t root = -1;
    bool in_trial = false;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    const wire::FlowStatistics* flows = nullptr;  // null: not by the wire
    std::span<const CallPhase> phases;            // none: executed by the MPI library
  };

  // Collective. Null where a rank cannot write, which says so in a line.
  static std::unique_ptr<CallTrace> begin(const std::string& folder, const Process& process);
  // Collective, with the times of all the program's calls. Says in a line where not all was
  // written.
  void end(const TimedCalls& calls);

  // A number for a new communicator, of whose ranks this is the first one; it tells the others.
  std::int64_t number_communicator();
  // On that rank.
  void describe_communicator(std::uint64_t number, const std::vector<int>& world_ranks);
  void add(const Call& call);

 private:
  CallTrace(std::unique_ptr<trace::TraceFiles> files, const Process& process)
      : files_(std::move(files)), process_(process) {}
  void tell_clock();
  void tell_times(const TimedCalls& calls);
  std::uint16_t number_of_site(const void* address);

  std::unique_ptr<trace::TraceFiles> files_;
  const Process process_;
  std::mutex mutex_;
  std::uint32_t communicators_ = 0;  // that this rank has named
  std::map<const void*, std::uint16_t> sites_;
  std::int64_t began_ns_ = 0;
};

}  // namespace quadrille
