// SPDX-License-Identifier: BSD-3-Clause
// Other people's traffic: the same frame again and again, at random moments.
#pragma once

#include <cstdint>
#include <vector>

namespace quadrille::lab {

struct PacedFlow {
  int socket = -1;               // non-blocking
  double mean_gap_ns = 0;        // gaps are exponential
  std::vector<char> frame = {};  // whole
};

// Sends all `flows` for ever. What a socket does not take is lost.
[[noreturn]] void send_for_ever(const std::vector<PacedFlow>& flows, std::uint64_t seed);

}  // namespace quadrille::lab
