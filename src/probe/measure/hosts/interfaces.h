// SPDX-License-Identifier: BSD-3-Clause
// What this host says of itself: its name, machine, cores and the interfaces that could carry
// messages (up, not loopback, with an IPv4 address).
#pragma once

#include <string_view>

#include "base/error.h"
#include "probe/network.h"

namespace quadrille::probe {

// `ranks` is left at 1.
HostFacts own_facts();

std::string encode(const HostFacts& facts);
// Errors: corrupt.
Result<HostFacts> decode_facts(std::string_view bytes);

}  // namespace quadrille::probe
