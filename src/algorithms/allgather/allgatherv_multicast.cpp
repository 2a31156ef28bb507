// SPDX-License-Identifier: BSD-3-Clause
// Allgather of unequal blocks by multicast: as allgather_multicast, a host without data sends
// nothing.
//
//   3 hosts of two ranks, rank 3 has nothing:
//     1 -> 0, 5 -> 4
//     0 => 2, 4    2 => 0, 4    4 => 0, 2
//     0 -> 1, 2 -> 3, 4 -> 5    all blocks
//
// host     over a host's ranks: binomial, chain or star
//
// Steps:  one sending for each rank, and the depth inside a host.
// Bytes:  every link, bus and trunk carries each block once.
// Needs:  multicast that was seen to reach all hosts; else as bcast_multicast. No scratch.
// Loses:  on switches where blocks are large and alike: allgatherv_ring moves them as fast.
// Source: as of bcast_multicast; J. W. Atwood, A classification of reliable multicast protocols,
//         IEEE Network 18 (2004), doi:10.1109/MNET.2004.1301019
#include "algorithms/algorithm.h"
#include "algorithms/allgather/blocks_by_multicast.h"

namespace quadrille {

bool supports_allgatherv_multicast(const Shape&) { return true; }

Schedule generate_allgatherv_multicast(const GeneratorInput& input) {
  // Where blocks lie is each rank's own affair.
  return blocks_by_multicast(
      input, {[&](Rank rank) { return input.counts.receive.of(Buffer::receive, rank); }, false});
}

}  // namespace quadrille
