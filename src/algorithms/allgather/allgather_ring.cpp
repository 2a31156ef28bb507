// SPDX-License-Identifier: BSD-3-Clause
// Allgather around a ring.
//
// Every rank sends its own block to the next one, then in every round what it received in the
// round before. After p - 1 rounds every block has been everywhere.
//
//   5 ranks, blocks a-e:   round   0->1  1->2  2->3  3->4  4->0
//                            0      a     b     c     d     e
//                            1      e     a     b     c     d
//                            2      d     e     a     b     c
//                            3      c     d     e     a     b
//
// Steps:  p - 1 rounds.
// Bytes:  every rank sends and receives (p - 1) m, the least possible.
// Needs:  nothing, no scratch.
// Loses:  at small m, for its p - 1 rounds.
// Source: Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory,
//         practice, and experience, Concurrency and Computation: Practice and Experience 19
//         (2007), doi:10.1002/cpe.1206
#include "algorithms/algorithm.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgather_ring(const Shape&) { return true; }

Schedule generate_allgather_ring(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Rank next = ring_rank(input.rank, 1, shape.ranks);
  const Rank previous = ring_rank(input.rank, -1, shape.ranks);
  Region outgoing = contribution(shape, input.rank);
  for (Rank round = 0; round + 1 < shape.ranks; ++round) {
    const Rank source = ring_rank(previous, -round, shape.ranks);
    const Region incoming = block_of(Buffer::receive, source, shape.count);
    builder.send(next, outgoing);
    builder.receive(previous, incoming);
    outgoing = incoming;
  }
  copy_own_block(builder, input);
  return builder.build();
}

}  // namespace quadrille
