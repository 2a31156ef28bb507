// SPDX-License-Identifier: BSD-3-Clause
// What the prober is told on its command line.
#pragma once

#include <cstdint>
#include <string>

#include "apps/job_options.h"

namespace quadrille::probe {

struct ProberOptions {
  std::uint64_t seed = 1;
  std::string interface;  // names, subnets or addresses, separated by commas
  std::string samples;    // file for the round trips; empty: none
  std::string check;      // model file to compare with; empty: none
  // Multicast is tried again so long after it was first; 0: not.
  std::uint32_t multicast_after_s = 0;
  bool quick = false;       // only what a program needs at its start
  bool hosts_only = false;  // settings and counters of the hosts, no measurement between them
};

JobOptions<ProberOptions> parse_prober_options(int argc, const char* const* argv);

}  // namespace quadrille::probe
