// SPDX-License-Identifier: BSD-3-Clause
// The command line of the benchmark kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/bench/pattern.h"
#include "apps/job_options.h"
#include "base/error.h"

namespace quadrille::bench {

enum class Synchronisation : std::uint8_t { instant, none };
// Calls of one side without an end, for a job that is measured beside them.
enum class Background : std::uint8_t { none, native, library };
enum class Waiting : std::uint8_t { automatic, sleep, spin };

struct Options {
  std::vector<std::string> collectives{"alltoall"};
  std::vector<std::uint64_t> bytes{1024};
  std::vector<int> ranks;  // empty: all
  int calls = 5;           // a block
  int blocks = 4;          // rounds of four blocks (native, ours, ours, native) at most
  double seconds = 10;     // budget of one point
  int warm_up = 28;        // calls of a shape for each side
  ElementType type = ElementType::float64;
  bool in_place = false;
  bool blocks_only = false;  // no calls in turn
  int root = 0;
  double skew_us = 0;
  double computing_scale = 1;
  std::uint64_t vectors = 1'492'992;   // n of a parallel sort: that of UMBC's study
  std::uint64_t doubles = 1;           // m
  bool constant_local_memory = false;  // m doubles for each host
  bool library_first = false;          // of the two sides
  Background background = Background::none;
  std::uint64_t seed = 1;
  Synchronisation synchronisation = Synchronisation::instant;
  Waiting waiting = Waiting::automatic;
  std::string output;   // file of rank 0; empty: standard output
  std::string network;  // JSON file with the network's rates; empty: from the environment
};

// "1", "64", "1K", "256KiB", "2M": powers of two. Errors name the text.
Result<std::uint64_t> parse_bytes(const std::string& text);

// `known` are the names --collective takes.
JobOptions<Options> parse_options(int argc, const char* const* argv,
                                  const std::vector<std::string>& known);

}  // namespace quadrille::bench
