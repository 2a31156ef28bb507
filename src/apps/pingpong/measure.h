// SPDX-License-Identifier: BSD-3-Clause
// How long messages take on a way: there and back, many in one direction, many in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "apps/pingpong/way.h"

namespace quadrille::pingpong {

enum class Pattern : std::uint8_t { pingpong, unidirectional, bidirectional };

const char* name_of(Pattern pattern);

struct Shape {
  Pattern pattern = Pattern::pingpong;
  std::size_t bytes = 0;   // of a message
  std::size_t window = 1;  // messages under way in one direction
};

// What was measured, on process 0. Times are of one message in one direction: half a round trip, or
// a round's share.
struct Figures {
  std::uint64_t messages = 0;  // timed, in one direction
  double median_ns = 0;
  double tenth_ns = 0;      // the 10th percentile
  double ninetieth_ns = 0;  // the 90th
  double cpu_ns = 0;        // of both processes, a message
  bool correct = true;      // what arrived was what was sent
};

// Collective. Rounds for about `seconds`. Nothing where a wait ended without its message.
std::optional<Figures> measure(Way& way, const WaySettings& settings, const Shape& shape,
                               double seconds);

}  // namespace quadrille::pingpong
