// SPDX-License-Identifier: BSD-3-Clause
// All-to-all in ring order in which the receiver says who may send, so that a small switch buffer
// never overflows.
//
// A receiver takes its p - 1 blocks in ring order, each cut into messages of at most
// `piece_bytes`. It deals the senders out over `partners` lanes; in each lane at most `window`
// messages are under way, the first of them unscheduled, every later one after a message without
// data by which the receiver asks for it as soon as the message `window` places before it in that
// lane is complete. While one message is being received the requests for others travel, so that the
// port does not run dry; several lanes go on where one partner is late. By default 24 KiB are
// under way to a rank, which suits buffers of 32 KiB.
//
//   5 ranks, receiver 0, partners=1, window=2, blocks in two pieces (a, b); time goes right:
//     from 4   a b            unscheduled
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
//         border of two calls the next one's unscheduled messages may meet the rest of this one.
// Loses:  on networks that queue without loss (deep buffers, flow control) it wins nothing over
//         alltoall_pairwise, and at pieces far below the round trip times the rate the port runs
//         dry between requests.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703
#include "algorithms/algorithm.h"
#include "algorithms/alltoall/ordered_exchange.h"
#include "algorithms/rank_arithmetic.h"

namespace quadrille {

bool supports_alltoall_ordered(const Shape&) { return true; }

Schedule generate_alltoall_ordered(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  OrderedExchange exchange;
  exchange.groups = {LaneGroup::of(input.parameters, "partners", "window")};
  exchange.piece_bytes = input.parameters["piece_bytes"];
  for (Rank distance = 1; distance < shape.ranks; ++distance) {
    const auto position = static_cast<std::uint64_t>(distance - 1);
    exchange.sources.push_back({position, 0, ring_rank(input.rank, -distance, shape.ranks)});
    exchange.targets.push_back({position, 0, ring_rank(input.rank, distance, shape.ranks)});
  }
  return exchange_in_order(exchange, shape, input.rank);
}

}  // namespace quadrille
