// SPDX-License-Identifier: BSD-3-Clause
// What the kernel counts of losses and repeats on this host.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace quadrille::probe {

// By name: "tcp_retransmitted_segments", "udp_receive_buffer_errors", "softnet_dropped",
// "eth0.rx_dropped", ...; absent where the host does not tell. `root` holds proc and sys.
using KernelCounters = std::map<std::string, std::uint64_t>;

KernelCounters read_kernel_counters(const std::filesystem::path& root = "/");

// How much each has grown; what is missing on either side is left out.
KernelCounters growth(const KernelCounters& before, const KernelCounters& after);

std::string encode(const KernelCounters& counters);
// Errors: corrupt.
Result<KernelCounters> decode_counters(std::string_view bytes);

}  // namespace quadrille::probe
