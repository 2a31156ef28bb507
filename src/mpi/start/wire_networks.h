// SPDX-License-Identifier: BSD-3-Clause
// The networks that a job's wire may use, found out while it starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/communicator/wire_ranks.h"

namespace quadrille {

// A host's address on one of them, and the largest datagram there.
struct HostAddress {
  std::uint32_t address = 0;  // 0: none
  std::size_t mtu = 1500;
};

// Networks to try in turn, the addresses of [hosts] in each: the one that the model names, then
// those that all hosts are on, the best first. That all have an address there does not say that
// they reach each other: bridges of virtual machines have different ones on each. Collective; one
// rank `speaks_for_host` on each.
std::vector<std::vector<HostAddress>> networks_of_hosts(const WireRanks& job, bool speaks_for_host);

}  // namespace quadrille
