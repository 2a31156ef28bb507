// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/multicast_group.h"

#include <algorithm>

#include "algorithms/along_tree.h"

namespace quadrille {
namespace {

// The place of `rank` among `ranks`, which `first` serves.
PlaceInTree place_among(std::vector<Rank> ranks, Rank first, Rank rank, GroupPattern pattern) {
  std::ranges::rotate(ranks, std::ranges::find(ranks, first));
  const auto position = static_cast<Rank>(std::ranges::find(ranks, rank) - ranks.begin());
  PlaceInTree place = place_in_group(pattern, position, static_cast<Rank>(ranks.size()));
  const auto named = [&](Rank at) { return ranks[static_cast<std::size_t>(at)]; };
  if (place.parent >= 0) place.parent = named(place.parent);
  for (Rank& child : place.children) child = named(child);
  return place;
}

}  // namespace

MulticastGroup::MulticastGroup(const GeneratorInput& input, Rank member) : input_(input) {
  const auto ranks_by_host = input.view.ranks_by_host();
  const auto host_of = [&](Rank rank) {
    return input.view.host_of_rank[static_cast<std::size_t>(rank)];
  };
  const auto member_of = [&](std::uint32_t host) {
    return host == host_of(member) ? member : ranks_by_host[host].front();
  };
  for (std::uint32_t host = 0; host < ranks_by_host.size(); ++host)
    members_.push_back(member_of(host));
  std::ranges::sort(members_);
  const std::uint32_t own = host_of(input.rank);
  own_member_ = member_of(own);
  on_host_ = place_among(ranks_by_host[own], own_member_, input.rank,
                         group_pattern_named(input.parameters.word("host")));
}

void MulticastGroup::bcast(ScheduleBuilder& builder, const Region& data, Rank from) const {
  // Also where this rank is no member: messages between hosts go one way everywhere.
  if (input_.view.has_multicast) builder.use_wire();
  if (members_.size() > 1 && own_member_ == input_.rank) {
    if (input_.view.has_multicast || input_.view.group_steps) {
      builder.group_bcast(members_, from, input_.rank == from, data);
    } else {
      pass_down(builder, place_among(members_, from, input_.rank, GroupPattern::binomial), data);
    }
  }
  pass_down(builder, on_host_, data);
}

void MulticastGroup::release_other_hosts(ScheduleBuilder& builder, Rank from,
                                         const std::vector<StepIndex>& arrivals) const {
  builder.use_wire();
  const bool is_member = own_member_ == input_.rank;
  StepIndex released = ScheduleBuilder::no_step;
  if (is_member) released = builder.group_ready(members_, from, arrivals);
  if (own_member_ == from) return;
  if (!is_member) released = builder.receive_ready(on_host_.parent);
  for (const Rank child : on_host_.children) builder.send_ready(child, {released});
}

}  // namespace quadrille
