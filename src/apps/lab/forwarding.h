// SPDX-License-Identifier: BSD-3-Clause
// Carries frames between the far ends of a delayed trunk.
#pragma once

#include <array>

#include "apps/lab/delay_line.h"

namespace quadrille::lab {

// Forwards what arrives at `ends[i]` through `lines[i]` to the other end, until something fails
// that is not a cable's being down; returns errno then.
// REQUIRES: the ends are non-blocking packet sockets that give each frame the time stamp of its
// arrival (SO_TIMESTAMPNS) and do not receive what they send.
int forward(const std::array<int, 2>& ends, std::array<DelayLine, 2> lines);

}  // namespace quadrille::lab
