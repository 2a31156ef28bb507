// SPDX-License-Identifier: BSD-3-Clause
// What a setting says of the machines below its hosts.
#include <algorithm>
#include <map>
#include <string>

#include "probe/investigation.h"

namespace quadrille::probe {

std::uint32_t Setting::exchanges_at_once() const {
  struct Machine {
    std::uint32_t hosts = 0;
    std::uint32_t cores = 0;
  };
  std::map<std::string, Machine> machines;
  for (const HostIndex host : hosts) {
    const HostFacts& facts = network.hosts()[host];
    Machine& machine = machines[facts.machine];
    ++machine.hosts;
    machine.cores = std::max(machine.cores, facts.cores);
  }
  // Each end of an exchange spins on a core of its own. Where a machine has too few for all its
  // hosts, all ends of a slot may be on that one.
  auto at_once = static_cast<std::uint32_t>(hosts.size() / 2);
  for (const auto& [name, machine] : machines) {
    if (machine.hosts > machine.cores) at_once = std::min(at_once, machine.cores / 2);
  }
  return std::max(1U, at_once);
}

}  // namespace quadrille::probe
