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
  std::uint32_t address = 0;  // in the host's byte order
  std::uint32_t mask = 0;
  std::size_t mtu_bytes = 1500;
  bool is_loopback = false;
};

// Those that are up and have an IPv4 address, as the system lists them.
std::vector<LocalInterface> local_interfaces();

// `wanted` is an interface's name, its address, or a network that it is on (10.0.0.0/24); empty:
// the first that is neither a loopback nor a bridge of containers or virtual machines, else the
// loopback.
Result<LocalInterface> choose_interface(const std::vector<LocalInterface>& interfaces,
                                        const std::string& wanted);

}  // namespace quadrille::fabric
