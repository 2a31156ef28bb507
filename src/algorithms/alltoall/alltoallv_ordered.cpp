// SPDX-License-Identifier: BSD-3-Clause
// All-to-all of unequal blocks in ring order in which the receiver says who may send, so that a
// small switch buffer never overflows. Also MPI_Alltoallw, of packed blocks.
//
// As in alltoall_ordered a receiver deals its senders out over `partners` lanes and keeps at most
// `window` messages of at most `piece_bytes` under way in each. What the two of a pair know is the
// length of their block, not what others send: so what comes unscheduled is shared out by position
// in the lane, `window` messages in all. For each other message the receiver asks as soon as the
// message `window` places before it in that lane's list is complete, or at once where there are not
// as many. Empty blocks cost nothing.
//
//   5 ranks, receiver 0, partners=1, window=2, nothing from 3; time goes right:
//     from 4   a b            a unscheduled, b asked for at once
//     from 3                  nothing; one message might have come unscheduled
//     from 2       a b        2a is asked for when 4a is in, 2b when 4b is in
//     from 1           a      1a when 2a is in
//
// Steps:  about as many messages of data as pieces, about as many requests, one copy.
// Bytes:  each block but the own goes once over the wire; under way to one rank: at most partners *
//         window * piece_bytes.
// Needs:  nothing, no scratch. Promises: most_incoming = partners * window messages with data to a
//         rank, checked. Ranks that share a host share its port: their budgets add up.
// Loses:  where all blocks are far below piece_bytes: a request for each of them.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703
#include <algorithm>
#include <limits>

#include "algorithms/algorithm.h"
#include "algorithms/alltoall/asked_lanes.h"
#include "algorithms/asked_pieces.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_alltoallv_ordered(const Shape&) { return true; }

namespace {

class UnequalExchange {
 public:
  explicit UnequalExchange(const GeneratorInput& input)
      : input_(input),
        pacing_(input.shape, input.parameters),
        positions_(static_cast<std::uint64_t>(input.shape.ranks - 1)),
        group_(LaneGroup::of(input.parameters, "partners", "window")),
        lanes_(builder_, group_, positions_) {}

  // Both ends list the messages of a pair in the same order: the unscheduled ones first, then by
  // position, piece, request before data. So they match in order, and none waits for a later one.
  Schedule run() {
    for (std::uint64_t position = 0; position < positions_; ++position) {
      exchange(position, 0, share(position));
    }
    for (std::uint64_t position = 0; position < positions_; ++position) {
      exchange(position, share(position), std::numeric_limits<std::uint64_t>::max());
    }
    builder_.promise_most_incoming(lanes_.most_incoming());
    builder_.copy(input_.counts.send.of(Buffer::send, input_.rank),
                  input_.counts.receive.of(Buffer::receive, input_.rank));
    return builder_.build();
  }

 private:
  std::uint64_t share(std::uint64_t position) const {
    return unscheduled_share(group_.place_in_lane(position),
                             group_.lane_senders(position, positions_), group_.window);
  }

  // Pieces [first, end) of what goes out and comes in at a position.
  void exchange(std::uint64_t position, std::uint64_t first, std::uint64_t end) {
    const auto distance = static_cast<Rank>(position + 1);
    const Rank target = ring_rank(input_.rank, distance, input_.shape.ranks);
    const Rank source = ring_rank(input_.rank, -distance, input_.shape.ranks);
    const Region outgoing = input_.counts.send.of(Buffer::send, target);
    const Region incoming = input_.counts.receive.of(Buffer::receive, source);
    const std::uint64_t sends = pacing_.pieces(outgoing.length);
    const std::uint64_t receives = pacing_.pieces(incoming.length);
    AskedReceipts& lane = lanes_.of(position);
    for (std::uint64_t piece = first; piece < std::min(end, std::max(sends, receives)); ++piece) {
      const bool unscheduled = piece < share(position);
      if (piece < receives && !unscheduled) lane.ask(source);
      if (piece < sends) {
        const StepIndex asked =
            unscheduled ? ScheduleBuilder::no_step : builder_.receive_ready(target);
        builder_.send(target, outgoing.segment(piece, sends), {asked});
      }
      if (piece < receives) lane.take(source, incoming.segment(piece, receives));
    }
  }

  const GeneratorInput& input_;
  const PiecePacing pacing_;
  const std::uint64_t positions_;
  const LaneGroup group_;
  ScheduleBuilder builder_;
  AskedLanes lanes_;
};

}  // namespace

Schedule generate_alltoallv_ordered(const GeneratorInput& input) {
  return UnequalExchange(input).run();
}

}  // namespace quadrille
