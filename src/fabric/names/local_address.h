// SPDX-License-Identifier: BSD-3-Clause
// On which network an endpoint speaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace quadrille::fabric {

struct LocalInterface {
  std::string name;
  std::uint32_t address = 0;  // in the host's byte order; 0: of IPv6 alone
  std::uint32_t mask = 0;
  std::size_t mtu_bytes = 1500;
  bool is_loopback = false;
};

// Those that are up, one for each address, as the system lists them.
std::vector<LocalInterface> local_interfaces();

// `wanted` is an interface's name, its address, or a network that it is on (10.0.0.0/24); empty:
// the first that is neither a loopback nor a bridge of containers or virtual machines, one with a
// link-local address last; where there is none, the loopback, but not on a host that has a network
// by IPv6.
Result<LocalInterface> choose_interface(const std::vector<LocalInterface>& interfaces,
                                        const std::string& wanted);

}  // namespace quadrille::fabric
