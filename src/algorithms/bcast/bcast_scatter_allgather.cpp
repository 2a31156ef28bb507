// SPDX-License-Identifier: BSD-3-Clause
// Broadcast by scattering p blocks down a binomial tree and collecting them around a ring.
//
// The root sends half of the blocks to the first rank of the far half of the ranks, a quarter to
// the next, and so on; each rank passes on all but its own. Then every rank hands blocks to the
// next one on a ring until all have all. Blocks that a rank already has from the tree are not sent
// to it again: the root receives nothing.
//
//   5 ranks, root 0, blocks a-e:
//     tree:  0 -> 4: e      0 -> 2: cd, 2 -> 3: d      0 -> 1: b
//     ring:  0 -> 1: a e d c    1 -> 2: b a e    2 -> 3: c b a e    3 -> 4: d c b a
//
// Steps:  ceil(log2 p) + p - 1 deep.
// Bytes:  every rank receives m; a rank sends about m, the root up to 2 m.
// Needs:  nothing, no scratch. Blocks of a vector with fewer elements than ranks may be empty:
//         they are not sent.
// Loses:  at small m, for the p - 1 rounds of the ring; at large m against bcast_chain, whose root
//         sends m once.
// Source: Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory,
//         practice, and experience, Concurrency and Computation: Practice and Experience 19
//         (2007), doi:10.1002/cpe.1206
#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_bcast_scatter_allgather(const Shape&) { return true; }

Schedule generate_bcast_scatter_allgather(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Rank ranks = shape.ranks;
  ScheduleBuilder builder;
  const Region data{Buffer::receive, 0, shape.count};
  const auto blocks = [&](Rank first, Rank count) {
    return data.parts(static_cast<std::uint64_t>(first),
                      static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(count),
                      static_cast<std::uint64_t>(ranks));
  };
  const Rank vrank = vrank_of(input.rank, shape);
  const Rank subtree = binomial_subtree(vrank, ranks);
  if (vrank != 0) {
    if (const Region own = blocks(vrank, subtree); own.length > 0) {
      builder.receive(rank_of(vrank & (vrank - 1), shape), own);
    }
  }
  for (Rank distance = subtree > 1 ? power_of_two_within(subtree - 1) : 0; distance > 0;
       distance /= 2) {
    const Rank child = vrank + distance;
    if (const Region part = blocks(child, binomial_subtree(child, ranks)); part.length > 0) {
      builder.send(rank_of(child, shape), part);
    }
  }
  // Whether a rank still lacks a block after the scattering.
  const auto lacks = [&](Rank who, Rank block) {
    return (block < who || block >= who + binomial_subtree(who, ranks)) &&
           blocks(block, 1).length > 0;
  };
  const Rank next = ring_rank(vrank, 1, ranks);
  for (Rank round = 0; round + 1 < ranks; ++round) {
    const Rank outgoing = ring_rank(vrank, -round, ranks);
    const Rank incoming = ring_rank(vrank, -round - 1, ranks);
    if (lacks(next, outgoing)) builder.send(rank_of(next, shape), blocks(outgoing, 1));
    if (lacks(vrank, incoming)) {
      builder.receive(rank_of(ring_rank(vrank, -1, ranks), shape), blocks(incoming, 1));
    }
  }
  return builder.build();
}

}  // namespace quadrille
