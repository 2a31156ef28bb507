// SPDX-License-Identifier: BSD-3-Clause
// The wire of a job, opened while the program starts: a UDP socket for each rank on the network
// that the model names or the first that all hosts share and reach each other on, a key from the
// job's secret, a credit board for each host, and a first message between ranks of every two hosts,
// and from each host to all others at once, or to all of its segment. Where one of these is missing
// anywhere, all ranks go without, and say why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/settings.h"
#include "mpi/communicator/wire_ranks.h"
#include "wire/budget/host_board.h"
#include "wire/port.h"

namespace quadrille {

struct WireStart {
  std::unique_ptr<wire::HostBoard>
      board;                         // of the host's; null: each rank has a part of its budget
  std::unique_ptr<wire::Port> port;  // null: no wire
  bool multicast = false;            // whether it reaches all hosts
  // [segments], where it does not: whether it reaches all of a segment. Empty where none was tried.
  std::vector<bool> multicast_in_segment = {};
  std::string problem;  // why not, the same on all ranks; empty where none was wanted
};

// Collective.
WireStart open_wire(const Settings& settings, const WireRanks& job);

}  // namespace quadrille
