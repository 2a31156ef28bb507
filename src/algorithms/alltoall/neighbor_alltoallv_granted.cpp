// SPDX-License-Identifier: BSD-3-Clause
// Exchange with neighbours over the wire, as alltoallv_granted: all blocks are announced at once,
// the receivers say which hosts may send. A rank meets its neighbours in the order in which it
// would meet all ranks in an all-to-all, so that hosts which share neighbours do not turn to the
// same one.
//
//   4 x 4 torus, one rank a host, rank 5, whose neighbours are 1, 9, 4 and 6:
//     of the 15 rounds of an all-to-all it has something to do in four,
//     with 1, 4, 6 and 9, and each of them with it in the same round
//
// Steps:  a send and a receive for each block that is not empty, a copy for each to itself.
// Bytes:  the blocks' own; under way to one host: what its budget grants.
// Needs:  the wire; without it nothing paces the messages. No scratch.
// Loses:  where most blocks are far smaller than a packet.
// Source: as of alltoall_granted: Kutzner et al., Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703; Montazeri et al., SIGCOMM 2018, doi:10.1145/3230543.3230564
#include <algorithm>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/alltoall/partners_by_host.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_neighbor_alltoallv_granted(const Shape&) { return true; }

namespace {

// The blocks of one rank, in their order, for each rank.
class BlocksOfRanks {
 public:
  explicit BlocksOfRanks(std::span<const Rank> peers) : peers_(peers) {
    for (std::size_t i = 0; i < peers.size(); ++i) blocks_.push_back(static_cast<Rank>(i));
    std::ranges::stable_sort(blocks_, {}, [&](Rank block) { return peer_of(block); });
  }

  std::span<const Rank> of(Rank peer) const {
    const auto found =
        std::ranges::equal_range(blocks_, peer, {}, [&](Rank block) { return peer_of(block); });
    return {found.begin(), found.end()};
  }

 private:
  Rank peer_of(Rank block) const { return peers_[static_cast<std::size_t>(block)]; }

  std::span<const Rank> peers_;
  std::vector<Rank> blocks_;
};

}  // namespace

Schedule generate_neighbor_alltoallv_granted(const GeneratorInput& input) {
  ScheduleBuilder builder;
  if (input.view.has_wire) builder.use_wire();
  const BlocksOfRanks to(input.counts.targets);
  const BlocksOfRanks from(input.counts.sources);
  partners_by_host(input.view, input.rank).in_order([&](Rank source, Rank target) {
    for (const Rank block : from.of(source)) {
      const Region into = input.counts.receive.of(Buffer::receive, block);
      if (into.length > 0) builder.receive(source, into);
    }
    for (const Rank block : to.of(target)) {
      const Region region = input.counts.send.of(Buffer::send, block);
      if (region.length > 0) builder.send(target, region);
    }
  });
  const auto own_to = to.of(input.rank);
  const auto own_from = from.of(input.rank);
  for (std::size_t i = 0; i < std::min(own_to.size(), own_from.size()); ++i) {
    builder.copy(input.counts.send.of(Buffer::send, own_to[i]),
                 input.counts.receive.of(Buffer::receive, own_from[i]));
  }
  return builder.build();
}

}  // namespace quadrille
