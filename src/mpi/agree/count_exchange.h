// SPDX-License-Identifier: BSD-3-Clause
// The ranks of each host tell each other the lengths of their blocks before a vector collective
// whose small blocks they carry for each other. Every time: that a rank's own lengths are those of
// its last call says nothing of its neighbours', and schedules made of different lengths do not
// meet.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/alltoall/carried_hosts.h"
#include "schedule/blocks.h"
#include "schedule/prepared_schedule.h"

namespace quadrille {

class Communicator;

class CountExchange {
 public:
  CountExchange(const TopologyView& view, Rank rank);

  // Fills in `counts.told`; returns an MPI error code. REQUIRES: called by all ranks of the
  // communicator, as part of one of its calls, though one that is alone on its host is told
  // nothing.
  int ask(Communicator& communicator, StoredCounts& counts, const char* operation);

 private:
  CarriedHosts hosts_;
  PreparedSchedule telling_;
  std::vector<std::uint64_t> tells_;  // to the places in turn
  std::vector<std::uint64_t> told_;   // by them
};

}  // namespace quadrille
