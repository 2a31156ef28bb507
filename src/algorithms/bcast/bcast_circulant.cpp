// SPDX-License-Identifier: BSD-3-Clause
// Broadcast of S blocks in the least number of rounds, over a ring with ceil(log2 p) skips.
//
// In every round each rank sends one block over the round's skip and receives another from as far
// behind, so that every port is busy in both directions all the time; the skips of
// circulant_graph.h take turns. The root sends a new block in each round and the last one until all
// have it. Which block goes when is the same for all phases of ceil(log2 p) rounds but for an
// offset, and each rank computes its own part alone. One block goes down a binomial tree, many as
// along a chain.
//
//   5 ranks, root 0, blocks a b c:
//     round 0 (skip 2)   0 -> 2: a
//     round 1 (skip 3)   0 -> 3: b
//     round 2 (skip 1)   0 -> 1: c   2 -> 3: a   3 -> 4: b
//     round 3 (skip 2)   0 -> 2: c   2 -> 4: a   4 -> 1: b
//     round 4 (skip 3)   0 -> 3: c   3 -> 1: a   4 -> 2: b   1 -> 4: c
//
// Steps:  S - 1 + ceil(log2 p) rounds for S = ceil(m / segment) blocks, the least possible; a rank
//         receives each block once.
// Bytes:  every rank receives m and sends up to m, the root m and a block for each further round.
// Needs:  nothing, no scratch.
// Loses:  where messages in opposite directions or of many pairs share a bus or a trunk: hardly an
//         edge is between neighbours; there bcast_hierarchical, and for the longest messages
//         bcast_chain.
// Source: Traeff, Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
//         All-Broadcast, Reduction and All-Reduction, arXiv:2407.18004 (2024), doi:10.1145/3735139
#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/bcast/circulant_graph.h"
#include "algorithms/rank_arithmetic.h"
#include "algorithms/segments.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_bcast_circulant(const Shape&) { return true; }

namespace {

// One rank's partner and block in each round of phase 0, in one direction; vrank 0 receives
// nothing.
struct PieceCrossing {
  Rank partner = 0;
  std::int64_t block = 0;
};

std::vector<PieceCrossing> receipts_of(const CirculantGraph& graph, Rank vrank, Rank vranks) {
  std::vector<PieceCrossing> crossings;
  if (vrank == 0) return crossings;
  const std::vector<std::int64_t> blocks = graph.receipts(vrank);
  for (std::size_t round = 0; round < graph.rounds(); ++round) {
    crossings.push_back({ring_rank(vrank, -graph.skip(round), vranks), blocks[round]});
  }
  return crossings;
}

std::vector<PieceCrossing> sends_of(const CirculantGraph& graph, Rank vrank, Rank vranks) {
  std::vector<PieceCrossing> crossings;
  for (std::size_t round = 0; round < graph.rounds(); ++round) {
    const Rank target = ring_rank(vrank, graph.skip(round), vranks);
    crossings.push_back({target, target == 0 ? 0 : graph.receipts(target)[round]});
  }
  return crossings;
}

}  // namespace

Schedule generate_bcast_circulant(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0 || shape.ranks == 1) return builder.build();
  const CirculantGraph graph(shape.ranks);
  const Rank vrank = vrank_of(input.rank, shape);
  const std::vector<PieceCrossing> receipts = receipts_of(graph, vrank, shape.ranks);
  const std::vector<PieceCrossing> sends = sends_of(graph, vrank, shape.ranks);
  const Region data{Buffer::receive, 0, shape.count};
  const std::uint64_t pieces = segment_count(shape, input.parameters["segment"]);
  const auto last = static_cast<std::int64_t>(pieces) - 1;
  const auto phase = static_cast<std::int64_t>(graph.rounds());
  // The rounds end with a phase: those that the first one has too many would carry blocks below 0.
  const std::int64_t unused = (phase - last % phase) % phase;
  for (std::int64_t turn = unused; turn < unused + last + phase; ++turn) {
    const auto round = static_cast<std::size_t>(turn % phase);
    const std::int64_t offset = turn - turn % phase - unused;
    const auto piece = [&](const PieceCrossing& crossing) {
      const auto index = static_cast<std::uint64_t>(std::min(crossing.block + offset, last));
      return data.segment(index, pieces);
    };
    if (sends[round].partner != 0 && sends[round].block + offset >= 0) {
      builder.send(rank_of(sends[round].partner, shape), piece(sends[round]));
    }
    if (vrank != 0 && receipts[round].block + offset >= 0) {
      builder.receive(rank_of(receipts[round].partner, shape), piece(receipts[round]));
    }
  }
  return builder.build();
}

}  // namespace quadrille
