// SPDX-License-Identifier: BSD-3-Clause
// An algorithm's messages in phases, without anybody's schedule: what the cost of a call of many
// ranks is computed from. Size O(p log p) where the schedules of all ranks have O(p^2) steps.
// A test equates its cost with that of the schedules. To describe an algorithm: write
// `traffic_NAME` in a file beside this one and name it in the algorithm's row.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/parameters.h"
#include "network/topology_view.h"
#include "schedule/shape.h"

namespace quadrille {

struct Transfer {
  Rank from = 0;
  Rank to = 0;
  std::uint64_t bytes = 0;  // payload
};

enum class PhaseOrder : std::uint8_t {
  together,  // all transfers at once, `times` such rounds in a row
  down,      // a tree, parents first: a rank sends to all its children once it has its own
  up,        // a tree, children first: a rank sends once it has all its children's
  chain,     // one after the other; `times` pieces of `bytes` each follow each other
  everyone,  // every rank to every other, as `exchange` says; `transfers` is empty
};

struct Phase {
  // Of PhaseOrder::everyone.
  struct Exchange {
    std::uint64_t piece_bytes = 0;
    std::uint64_t pieces = 1;    // from each rank to each other
    std::uint64_t partners = 1;  // that a rank sends to at once
    std::uint64_t turns = 0;     // ranks that it takes from one after the other; 0: as many as that
    std::uint64_t window = 1;    // pieces under way to each of them
    bool asks = false;           // each piece waits for a message from its receiver
  };

  PhaseOrder order = PhaseOrder::together;
  std::vector<Transfer> transfers = {};
  std::uint64_t times = 1;
  // At every rank, each time: at a tree's, per child.
  std::uint64_t reduced_bytes = 0;
  std::uint64_t copied_bytes = 0;
  Exchange exchange = {};
};

struct TrafficInput {
  const Shape& shape;
  const Parameters& parameters;
  const TopologyView& view;
};

using Traffic = std::vector<Phase>;

}  // namespace quadrille
