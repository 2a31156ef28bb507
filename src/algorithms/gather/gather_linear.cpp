// SPDX-License-Identifier: BSD-3-Clause
// Gather by the root, which says who may send.
//
// The root takes the blocks in ring order from its own number on, each cut into messages of at most
// `piece_bytes`. The first `window` messages come unscheduled; every later one is sent when the
// root asks for it by a message without data, as soon as the message `window` places before it is
// complete. So the buffer in front of the root's port never holds more than `window` messages.
//
//   5 ranks, root 0, window=2, blocks in one piece; time goes right:
//     from 1   a              unscheduled
//     from 2   a              unscheduled
//     from 3       a          asked for when 1's is in
//     from 4           a      asked for when 2's is in
//
// Steps:  (p - 1) P messages with P = ceil(m / piece_bytes), about as many requests, one copy.
// Bytes:  the root receives (p - 1) m, every other rank sends m: the least possible; under way at
//         any time: at most window * piece_bytes.
// Needs:  nothing, no scratch. Promises: most_incoming = window messages with data to the root.
// Loses:  at small m against gather_binomial, for the root's p - 1 messages.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703 (a receiver that paces its senders)
#include "algorithms/algorithm.h"
#include "algorithms/asked_pieces.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_gather_linear(const Shape&) { return true; }

Schedule generate_gather_linear(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const PiecePacing pacing(shape, input.parameters);
  const std::uint64_t pieces = pacing.pieces(shape.count);
  // All blocks have as many pieces, so that each sender knows its place.
  const auto is_unscheduled = [&](Rank vrank, std::uint64_t piece) {
    return static_cast<std::uint64_t>(vrank - 1) * pieces + piece < pacing.window;
  };
  if (input.rank != shape.root) {
    const Region own = contribution(shape, input.rank);
    const Rank vrank = vrank_of(input.rank, shape);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      const StepIndex asked = is_unscheduled(vrank, piece) ? ScheduleBuilder::no_step
                                                           : builder.receive_ready(shape.root);
      builder.send(shape.root, own.segment(piece, pieces), {asked});
    }
    return builder.build();
  }
  AskedReceipts receipts(builder, pacing.window);
  for (Rank vrank = 1; vrank < shape.ranks; ++vrank) {
    const Rank source = rank_of(vrank, shape);
    const Region block = block_of(Buffer::receive, source, shape.count);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      if (!is_unscheduled(vrank, piece)) receipts.ask(source);
      receipts.take(source, block.segment(piece, pieces));
    }
  }
  builder.promise_most_incoming(receipts.most_incoming());
  copy_own_block(builder, input);
  return builder.build();
}

}  // namespace quadrille
