// SPDX-License-Identifier: BSD-3-Clause
#include "base/monotonic_clock.h"

#include <ctime>

namespace quadrille {

Nanoseconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
}

}  // namespace quadrille
