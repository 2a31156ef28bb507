// SPDX-License-Identifier: BSD-3-Clause
// Allreduce around a ring: first each block is summed on its way once around, then the sums go
// around once more.
//
// The vector is cut into p blocks. Block b sets out from rank b + 1; each rank puts its own
// contribution to the left of what arrives and passes the sum on, until rank b completes it. Then
// every complete block goes around the ring. Each block is summed in one place, so all ranks hold
// the same bits.
//
//   5 ranks, block 0:   1 -> 2 -> 3 -> 4 -> 0        sums: 1, 2 1, 3 2 1, 4 3 2 1, 0 4 3 2 1
//                       0 -> 1 -> 2 -> 3 -> 4        the complete block
//   The other blocks do the same, each one rank further on: every port is busy in every round.
//
// Steps:  2 (p - 1) rounds.
// Bytes:  every rank sends and receives 2 m (p - 1) / p, the least possible.
// Needs:  a commuting operation; in place scratch for two blocks, else none. Blocks of a vector
//         with fewer elements than ranks may be empty: they are not sent.
// Loses:  at small m, for its 2 (p - 1) rounds.
// Source: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of
//         workstations, Journal of Parallel and Distributed Computing 69 (2009),
//         doi:10.1016/j.jpdc.2008.09.002
#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "algorithms/trees/slot_ring.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allreduce_ring(const Shape& shape) { return shape.commutative; }

Schedule generate_allreduce_ring(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Rank ranks = shape.ranks;
  ScheduleBuilder builder;
  const Region own = contribution(shape, input.rank);
  const Region target{Buffer::receive, 0, shape.count};
  if (ranks == 1 || shape.count == 0) {
    if (own != target) builder.copy(own, target);
    return builder.build();
  }
  const auto block = [&](const Region& whole, Rank index) {
    return whole.part(static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(ranks));
  };
  const Rank next = ring_rank(input.rank, 1, ranks);
  const Rank previous = ring_rank(input.rank, -1, ranks);
  SlotRing slots(builder, own == target ? 2 : 0, block(target, 0).length);
  Region outgoing = block(own, previous);
  for (Rank round = 0; round + 1 < ranks; ++round) {
    const Rank incoming = ring_rank(previous, -round - 1, ranks);
    if (outgoing.length > 0) builder.send(next, outgoing);
    // Summing into the contribution itself would put it to the right, and in-place calls would have
    // other bits.
    Region sum = block(target, incoming);
    if (own == target) sum = slots.next(sum.length);
    if (sum.length > 0) builder.receive(previous, sum);
    builder.reduce(block(own, incoming), sum);
    outgoing = sum;
  }
  if (own == target) builder.copy(outgoing, block(target, input.rank));
  for (Rank round = 0; round + 1 < ranks; ++round) {
    const Region incoming = block(target, ring_rank(previous, -round, ranks));
    if (outgoing.length > 0) builder.send(next, outgoing);
    if (incoming.length > 0) builder.receive(previous, incoming);
    outgoing = incoming;
  }
  return builder.build();
}

}  // namespace quadrille
