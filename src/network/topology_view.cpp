// SPDX-License-Identifier: BSD-3-Clause
#include "network/topology_view.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace quadrille {
namespace {

// The view of a communicator whose ranks are on these hosts of `view`; those with the same
// `piece_of(host)` are one.
template <typename PieceOf>
TopologyView with_ranks_on(const TopologyView& view, std::span<const std::uint32_t> hosts_of_ranks,
                           const PieceOf& piece_of) {
  TopologyView made{.host_of_rank = {},
                    .segment_of_host = {},
                    .is_island = {},
                    .kind_of_segment = view.kind_of_segment,
                    .trunks = view.trunks,
                    .group_steps = view.group_steps,
                    .has_wire = view.has_wire,
                    .has_host_memory = view.has_host_memory,
                    .has_multicast = view.has_multicast,
                    .multicast_in_segment = view.multicast_in_segment};
  std::map<std::uint32_t, std::uint32_t> number_of;
  for (const std::uint32_t host : hosts_of_ranks) {
    const auto next = static_cast<std::uint32_t>(number_of.size());
    const auto [entry, unseen] = number_of.try_emplace(piece_of(host), next);
    if (unseen) {
      made.segment_of_host.push_back(view.segment_of_host[host]);
      if (!view.is_island.empty()) made.is_island.push_back(view.is_island[host]);
    }
    made.host_of_rank.push_back(entry->second);
  }
  return made;
}

}  // namespace

bool TopologyView::is_flat() const {
  return hosts() == host_of_rank.size() &&
         std::all_of(segment_of_host.begin(), segment_of_host.end(),
                     [&](std::uint32_t segment) { return segment == segment_of_host.front(); });
}

std::vector<std::vector<Rank>> TopologyView::ranks_by_host() const {
  std::vector<std::vector<Rank>> ranks(hosts());
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank)
    ranks[host_of_rank[rank]].push_back(static_cast<Rank>(rank));
  return ranks;
}

TopologyView TopologyView::restricted_to(std::span<const Rank> ranks) const {
  std::vector<std::uint32_t> hosts_of_ranks;
  for (const Rank rank : ranks)
    hosts_of_ranks.push_back(host_of_rank[static_cast<std::size_t>(rank)]);
  return with_ranks_on(*this, hosts_of_ranks, [](std::uint32_t host) { return host; });
}

TopologyView TopologyView::flat(Rank ranks) {
  TopologyView view;
  view.host_of_rank.resize(static_cast<std::size_t>(ranks));
  std::iota(view.host_of_rank.begin(), view.host_of_rank.end(), 0U);
  view.segment_of_host.assign(static_cast<std::size_t>(ranks), 0U);
  return view;
}

Result<TopologyView> view_of(const NetworkModel& model, const std::vector<std::string>& hosts,
                             std::vector<std::uint32_t> host_of_rank) {
  auto segments = segments_of(model, hosts);
  if (!segments.ok()) return segments.error();
  TopologyView view{.host_of_rank = std::move(host_of_rank),
                    .segment_of_host = std::move(segments.value())};
  std::map<std::string_view, std::uint32_t> place_named;
  for (const Segment& segment : model.segments) {
    place_named.emplace(segment.name, static_cast<std::uint32_t>(place_named.size()));
    view.kind_of_segment.push_back(segment.kind);
  }
  for (const std::string& junction : model.junctions) {
    place_named.emplace(junction, static_cast<std::uint32_t>(place_named.size()));
  }
  for (const Trunk& trunk : model.trunks) {
    view.trunks.push_back({place_named.at(trunk.first), place_named.at(trunk.second)});
  }
  if (model.islands.empty()) return view;
  const auto island_of = islands_of(model);
  const auto in_model = hosts_of(model, hosts);
  for (const std::uint32_t model_host : in_model.value())
    view.is_island.push_back(island_of[model_host].has_value());
  const auto islands = static_cast<std::uint32_t>(model.islands.size());
  return with_ranks_on(view, view.host_of_rank, [&](std::uint32_t host) {
    const std::uint32_t model_host = in_model.value()[host];
    return island_of[model_host].value_or(islands + model_host);
  });
}

}  // namespace quadrille
