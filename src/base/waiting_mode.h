// SPDX-License-Identifier: BSD-3-Clause
// What a rank does with its core while nothing comes for it.
#pragma once

#include <cstdint>

namespace quadrille {

enum class WaitingMode : std::uint8_t {
  automatic,  // keeps it while nobody else wants it, for a while
  spin,       // keeps it: each rank has one of its own
  sleep       // gives it away soon
};

}  // namespace quadrille
