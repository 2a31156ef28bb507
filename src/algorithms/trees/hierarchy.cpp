// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees/hierarchy.h"

#include <algorithm>

#include "algorithms/rank_arithmetic.h"

namespace quadrille {
namespace {

Rank place_in_list(std::uint64_t number, std::size_t size) {
  return static_cast<Rank>(number % size);
}

// On this rank's host. Where there are islands, the library serves these alone: on hosts messages
// are as fast or faster.
GroupPattern host_pattern_of(const GeneratorInput& input) {
  const GroupPattern asked = group_pattern_named(input.parameters.word("host"));
  if (asked != GroupPattern::library) return asked;
  const TopologyView& view = input.view;
  const std::uint32_t own = view.host_of_rank[static_cast<std::size_t>(input.rank)];
  const bool may = view.group_steps && (!view.has_islands() || view.is_island[own]);
  return may ? asked : GroupPattern::binomial;
}

}  // namespace

// Positions count in the order of service. Where the root hands over, it has position 0 and the
// leader position 1; else the leader has position 0. The others follow as on a ring.
struct Hierarchy::Service {
  const std::vector<std::uint32_t>& hosts;
  GroupPattern pattern;
  bool hands_over = false;
  Rank root_index = 0;  // where it hands over
  Rank first = 0;       // index of the leader; among the hosts after the root where it hands over

  Rank size() const { return static_cast<Rank>(hosts.size()); }
  Rank leader_position() const { return hands_over ? 1 : 0; }
  std::uint32_t at(Rank position) const {
    if (!hands_over) return hosts[static_cast<std::size_t>(ring_rank(position, first, size()))];
    if (position == 0) return hosts[static_cast<std::size_t>(root_index)];
    const Rank after_root = ring_rank(position - 1, first, size() - 1);
    return hosts[static_cast<std::size_t>(ring_rank(root_index, after_root + 1, size()))];
  }
  Rank position_of(Rank index) const {
    if (!hands_over) return ring_rank(index, -first, size());
    if (index == root_index) return 0;
    const Rank after_root = ring_rank(index, -root_index, size()) - 1;
    return 1 + ring_rank(after_root, -first, size() - 1);
  }
};

Hierarchy::Hierarchy(const GeneratorInput& input)
    : view_(input.view),
      self_(input.rank),
      between_(input.parameters.word("between")),
      host_pattern_(host_pattern_of(input)),
      first_leader_(static_cast<std::uint64_t>(input.parameters["leader"])),
      layout_(lay_out_segments(input.view, static_cast<std::uint64_t>(input.parameters["order"]))),
      hosts_(input.view.hosts()),
      hosts_in_(layout_.segments.size()) {
  for (Rank rank = 0; rank < static_cast<Rank>(view_.host_of_rank.size()); ++rank) {
    std::vector<Rank>& ranks = hosts_[view_.host_of_rank[static_cast<std::size_t>(rank)]].ranks;
    index_on_host_.push_back(static_cast<Rank>(ranks.size()));
    ranks.push_back(rank);
  }
  std::vector<Rank> number_of(1 +
                              *std::max_element(layout_.segments.begin(), layout_.segments.end()));
  for (std::size_t i = 0; i < layout_.segments.size(); ++i) {
    const std::uint32_t segment = layout_.segments[i];
    number_of[segment] = static_cast<Rank>(i);
    inside_.push_back(group_pattern_named(input.parameters.word("inside", segment)));
  }
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    hosts_[host].segment = number_of[view_.segment_of_host[host]];
    auto& list = hosts_in_[static_cast<std::size_t>(hosts_[host].segment)];
    hosts_[host].index = static_cast<Rank>(list.size());
    list.push_back(host);
  }
  measure_ways();
}

void Hierarchy::measure_ways() {
  const Rank own = segment_of(self_);
  first_hop_.assign(hosts_in_.size(), -1);
  distance_.assign(hosts_in_.size(), 0);
  std::vector<Rank> reached{own};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Rank here = reached[i];
    for (const Rank next : layout_.neighbours[static_cast<std::size_t>(here)]) {
      const auto at = static_cast<std::size_t>(next);
      if (next == own || first_hop_[at] >= 0) continue;
      first_hop_[at] = here == own ? next : first_hop_[static_cast<std::size_t>(here)];
      distance_[at] = distance_[static_cast<std::size_t>(here)] + 1;
      reached.push_back(next);
    }
  }
  const auto most =
      std::max_element(layout_.neighbours.begin(), layout_.neighbours.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  centre_ = static_cast<Rank>(most - layout_.neighbours.begin());
}

const Hierarchy::Host& Hierarchy::host_of(Rank rank) const {
  return hosts_[view_.host_of_rank[static_cast<std::size_t>(rank)]];
}

Rank Hierarchy::segment_of(Rank rank) const { return host_of(rank).segment; }

std::uint64_t Hierarchy::lane_of(Rank rank) const {
  const Host& host = host_of(rank);
  const auto on_host = static_cast<std::uint64_t>(index_on_host_[static_cast<std::size_t>(rank)]);
  return on_host * hosts_in(host.segment) + static_cast<std::uint64_t>(host.index);
}

Rank Hierarchy::leader(Rank segment, std::uint64_t lane) const {
  const auto& list = list_of(segment);
  const Host& host = hosts_[list[(lane + first_leader_) % list.size()]];
  return host.ranks[lane / list.size() % host.ranks.size()];
}

Hierarchy::Service Hierarchy::service(Rank segment, const TreeChoice& tree) const {
  const auto& list = list_of(segment);
  const Host& root_host = host_of(tree.root);
  const GroupPattern pattern = inside_[static_cast<std::size_t>(segment)];
  const std::uint64_t chosen = tree.lane + first_leader_;
  if (root_host.segment != segment) {
    return {.hosts = list, .pattern = pattern, .first = place_in_list(chosen, list.size())};
  }
  if (tree.role == RootRole::leads || list.size() == 1) {
    return {.hosts = list, .pattern = pattern, .first = root_host.index};
  }
  return {.hosts = list,
          .pattern = pattern,
          .hands_over = true,
          .root_index = root_host.index,
          .first = place_in_list(chosen, list.size() - 1)};
}

// The rank of `host` that hears from other hosts.
Rank Hierarchy::entry(const Host& host, const TreeChoice& tree) const {
  if (host.ranks.size() == 1) return host.ranks.front();
  if (&host == &host_of(tree.root)) return tree.root;
  return host.ranks[tree.lane / hosts_in(host.segment) % host.ranks.size()];
}

Rank Hierarchy::leading_rank(Rank segment, const TreeChoice& tree) const {
  const Service served = service(segment, tree);
  return entry(hosts_[served.at(served.leader_position())], tree);
}

PlaceInTree Hierarchy::place_between(Rank root_segment) const {
  const Rank own = segment_of(self_);
  if (between_ != "trunks") {
    return place_in_ring(group_pattern_named(between_), own, root_segment, segments());
  }
  PlaceInTree place{.children = layout_.neighbours[static_cast<std::size_t>(own)],
                    .depth = distance_[static_cast<std::size_t>(root_segment)]};
  if (own != root_segment) {
    place.parent = first_hop_[static_cast<std::size_t>(root_segment)];
    std::erase(place.children, place.parent);
  }
  return place;
}

PlaceInTree Hierarchy::place_inside(const Service& service, Rank position) const {
  if (!service.hands_over) return place_in_group(service.pattern, position, service.size());
  if (position == 0) return {.parent = -1, .children = {1}, .depth = 0};
  PlaceInTree place = place_in_group(service.pattern, position - 1, service.size() - 1);
  ++place.parent;
  for (Rank& child : place.children) ++child;
  return place;
}

// In indices of the host's ranks, and of a group in ranks.
PlaceInTree Hierarchy::place_on_host(const Host& host, Rank entry) const {
  const auto index_of = [&](Rank rank) { return index_on_host_[static_cast<std::size_t>(rank)]; };
  const auto ranks = static_cast<Rank>(host.ranks.size());
  if (host_pattern_ != GroupPattern::library || ranks == 1)
    return place_in_ring(host_pattern_, index_of(self_), index_of(entry), ranks);
  PlaceInTree place{.children = {}, .group_root = entry, .group = host.ranks};
  place.role = self_ == entry ? GroupRole::serves : GroupRole::is_served;
  place.depth = self_ == entry ? 0 : 1;
  return place;
}

PlaceInTree Hierarchy::place(const TreeChoice& tree) const {
  const Host& host = host_of(self_);
  const PlaceInTree on_host = place_on_host(host, entry(host, tree));
  const Service served = service(host.segment, tree);
  const Rank position = served.position_of(host.index);
  const PlaceInTree inside = place_inside(served, position);
  const PlaceInTree between = place_between(segment_of(tree.root));
  PlaceInTree result;
  result.depth = between.depth + inside.depth + on_host.depth;
  result.role = on_host.role;
  result.group_root = on_host.group_root;
  result.group = on_host.group;
  if (on_host.role == GroupRole::is_served) return result;
  const auto rank_on_host = [&](Rank index) { return host.ranks[static_cast<std::size_t>(index)]; };
  const auto entry_at = [&](Rank at) { return entry(hosts_[served.at(at)], tree); };
  if (on_host.parent >= 0) {
    result.parent = rank_on_host(on_host.parent);
  } else {
    if (position == served.leader_position()) {
      for (const Rank segment : between.children) {
        result.children.push_back(leading_rank(segment, tree));
      }
    }
    for (const Rank child : inside.children) result.children.push_back(entry_at(child));
    if (inside.parent >= 0) {
      result.parent = entry_at(inside.parent);
    } else if (between.parent >= 0) {
      result.parent = leading_rank(between.parent, tree);
    }
  }
  for (const Rank child : on_host.children) result.children.push_back(rank_on_host(child));
  return result;
}

std::vector<TreeEdge> Hierarchy::edges_between(Rank root_segment) const {
  std::vector<TreeEdge> found;
  if (between_ != "trunks") {
    for (const TreeEdge& edge : edges_in_group(group_pattern_named(between_), segments())) {
      found.push_back({ring_rank(edge.parent, root_segment, segments()),
                       ring_rank(edge.child, root_segment, segments())});
    }
    return found;
  }
  const auto leave = [&](Rank here, Rank from) {
    for (const Rank next : layout_.neighbours[static_cast<std::size_t>(here)]) {
      if (next != from) found.push_back({here, next});
    }
  };
  leave(root_segment, -1);
  for (std::size_t i = 0; i < found.size(); ++i) leave(found[i].child, found[i].parent);
  return found;
}

std::vector<TreeEdge> Hierarchy::edges(const TreeChoice& tree) const {
  const Rank root_segment = segment_of(tree.root);
  std::vector<TreeEdge> found;
  found.reserve(view_.host_of_rank.size());
  if (service(root_segment, tree).hands_over) {
    found.push_back({tree.root, leading_rank(root_segment, tree)});
  }
  for (const TreeEdge& edge : edges_between(root_segment)) {
    found.push_back({leading_rank(edge.parent, tree), leading_rank(edge.child, tree)});
  }
  for (Rank segment = 0; segment < segments(); ++segment) {
    const Service served = service(segment, tree);
    const Rank first = served.leader_position();
    const auto entry_at = [&](Rank at) { return entry(hosts_[served.at(first + at)], tree); };
    for (const TreeEdge& edge : edges_in_group(served.pattern, served.size() - first)) {
      found.push_back({entry_at(edge.parent), entry_at(edge.child)});
    }
  }
  for (const Host& host : hosts_) {
    const auto ranks = static_cast<Rank>(host.ranks.size());
    if (ranks == 1) continue;
    const Rank first = index_on_host_[static_cast<std::size_t>(entry(host, tree))];
    const auto rank_at = [&](Rank place) {
      return host.ranks[static_cast<std::size_t>(ring_rank(place, first, ranks))];
    };
    for (const TreeEdge& edge : edges_in_group(host_pattern_, ranks)) {
      found.push_back({rank_at(edge.parent), rank_at(edge.child)});
    }
  }
  return found;
}

}  // namespace quadrille
