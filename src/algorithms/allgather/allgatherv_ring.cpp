// SPDX-License-Identifier: BSD-3-Clause
// Allgather of unequal blocks around a ring.
//
// Every rank sends its own block to the next one, then in every round what it received in the round
// before. After p - 1 rounds every block has been everywhere. Empty blocks are not sent.
//
//   5 ranks, blocks a-e:   round   0->1  1->2  2->3  3->4  4->0
//                            0      a     b     c     d     e
//                            1      e     a     b     c     d
//                            2      d     e     a     b     c
//                            3      c     d     e     a     b
//
// Steps:  p - 1 rounds.
// Bytes:  for m bytes of all blocks together every rank sends and receives m less one block, the
//         least possible.
// Needs:  nothing, no scratch.
// Loses:  at small m, for its p - 1 rounds; where one block is far longer than the others, as it
//         goes p - 1 links one after the other.
// Source: Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory,
//         practice, and experience, Concurrency and Computation: Practice and Experience 19
//         (2007), doi:10.1002/cpe.1206
#include "algorithms/algorithm.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgatherv_ring(const Shape&) { return true; }

Schedule generate_allgatherv_ring(const GeneratorInput& input) {
  const Rank ranks = input.shape.ranks;
  ScheduleBuilder builder;
  const auto place = [&](Rank rank) { return input.counts.receive.of(Buffer::receive, rank); };
  const Rank next = ring_rank(input.rank, 1, ranks);
  const Rank previous = ring_rank(input.rank, -1, ranks);
  Region outgoing = contribution(input.shape, input.rank, input.counts);
  for (Rank round = 0; round + 1 < ranks; ++round) {
    const Region incoming = place(ring_rank(previous, -round, ranks));
    if (outgoing.length > 0) builder.send(next, outgoing);
    if (incoming.length > 0) builder.receive(previous, incoming);
    outgoing = incoming;
  }
  copy_own_block(builder, input);
  return builder.build();
}

}  // namespace quadrille
