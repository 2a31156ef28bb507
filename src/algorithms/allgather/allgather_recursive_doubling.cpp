// SPDX-License-Identifier: BSD-3-Clause
// Allgather by swapping all one has with a rank twice as far away in every round.
//
// In round k each rank exchanges what it has with the rank whose number differs in bit k; both
// then have an aligned run of 2^(k+1) blocks. It needs a power of two of ranks.
//
//   4 ranks (5 are not supported), blocks a-d:
//     round 0:   0<->1 2<->3    ab ab cd cd
//     round 1:   0<->2 1<->3    abcd everywhere
//
// Steps:  log2 p exchanges, of one message each way.
// Bytes:  every rank sends and receives (p - 1) m, the least possible.
// Needs:  a power of two of ranks; no scratch.
// Loses:  at large m against allgather_ring where far partners share trunks.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
//         MPICH, International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include "algorithms/algorithm.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allgather_recursive_doubling(const Shape& shape) {
  return shape.ranks == power_of_two_within(shape.ranks);
}

Schedule generate_allgather_recursive_doubling(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  copy_own_block(builder, input);
  const Region all{Buffer::receive, 0, blocks_length(shape.ranks, shape)};
  for (Rank bit = 1; bit < shape.ranks; bit *= 2) {
    const Rank partner = input.rank ^ bit;
    const auto run_of = [&](Rank rank) { return blocks_in(all, rank & ~(bit - 1), bit, shape); };
    builder.send(partner, run_of(input.rank));
    builder.receive(partner, run_of(partner));
  }
  return builder.build();
}

}  // namespace quadrille
