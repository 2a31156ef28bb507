// SPDX-License-Identifier: BSD-3-Clause
// Gather of unequal blocks by the root, which says who may send.
//
// The root takes the blocks in ring order from its own number on, each cut into messages of at most
// `piece_bytes`. A sender does not know the others' lengths, so what comes unscheduled is shared
// out by rank: each of the first senders may send as many of its messages at once as make `window`
// in all. For every other message the root asks, as soon as the message `window` places before it
// in its list is complete.
//
//   5 ranks, root 0, window=2, rank 3 has two pieces; time goes right:
//     from 1   a              unscheduled
//     from 2   a              unscheduled
//     from 3       a b        a is asked for when 1's is in, b when 2's is in
//     from 4           a      asked for when 3a is in
//
// Steps:  about as many messages as pieces, about as many requests, one copy.
// Bytes:  the root receives all blocks but its own, every other rank sends its own: the least
//         possible; under way at any time: at most window * piece_bytes.
// Needs:  nothing, no scratch. Promises: most_incoming = window messages with data to the root.
// Loses:  where all blocks are small, for the root's messages: as many as there are ranks.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703 (a receiver that paces its senders)
#include "algorithms/algorithm.h"
#include "algorithms/asked_pieces.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_gatherv_linear(const Shape&) { return true; }

namespace {

// How many of its messages the sender at `vrank` may send unscheduled.
std::uint64_t share_of(Rank vrank, const Shape& shape, std::uint64_t window) {
  return unscheduled_share(static_cast<std::uint64_t>(vrank - 1),
                           static_cast<std::uint64_t>(shape.ranks - 1), window);
}

void give(ScheduleBuilder& builder, const GeneratorInput& input, const PiecePacing& pacing) {
  const Shape& shape = input.shape;
  const Region own = contribution(shape, input.rank, input.counts);
  const std::uint64_t share = share_of(vrank_of(input.rank, shape), shape, pacing.window);
  const std::uint64_t pieces = pacing.pieces(own.length);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    const StepIndex asked =
        piece < share ? ScheduleBuilder::no_step : builder.receive_ready(shape.root);
    builder.send(shape.root, own.segment(piece, pieces), {asked});
  }
}

void take(ScheduleBuilder& builder, const GeneratorInput& input, const PiecePacing& pacing) {
  const Shape& shape = input.shape;
  AskedReceipts receipts(builder, pacing.window);
  for (const bool unscheduled : {true, false}) {
    for (Rank vrank = 1; vrank < shape.ranks; ++vrank) {
      const Rank source = rank_of(vrank, shape);
      const Region block = input.counts.receive.of(Buffer::receive, source);
      const std::uint64_t pieces = pacing.pieces(block.length);
      const std::uint64_t share = std::min(share_of(vrank, shape, pacing.window), pieces);
      for (std::uint64_t piece = unscheduled ? 0 : share; piece < (unscheduled ? share : pieces);
           ++piece) {
        if (!unscheduled) receipts.ask(source);
        receipts.take(source, block.segment(piece, pieces));
      }
    }
  }
  builder.promise_most_incoming(receipts.most_incoming());
  copy_own_block(builder, input);
}

}  // namespace

Schedule generate_gatherv_linear(const GeneratorInput& input) {
  const PiecePacing pacing(input.shape, input.parameters);
  ScheduleBuilder builder;
  if (input.rank == input.shape.root) {
    take(builder, input, pacing);
  } else {
    give(builder, input, pacing);
  }
  return builder.build();
}

}  // namespace quadrille
