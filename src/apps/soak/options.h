// SPDX-License-Identifier: BSD-3-Clause
// What the soak is told on its command line.
#pragma once

#include <cstdint>

#include "apps/job_options.h"

namespace quadrille::soak {

struct SoakOptions {
  double seconds = 10;
  std::uint64_t calls = 0;  // 0: only the time ends it
  double between_samples_s = 1;
  std::uint64_t seed = 1;
};

JobOptions<SoakOptions> parse_soak_options(int argc, const char* const* argv);

}  // namespace quadrille::soak
