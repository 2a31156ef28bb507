// SPDX-License-Identifier: BSD-3-Clause
// All-to-all in ring order in which the receiver says who may send, so that a small switch buffer
// never overflows.
//
// A receiver takes its p - 1 blocks in ring order, each cut into messages of at most
// `piece_bytes`. It deals the senders out over `partners` lanes; in each lane at most `window`
// messages are under way, the first of them unasked, every later one after a message without data
// by which the receiver asks for it as soon as the message `window` places before it in that lane
// is complete. While one message is being received the requests for others travel, so that the
// port does not run dry; several lanes go on where one partner is late. By default 24 KiB are
// under way to a rank, which suits buffers of 32 KiB.
//
//   5 ranks, receiver 0, partners=1, window=2, blocks in two pieces (a, b); time goes right:
//     from 4   a b            unasked
//     from 3       a b        3a is asked for when 4a is in, 3b when 4b is in
//     from 2           a b    2a when 3a is in, ...
//     from 1               a b
//   Receiver 1 meanwhile takes from 0, 4, 3, 2: at each moment every sender has another receiver.
//
// Steps:  (p - 1) P messages of data with P = ceil(m / piece_bytes), about as many requests, one
//         copy.
// Bytes:  each rank sends and receives (p - 1) m; under way to one rank: at most partners * window
//         * piece_bytes.
// Needs:  nothing, no scratch. Promises: most_incoming = partners * window messages with data to a
//         rank, checked. Ranks that share a host share its port: their budgets add up. At the
//         border of two calls the next one's unasked messages may meet the rest of this one.
// Loses:  on networks that queue without loss (deep buffers, flow control) it wins nothing over
//         alltoall_pairwise, and at pieces far below the round trip times the rate the port runs
//         dry between requests.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703
#include <algorithm>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

namespace {

// The messages that a receiver takes, and equally those that a sender gives, numbered by the ring
// position of the partner (0 is the first) and the piece.
struct Plan {
  std::uint64_t positions = 0;
  std::uint64_t pieces = 1;
  std::uint64_t partners = 1;
  std::uint64_t window = 1;

  // The message's place in its lane.
  std::uint64_t place(std::uint64_t position, std::uint64_t piece) const {
    return position / partners * pieces + piece;
  }
  bool is_unasked(std::uint64_t position, std::uint64_t piece) const {
    return place(position, piece) < window;
  }
  // The message `window` places before in the same lane, as an index into all messages in order of
  // position and piece. REQUIRES: !is_unasked(position, piece)
  std::uint64_t awaited(std::uint64_t position, std::uint64_t piece) const {
    const std::uint64_t before = place(position, piece) - window;
    const std::uint64_t before_position = before / pieces * partners + position % partners;
    return before_position * pieces + before % pieces;
  }
  // Each lane's window, or all its messages where they are fewer.
  std::uint32_t most_incoming() const {
    std::uint64_t sum = 0;
    for (std::uint64_t lane = 0; lane < std::min(partners, positions); ++lane) {
      const std::uint64_t blocks = (positions - lane + partners - 1) / partners;
      sum += std::min(window, blocks * pieces);
    }
    return static_cast<std::uint32_t>(sum);
  }
};

Plan plan_of(const Shape& shape, const Parameters& parameters) {
  const auto at_least_one = [&](const char* name) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, parameters[name]));
  };
  const std::uint64_t piece =
      std::max<std::uint64_t>(1, at_least_one("piece_bytes") / shape.element_bytes);
  return {.positions = static_cast<std::uint64_t>(shape.ranks - 1),
          .pieces = (shape.count + piece - 1) / piece,
          .partners = at_least_one("partners"),
          .window = at_least_one("window")};
}

}  // namespace

bool supports_alltoall_ordered(const Shape&) { return true; }

Schedule generate_alltoall_ordered(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Plan plan = plan_of(shape, input.parameters);
  builder.promise_most_incoming(plan.most_incoming());
  std::vector<StepIndex> received;
  received.reserve(plan.positions * plan.pieces);
  // Both ends list the messages of a pair by position, piece, request before data: so they match in
  // order.
  for (std::uint64_t position = 0; position < plan.positions; ++position) {
    const auto distance = static_cast<Rank>(position + 1);
    const Rank target = ring_rank(input.rank, distance, shape.ranks);
    const Rank source = ring_rank(input.rank, -distance, shape.ranks);
    const Region outgoing = block_of(Buffer::send, target, shape.count);
    const Region incoming = block_of(Buffer::receive, source, shape.count);
    for (std::uint64_t piece = 0; piece < plan.pieces; ++piece) {
      StepIndex asked = ScheduleBuilder::no_step;
      if (!plan.is_unasked(position, piece)) {
        builder.send_ready(source, {received[plan.awaited(position, piece)]});
        asked = builder.receive_ready(target);
      }
      builder.send(target, outgoing.part(piece, plan.pieces), {asked});
      received.push_back(builder.receive(source, incoming.part(piece, plan.pieces)));
    }
  }
  builder.copy(block_of(Buffer::send, input.rank, shape.count),
               block_of(Buffer::receive, input.rank, shape.count));
  return builder.build();
}

}  // namespace quadrille
