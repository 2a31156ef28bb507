// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/multicast_group.h"

#include <algorithm>
#include <utility>

#include "algorithms/trees/along_tree.h"

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
  divide();
}

// Into one part, or by segments.
void MulticastGroup::divide() {
  const TopologyView& view = input_.view;
  if (view.has_multicast || !view.has_some_multicast()) {
    parts_.push_back({members_, view.has_multicast});
    return;
  }
  layout_ = lay_out_segments(view, 0);
  for (const std::uint32_t segment : layout_.segments)
    parts_.push_back({{}, view.has_multicast_in(segment)});
  for (const Rank member : members_) {
    const std::uint32_t host = view.host_of_rank[static_cast<std::size_t>(member)];
    const auto place = std::ranges::find(layout_.segments, view.segment_of_host[host]);
    parts_[static_cast<std::size_t>(place - layout_.segments.begin())].members.push_back(member);
  }
}

std::size_t MulticastGroup::part_of(Rank member) const {
  const auto found = std::ranges::find_if(
      parts_, [&](const Part& part) { return std::ranges::binary_search(part.members, member); });
  return static_cast<std::size_t>(found - parts_.begin());
}

// Who brings to its part what member `from` sends.
Rank MulticastGroup::head(std::size_t part, Rank from) const {
  const std::vector<Rank>& members = parts_[part].members;
  return std::ranges::binary_search(members, from) ? from : members.front();
}

// Who sends it on from `part` to the `nth` of those behind it. Where all have it at once, not its
// head, whose port is busy with sending it to them.
Rank MulticastGroup::relay(std::size_t part, Rank from, std::size_t nth) const {
  const Rank first = head(part, from);
  if (!parts_[part].at_once) return first;
  const std::vector<Rank>& members = parts_[part].members;
  const auto place = std::ranges::lower_bound(members, first) - members.begin();
  return members[(static_cast<std::size_t>(place) + 1 + nth) % members.size()];
}

// Of this rank, which is a member: its place among heads and relays.
PlaceInTree MulticastGroup::place_between_parts(Rank from) const {
  PlaceInTree place;
  if (parts_.size() == 1) return place;
  const std::size_t own = part_of(input_.rank);
  const std::size_t first = part_of(from);
  // Along the tree of the segments, away from the part of `from`.
  struct Visit {
    std::size_t part;
    std::size_t from;
  };
  std::vector<Visit> visits{{first, first}};
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const Visit at = visits[i];
    std::size_t nth = 0;
    for (const Rank neighbour : layout_.neighbours[at.part]) {
      const auto next = static_cast<std::size_t>(neighbour);
      if (next == at.from) continue;
      const Rank sender = relay(at.part, from, nth++);
      if (at.part == own && sender == input_.rank) place.children.push_back(head(next, from));
      if (next == own && head(own, from) == input_.rank) place.parent = sender;
      visits.push_back({next, at.part});
    }
  }
  return place;
}

void MulticastGroup::bcast_inside(ScheduleBuilder& builder, const Region& data, Rank from) const {
  const std::size_t own = part_of(input_.rank);
  const Part& part = parts_[own];
  if (part.members.size() < 2) return;
  const Rank first = head(own, from);
  const bool by_library = !input_.view.has_some_multicast() && input_.view.group_steps;
  if (part.at_once || by_library) {
    builder.group_bcast(part.members, first, input_.rank == first, data);
  } else {
    pass_down(builder, place_among(part.members, first, input_.rank, GroupPattern::binomial), data);
  }
}

void MulticastGroup::bcast(ScheduleBuilder& builder, const Region& data, Rank from) const {
  // Also where this rank is no member: messages between hosts go one way everywhere.
  if (input_.view.has_some_multicast()) builder.use_wire();
  if (own_member_ == input_.rank) {
    PlaceInTree between = place_between_parts(from);
    const std::vector<Rank> behind = std::exchange(between.children, {});
    pass_down(builder, between, data);
    const bool far_first = !parts_[part_of(input_.rank)].at_once;
    const auto send_on = [&] { pass_down(builder, {.parent = -1, .children = behind}, data); };
    if (far_first) send_on();
    bcast_inside(builder, data, from);
    if (!far_first) send_on();
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
