// SPDX-License-Identifier: BSD-3-Clause
// What QUADRILLE_LOG=wire says when the job ends: what all ranks' ports have counted, and what each
// operation's calls have cost.
//
// Thread rule: any thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "schedule/collective.h"
#include "wire/flow/flow_statistics.h"
#include "wire/port.h"

namespace quadrille {

class WireLog {
 public:
  // This rank has executed a call by the wire.
  void add(Collective operation, const wire::FlowStatistics& flows);

  // Rank 0 writes the lines. Collective over `ranks`, which are all of the job's.
  void write(const wire::Port& port, MPI_Comm ranks) const;

 private:
  struct OfOperation {
    std::uint64_t calls = 0;
    wire::FlowStatistics flows;  // of the calls together
  };

  mutable std::mutex mutex_;
  std::vector<OfOperation> operations_{collectives().size()};  // by Collective
};

}  // namespace quadrille
