// SPDX-License-Identifier: BSD-3-Clause
// Scan in ceil(log2 p) rounds, each of which doubles how far back a rank's sum reaches.
//
// In round k every rank sends its sum to the rank 2^k after it and puts what it gets from the rank
// 2^k before it to the left of its own. After round k the sum covers the last 2^(k+1) ranks up to
// this one, in rank order, or all of them.
//
//   5 ranks:             0    1    2     3      4
//     distance 1         0    01   12    23     34
//     distance 2         0    01   012   0123   1234
//     distance 4         0    01   012   0123   01234
//
// Steps:  ceil(log2 p) rounds.
// Bytes:  a rank sends and receives at most m ceil(log2 p).
// Needs:  scratch for m elements; no commuting operation.
// Loses:  at large m against scan_chain, which sends m once.
// Source: Hillis and Steele, Data parallel algorithms, Communications of the ACM 29 (1986),
//         doi:10.1145/7902.7903
#include "algorithms/algorithm.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_scan_recursive_doubling(const Shape&) { return true; }

Schedule generate_scan_recursive_doubling(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Rank rank = input.rank;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const Region sum{Buffer::receive, 0, shape.count};
  const Region own = contribution(shape, rank);
  if (own != sum) builder.copy(own, sum);
  const Region incoming = builder.scratch(rank > 0 ? shape.count : 0);
  for (Rank distance = 1; distance < shape.ranks; distance *= 2) {
    if (rank + distance < shape.ranks) builder.send(rank + distance, sum);
    if (rank < distance) continue;
    builder.receive(rank - distance, incoming);
    builder.reduce(incoming, sum);
  }
  return builder.build();
}

}  // namespace quadrille
