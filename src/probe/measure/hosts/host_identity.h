// SPDX-License-Identifier: BSD-3-Clause
// Which host this process runs on: what tells hosts apart, and what they are called.
#pragma once

#include <string>

namespace quadrille::probe {

// Equal for hosts that are namespaces or containers of one kernel: they share clock and cores.
std::string machine_identity();
// Ranks are on one host when they share a network namespace of one kernel.
std::string host_identity();
std::string own_host_name();

}  // namespace quadrille::probe
