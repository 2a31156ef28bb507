// SPDX-License-Identifier: BSD-3-Clause
// Which hosts' datagrams get through to which others, whatever the queues do.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "probe/round.h"

namespace quadrille::probe {

struct Reach {
  bool nobody = false;
  std::vector<bool> isolated;  // [hosts]
  std::set<std::pair<HostIndex, HostIndex>> firewalled;

  bool gets_through(HostIndex from, HostIndex to) const {
    if (nobody || isolated[from] || isolated[to]) return false;
    return firewalled.empty() || !firewalled.contains({from, to});
  }
};

}  // namespace quadrille::probe
