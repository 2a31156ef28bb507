// SPDX-License-Identifier: BSD-3-Clause
// What `quadrille-simulate` is asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/units.h"

namespace quadrille::simulate {

struct SimulateRequest {
  std::string collective;
  std::uint64_t bytes = 0;
  std::uint64_t ranks = 0;
  std::uint32_t ranks_per_host = 1;
  Rank root = 0;
  std::string network = "switch";
  std::string algorithm;  // as in QUADRILLE_ALGORITHM behind "bcast:"; empty: the planner's
  std::string blocks = "power-law";  // of alltoallv
  std::uint32_t calls = 3;
  std::uint32_t communicators = 1;
  bool multicast = true;
  bool processors = true;
  std::uint32_t late_ranks = 0;
  double late_us = 0;
  double loss_percent = 0;
  std::uint32_t paths = 4;
  std::uint32_t socket_datagrams = 0;  // 0: as a socket with 4 MiB asked for keeps
  std::uint32_t budget = 0;            // packets; 0: as a job with that model begins
  std::uint32_t most_budget = 0;       // that it grows to; 0: likewise
  std::uint64_t seed = 1;
  double longest_s = 600;  // of virtual time

  void add_to(CLI::App& app);
};

}  // namespace quadrille::simulate
