// SPDX-License-Identifier: BSD-3-Clause
// One host of the job: its sockets on the candidate networks, and its part in rounds. One thread
// sends and receives; kernel time stamps make it unimportant when it looks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "probe/measure/agent/round_part.h"
#include "probe/measure/network_end.h"

namespace quadrille::probe {

class Agent {
 public:
  // Opens the sockets of every network on which this host has an address; a network on which that
  // fails is as if it had none. Returns the ports, 0 where there is none.
  std::vector<std::uint16_t> open(JobOpening opening);
  // REQUIRES: open.
  Result<bool> learn_peers(const Peers& peers);

  // Performs `part` from its start to its end. Errors: corrupt (a part of another job or of hosts
  // that are not there). REQUIRES: learn_peers.
  Result<PartResult> perform(const RoundPart& part);

 private:
  Result<bool> check(const RoundPart& part) const;

  JobOpening opening_;
  std::vector<std::optional<NetworkEnd>> networks_;
};

}  // namespace quadrille::probe
