// SPDX-License-Identifier: BSD-3-Clause
// Allgather by a broadcast of every rank's block over its own tree of trees, all at once.
//
// Every rank leads its own segment for its own block: it sends it to a partner in the next segment
// and into its own; the partner passes it on to a further segment and inside its own. Partners of
// neighbouring ranks are neighbours, so the crossings are spread over all hosts of a segment, each
// block crosses each trunk once, and nowhere do all blocks squeeze through one host. With
// inside=chain all blocks go around a ring in each segment: a host receives from its neighbour and
// from one partner in each segment, which no buffer is too small for.
//
//   4 ranks (5 are alike) in segments 0 2 / 1 3, blocks a-d, inside=chain:
//     first   0 -> 1: a   1 -> 0: b   2 -> 3: c   3 -> 2: d   0 <-> 2: a, c   1 <-> 3: b, d
//     then    0 -> 2: b   2 -> 0: d   1 -> 3: a   3 -> 1: c
//
// between, inside, host, leader, order: as of bcast_hierarchical; segment: bytes of a piece of a
// block, 0: the whole block.
//
// Steps:  p - 1 receipts of a block; the depths of the three trees together deep.
// Bytes:  every rank receives (p - 1) m and sends about as much; a trunk carries m for each rank
//         that the direction leads away from; a bus of h hosts p m times h - 1 and its edges.
// Needs:  nothing, no scratch.
// Loses:  at small m, for it has no fewer messages than allgather_ring.
// Source: Lowekamp and Beguelin, ECO: Efficient Collective Operations for Communication on
//         Heterogeneous Networks, 10th International Parallel Processing Symposium (1996),
//         doi:10.1109/IPPS.1996.508087
#include <algorithm>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "algorithms/segments.h"
#include "algorithms/trees/hierarchy.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgather_hierarchical(const Shape&) { return true; }

namespace {

// One block's crossing of one edge of its tree. Edges deeper in a tree come later; both ends sort
// alike, so that messages between two ranks match, and none waits for one that follows from it.
struct Crossing {
  std::uint64_t turn = 0;  // depth of the sender plus number of the piece
  Rank block = 0;
  std::uint64_t piece = 0;
  Rank peer = 0;
  bool incoming = false;

  bool operator<(const Crossing& other) const {
    return std::tie(turn, block, piece) < std::tie(other.turn, other.block, other.piece);
  }
};

std::vector<Crossing> crossings_of(const GeneratorInput& input, std::uint64_t pieces) {
  const Hierarchy hierarchy(input);
  std::vector<Crossing> crossings;
  for (Rank block = 0; block < input.shape.ranks; ++block) {
    const PlaceInTree place = hierarchy.place({block, hierarchy.lane_of(block), RootRole::leads});
    const auto depth = static_cast<std::uint64_t>(place.depth);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      if (place.parent >= 0) {
        crossings.push_back({depth - 1 + piece, block, piece, place.parent, true});
      }
      for (const Rank child : place.children) {
        crossings.push_back({depth + piece, block, piece, child, false});
      }
    }
  }
  std::stable_sort(crossings.begin(), crossings.end());
  return crossings;
}

}  // namespace

Schedule generate_allgather_hierarchical(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const std::int64_t segment_bytes = input.parameters["segment"];
  const std::uint64_t pieces = segment_bytes == 0 ? 1 : segment_count(shape, segment_bytes);
  const Region own = contribution(shape, input.rank);
  for (const Crossing& crossing : crossings_of(input, pieces)) {
    const Region place = block_of(Buffer::receive, crossing.block, shape.count);
    const Region block = crossing.block == input.rank ? own : place;
    const Region piece = block.segment(crossing.piece, pieces);
    if (crossing.incoming) {
      builder.receive(crossing.peer, piece);
    } else {
      builder.send(crossing.peer, piece);
    }
  }
  copy_own_block(builder, input);
  return builder.build();
}

}  // namespace quadrille
