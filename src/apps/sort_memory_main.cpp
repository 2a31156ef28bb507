// SPDX-License-Identifier: BSD-3-Clause
// quadrille-sort-memory: what memory a parallel sort takes on each number of nodes, and whether
// nodes have it, before any of it is allocated: tables 3.1, 4.1 and 4.3 of UMBC's study
// (apps/bench/ kernels/sort_size.h) for any sizes. One JSON object a number of nodes; `fits` is
// what the benchmark decides by. Exit codes: 0 done, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/bench/kernels/sort_size.h"
#include "apps/bench/memory.h"
#include "apps/bench/options.h"
#include "apps/exit_codes.h"
#include "apps/parse_options.h"

namespace quadrille::bench {
namespace {

struct Request {
  std::uint64_t vectors = 1'492'992;
  std::uint64_t doubles = 512;
  bool constant_local = false;
  std::vector<std::uint64_t> nodes{1, 3, 9, 18, 36};
  std::uint64_t per_node = 8;
  std::string node_memory;  // empty: what this machine has available

  void add_to(CLI::App& app) {
    static const std::map<std::string, bool> memories{{"constant-global", false},
                                                      {"constant-local", true}};
    app.add_option("--vectors", vectors, "n, of all processes");
    app.add_option("--doubles", doubles, "m, of a vector");
    app.add_option("--memory", constant_local,
                   "constant-global: m doubles; constant-local: m for each node")
        ->transform(CLI::CheckedTransformer(memories));
    app.add_option("--nodes", nodes, "numbers of nodes")
        ->delimiter(',')
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--per-node", per_node, "processes of a node")->check(CLI::Range(1, 4096));
    app.add_option("--node-memory", node_memory, "available on a node, as 24G");
  }
};

// How much of `available` the processes of a node need, and whether they may have it.
nlohmann::ordered_json row_of(const SortSize& size, std::uint64_t nodes, std::uint64_t per_node,
                              std::uint64_t available) {
  AvailableMemory node;
  node.machine_bytes = available;
  const std::uint64_t arrays = 2 * size.local_bytes();
  const bool fits = !memory_shortage(std::vector(per_node, node), arrays);
  return {{"nodes", nodes},
          {"processes", size.processes},
          {"vectors", size.vectors},
          {"doubles", size.doubles},
          {"global_bytes", size.global_bytes()},
          {"local_vectors", size.local_vectors()},
          {"local_bytes", size.local_bytes()},
          {"block_vectors", size.block_vectors()},
          {"block_bytes", size.block_bytes()},
          {"node_bytes", arrays * per_node},
          {"available_bytes", available},
          {"fits", fits}};
}

int fail(const std::string& message) {
  std::cerr << "quadrille-sort-memory: " << message << '\n';
  return exit_code::wrong_usage;
}

int run(const Request& request) {
  const AvailableMemory here = available_memory();
  std::uint64_t available = std::min(here.machine_bytes, here.group_bytes);
  if (!request.node_memory.empty()) {
    const auto given = parse_bytes(request.node_memory);
    if (!given.ok()) return fail(given.error().message);
    available = given.value();
  }
  for (const std::uint64_t nodes : request.nodes) {
    const std::uint64_t doubles = request.doubles * (request.constant_local ? nodes : 1);
    const auto size = sort_size(request.vectors, doubles, nodes * request.per_node);
    if (!size.ok()) return fail(size.error().message);
    std::cout << row_of(size.value(), nodes, request.per_node, available).dump() << '\n';
  }
  return exit_code::done;
}

}  // namespace
}  // namespace quadrille::bench

int main(int argc, char** argv) {
  CLI::App app{"Tells what memory a parallel sort of n vectors of m doubles takes."};
  quadrille::bench::Request request;
  request.add_to(app);
  if (const auto code = quadrille::parse_options(app, argc, argv)) return *code;
  return quadrille::bench::run(request);
}
