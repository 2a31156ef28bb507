// SPDX-License-Identifier: BSD-3-Clause
// Exclusive scan in ceil(log2 p) rounds, each of which doubles how far back a rank's sum reaches.
//
// As in scan_recursive_doubling, a rank sends its sum of the last ranks up to itself to the rank
// 2^k after it in round k. What it gets from the rank 2^k before it goes to the left of that sum,
// and to the left of its result, which is the same sum without its own contribution.
//
//   5 ranks, results:    0    1    2     3      4        (sums sent on are one rank longer)
//     distance 1              0    1     2      3
//     distance 2              0    01    12     23
//     distance 4              0    01    012    0123
//
// Steps:  ceil(log2 p) rounds, two combinations in each.
// Bytes:  a rank sends and receives at most m ceil(log2 p).
// Needs:  scratch for 2 m elements; no commuting operation.
// Loses:  at large m against exscan_chain, which sends m once.
// Source: Hillis and Steele, Data parallel algorithms, Communications of the ACM 29 (1986),
//         doi:10.1145/7902.7903
#include "algorithms/algorithm.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_exscan_recursive_doubling(const Shape&) { return true; }

Schedule generate_exscan_recursive_doubling(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Rank rank = input.rank;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Region result{Buffer::receive, 0, shape.count};
  Region sum = contribution(shape, rank);
  const bool sends_sums = rank > 0 && rank + 2 < shape.ranks;
  const Region own_sum = builder.scratch(sends_sums ? shape.count : 0);
  const Region later = builder.scratch(rank > 1 ? shape.count : 0);
  for (Rank distance = 1; distance < shape.ranks; distance *= 2) {
    if (rank + distance < shape.ranks) builder.send(rank + distance, sum);
    if (rank < distance) continue;
    const bool sends_again = rank + 2 * distance < shape.ranks;
    if (distance == 1 && sends_again) {
      builder.copy(sum, own_sum);
      sum = own_sum;
    }
    const Region incoming = distance == 1 ? result : later;
    builder.receive(rank - distance, incoming);
    if (sends_again) builder.reduce(incoming, sum);
    if (distance > 1) builder.reduce(incoming, result);
  }
  return builder.build();
}

}  // namespace quadrille
