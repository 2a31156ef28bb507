// SPDX-License-Identifier: BSD-3-Clause
// Which ways to the wire this process may open, and what is missing for the others.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace quadrille::probe {

// {"udp": {"usable": true, "missing": []}, "packet": ..., "xdp": ...}, by opening a socket of each
// and by what /proc/self below `root` says of privileges.
nlohmann::json usable_links(const std::filesystem::path& root);

}  // namespace quadrille::probe
