// SPDX-License-Identifier: BSD-3-Clause
// Which of the candidate networks the program's data should travel on, and which hosts it reaches.
//
// A candidate is refused where several hosts have the same address on it (docker0, virbr0: each
// host's own). Of those that reach most hosts, the one named by the user or by the MPI library's
// settings is taken, else the one that short trains find measurably faster, else the nearer one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "network/model/model.h"
#include "probe/investigation.h"
#include "probe/reach/network_reach.h"

namespace quadrille::probe {

struct NetworkChoice {
  std::uint32_t network = 0;
  std::vector<HostIndex> hosts;         // that can work together on it, ascending
  std::vector<OneWay> unreachable;      // ways between `hosts` on which nothing arrived
  std::vector<std::string> not_usable;  // the other candidates, and why
  std::vector<Warning> warnings;        // hosts left out, ways missing, a slower network preferred
};

// Why `candidate` cannot be used at all, as far as its addresses tell.
std::optional<std::string> refusal(const CandidateNetwork& candidate,
                                   const std::vector<HostFacts>& hosts);

// Errors: invalid_argument (fewer than two hosts), unsupported (no candidate on which two hosts
// reach each other; says which were tried), and what Network::perform fails with.
Result<NetworkChoice> choose_network(Network& network, Depth depth, std::uint64_t seed);

}  // namespace quadrille::probe
