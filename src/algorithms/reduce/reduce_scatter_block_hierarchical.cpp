// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter on each host, between hosts, and on each host again.
//
// The first rank of each host sums the vectors of all ranks on it. In round k these leaders send
// the blocks of the host k places further on there and get their own host's from k places before,
// as in reduce_scatter_block_pairwise; then each gives the ranks on its host their blocks. So hosts
// exchange sums instead of what each of their ranks has.
//
//   5 ranks on hosts 0 2 4 / 1 3, blocks a-e:   2, 4 -> 0: a b c d e      3 -> 1: a b c d e
//                                               0 -> 1: b d               1 -> 0: a c e
//                                               0 -> 2: c, 0 -> 4: e      1 -> 3: d
//
// Steps:  with h hosts of r ranks r - 1 receipts, h - 1 rounds between hosts and r - 1 sends.
// Bytes:  a host sends and receives (p - r) m, the least possible; a leader p m more from each rank
//         on its host.
// Needs:  a commuting operation; scratch at a leader for 2 p m where it has others to sum with, for
//         3 r m, and for the blocks of hosts whose ranks do not follow one another.
// Loses:  with one rank a host against reduce_scatter_block_pairwise, which paces its rounds.
// Source: Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, Exploiting hierarchy in parallel
//         computer networks to optimize collective operation performance, 14th International
//         Parallel and Distributed Processing Symposium (2000); the rounds between hosts: Thakur,
//         Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
//         International Journal of High Performance Computing Applications 19 (2005),
//         doi:10.1177/1094342005051521
#include <array>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/allgather/block_runs.h"
#include "algorithms/trees/along_tree.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_reduce_scatter_block_hierarchical(const Shape& shape) { return shape.commutative; }

namespace {

using RanksByHost = std::vector<std::vector<Rank>>;

// The leader's own host's blocks of the sum over all hosts, summed in `into` if there are others.
Region exchanged(ScheduleBuilder& builder, const RanksByHost& hosts, std::size_t self,
                 const Region& vector, const Region& into) {
  const std::size_t number = hosts.size();
  const std::uint64_t count = into.length / hosts[self].size();
  const Region own = packed_blocks(builder, vector, hosts[self], count);
  if (number == 1) return own;
  const std::array<Region, 2> slots{builder.scratch(number > 2 ? into.length : 0),
                                    builder.scratch(number > 3 ? into.length : 0)};
  for (std::size_t round = 1; round < number; ++round) {
    const std::vector<Rank>& target = hosts[(self + round) % number];
    const std::vector<Rank>& source = hosts[(self + number - round) % number];
    const Region incoming = round == 1 ? into : slots[round % 2];
    builder.send(target.front(), packed_blocks(builder, vector, target, count));
    builder.receive(source.front(), incoming);
    builder.reduce(round == 1 ? own : incoming, into);
  }
  return into;
}

}  // namespace

Schedule generate_reduce_scatter_block_hierarchical(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  const RanksByHost hosts = input.view.ranks_by_host();
  const std::size_t self = input.view.host_of_rank[static_cast<std::size_t>(input.rank)];
  const std::vector<Rank>& members = hosts[self];
  const Region vector = contribution(shape, input.rank);
  const Region target{Buffer::receive, 0, shape.count};
  if (input.rank != members.front()) {
    builder.send(members.front(), vector);
    builder.receive(members.front(), target);
    return builder.build();
  }
  const PlaceInTree place{
      .parent = -1, .children = {members.begin() + 1, members.end()}, .depth = 0};
  const Region sum = CombineUp(builder, place, {vector, Region{}}, 1).combine(0);
  const bool can_sum_in_target = members.size() == 1 && vector.buffer != Buffer::receive;
  const bool has_others = hosts.size() > 1;
  const Region space = can_sum_in_target || !has_others
                           ? Region{Buffer::receive, 0, members.size() * shape.count}
                           : builder.scratch(members.size() * shape.count);
  const Region blocks = exchanged(builder, hosts, self, sum, space);
  for (std::size_t member = 1; member < members.size(); ++member) {
    builder.send(members[member],
                 {blocks.buffer, blocks.offset + member * shape.count, shape.count});
  }
  const Region own{blocks.buffer, blocks.offset, shape.count};
  if (own != target) builder.copy(own, target);
  return builder.build();
}

}  // namespace quadrille
