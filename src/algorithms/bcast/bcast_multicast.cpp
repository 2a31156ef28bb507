// SPDX-License-Identifier: BSD-3-Clause
// Broadcast by multicast: the root sends the message once, the switches copy it to all hosts, and
// one rank of each passes it on inside its host. What a host has missed it is sent again, alone, or
// with others that have missed it too.
//
//   4 hosts of two ranks, root 0:   0 => 2, 4, 6 (one sending)   0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
//
// Where routers stop it between segments, each segment has its own: of those that hear the root
// another one sends the message on to a host of the next segment, which sends it to all there.
//
// segment  bytes of a piece, 0: the whole message; one piece goes on inside a host while the next
//          comes
// host     over a host's ranks: binomial, chain or star
//
// Steps:  one sending for each piece, whatever the number of hosts, and the depth inside a host.
// Bytes:  every link, bus and trunk carries m once.
// Needs:  multicast that was seen to reach all hosts, or all of a segment that a model knows, the
//         others then by messages; without it, the group is left to the MPI
//         library, or a binomial tree is taken. No scratch.
// Loses:  where few hosts are near and the message is small: each answers the root.
// Source: Collective Communication Optimization in Beowulf Clusters, the page of MPIM (NASA Applied
//         Information Systems Research program); J. W. Atwood, A classification of reliable
//         multicast protocols, IEEE Network 18 (2004), doi:10.1109/MNET.2004.1301019
#include "algorithms/algorithm.h"
#include "algorithms/segments.h"
#include "algorithms/trees/multicast_group.h"

namespace quadrille {

bool supports_bcast_multicast(const Shape&) { return true; }

Schedule generate_bcast_multicast(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  const MulticastGroup group(input, shape.root);
  const Region data{Buffer::receive, 0, shape.count};
  const std::int64_t segment_bytes = input.parameters["segment"];
  const std::uint64_t pieces = segment_bytes == 0 ? 1 : segment_count(shape, segment_bytes);
  for (std::uint64_t piece = 0; piece < pieces; ++piece)
    group.bcast(builder, data.segment(piece, pieces), shape.root);
  return builder.build();
}

}  // namespace quadrille
