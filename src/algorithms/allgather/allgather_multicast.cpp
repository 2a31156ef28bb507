// SPDX-License-Identifier: BSD-3-Clause
// Allgather by multicast: one rank of each host collects its host's blocks and sends them once to
// all other hosts, where one rank passes them on. The receivers grant what each may send, to the
// first hosts first, so that ports are not flooded.
//
//   3 hosts of two ranks:   1 -> 0, 3 -> 2, 5 -> 4     0 => 2, 4    2 => 0, 4    4 => 0, 2
//                           0 -> 1, 2 -> 3, 4 -> 5 all blocks
//
// host     over a host's ranks: binomial, chain or star
//
// Steps:  one sending for each host and run of its ranks, and the depth inside a host.
// Bytes:  every link, bus and trunk carries each block once.
// Needs:  multicast that was seen to reach all hosts; else as bcast_multicast. No scratch.
// Loses:  on switches where blocks are large: allgather_ring moves them as fast.
// Source: as of bcast_multicast; J. W. Atwood, A classification of reliable multicast protocols,
//         IEEE Network 18 (2004), doi:10.1109/MNET.2004.1301019
#include "algorithms/algorithm.h"
#include "algorithms/allgather/blocks_by_multicast.h"
#include "algorithms/rank_arithmetic.h"

namespace quadrille {

bool supports_allgather_multicast(const Shape&) { return true; }

Schedule generate_allgather_multicast(const GeneratorInput& input) {
  const std::uint64_t count = input.shape.count;
  if (count == 0) return {};
  return blocks_by_multicast(
      input, {[&](Rank rank) { return block_of(Buffer::receive, rank, count); }, true});
}

}  // namespace quadrille
