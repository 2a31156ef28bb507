// SPDX-License-Identifier: BSD-3-Clause
// Gather of unequal blocks over the wire: every block that is not empty is one message, all are
// started at once, and the root grants who may send. It grants in ring order from its own number
// on, so that the buffer in front of its port holds what its budget allows, however many senders
// there are; a late one holds up nobody. Only the root knows all lengths, and only it has to.
//
//   5 ranks, root 0, rank 2 has nothing, rank 3 much; time goes right:
//     from 1   a a b b
//     from 3   a a b b c c d d e e
//     from 4           a a b b     granted as 1 ends
//
// Steps:  a receive for each block that is not empty and a copy at the root, one send elsewhere.
// Bytes:  the root receives all blocks but its own, every other rank sends its own: the least
//         possible; under way to the root's host: what its budget grants.
// Needs:  the wire; without it nothing paces the messages. No scratch.
// Loses:  where all blocks are far below a packet, for the root's messages: as many as there are
//         ranks.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703 (a receiver that paces its senders); grants by receivers:
//         Montazeri, Li, Alizadeh and Ousterhout, Homa, SIGCOMM 2018, doi:10.1145/3230543.3230564
#include "algorithms/algorithm.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_gatherv_granted(const Shape&) { return true; }

Schedule generate_gatherv_granted(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (input.view.has_wire) builder.use_wire();
  if (input.rank != shape.root) {
    const Region own = contribution(shape, input.rank, input.counts);
    if (own.length > 0) builder.send(shape.root, own);
    return builder.build();
  }
  for (Rank distance = 1; distance < shape.ranks; ++distance) {
    const Rank source = ring_rank(shape.root, distance, shape.ranks);
    const Region block = input.counts.receive.of(Buffer::receive, source);
    if (block.length > 0) builder.receive(source, block);
  }
  copy_own_block(builder, input);
  return builder.build();
}

}  // namespace quadrille
