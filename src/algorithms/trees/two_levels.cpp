// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/two_levels.h"

#include <cstdint>
#include <utility>

namespace quadrille {

bool fits_host_memory(const Shape& shape) {
  return shape.commutative && shape.is_builtin && message_size(shape).value <= most_in_host_memory;
}

TwoLevels::TwoLevels(const GeneratorInput& input, Rank root)
    : view_(input.view),
      self_(input.rank),
      own_host_(host_of(self_)),
      leaders_(input.view.hosts(), -1) {
  for (Rank rank = 0; rank < static_cast<Rank>(input.view.host_of_rank.size()); ++rank) {
    const std::uint32_t host = input.view.host_of_rank[static_cast<std::size_t>(rank)];
    if (leaders_[host] < 0 || rank == root) leaders_[host] = rank;
    if (static_cast<Rank>(host) == own_host_) group_.push_back(rank);
  }
  if (group_.size() == 1) group_.clear();
}

Rank TwoLevels::host_of(Rank rank) const {
  return static_cast<Rank>(view_.host_of_rank[static_cast<std::size_t>(rank)]);
}

PlaceInTree TwoLevels::place_on_host() const {
  PlaceInTree place;
  if (group_.empty()) return place;
  place.role = leads() ? GroupRole::serves : GroupRole::is_served;
  place.group_root = own_leader();
  place.group = group_;
  return place;
}

PlaceInTree TwoLevels::place(Rank root_host) const {
  PlaceInTree place = place_on_host();
  if (!leads()) return place;
  const PlaceInTree among = place_in_ring(GroupPattern::binomial, own_host_, root_host, hosts());
  if (among.parent >= 0) place.parent = leader(among.parent);
  for (const Rank child : among.children) place.children.push_back(leader(child));
  return place;
}

}  // namespace quadrille
