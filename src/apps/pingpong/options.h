// SPDX-License-Identifier: BSD-3-Clause
// What the ping-pong is told on its command line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/job_options.h"

namespace quadrille::pingpong {

struct PingpongOptions {
  std::vector<std::string> ways{"mpi"};
  std::vector<std::size_t> sizes{64};
  std::vector<std::string> patterns{"pingpong"};
  std::size_t window = 64;
  double seconds = 0.2;
  std::size_t burst_bytes = std::size_t{32} * 1024;
  std::string interface;
};

JobOptions<PingpongOptions> parse_pingpong_options(int argc, const char* const* argv);

}  // namespace quadrille::pingpong
