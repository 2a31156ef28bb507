// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says only by netlink: metrics of routes, and whether a packet filter has tables.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace quadrille::probe {

// TCP settings that routes override: [{"destination": "10.0.0.0/8", "interface": "eth0",
// "tcp_rto_min_ms": 20, "congestion_control": "cubic"}]; absent where the kernel does not answer.
std::optional<nlohmann::json> routes_with_tcp_settings();

// Tables of nftables; absent where they may not be read (they take CAP_NET_ADMIN).
std::optional<std::uint32_t> nftables_tables();

}  // namespace quadrille::probe
