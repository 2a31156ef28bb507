// SPDX-License-Identifier: BSD-3-Clause
// How often the hierarchical algorithms' data cross buses and trunks, counted in their schedules.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "algorithms/algorithm.h"
#include "algorithms/random_view.h"

namespace quadrille {
namespace {

// Elements sent between each ordered pair of segments, those inside one included.
using Crossings = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

Crossings crossings_of(const std::string& name, const Shape& shape, const TopologyView& view,
                       const std::string& parameters = "") {
  const Algorithm& algorithm = *algorithm_named(name);
  const Parameters values = algorithm.parameters.with(parameters).value();
  Crossings crossings;
  const auto segment_of = [&](Rank rank) {
    return view.segment_of_host[view.host_of_rank[static_cast<std::size_t>(rank)]];
  };
  for (Rank rank = 0; rank < shape.ranks; ++rank) {
    for (const Step& step : algorithm.generate({shape, view, values, rank}).steps) {
      if (step.kind != StepKind::send) continue;
      crossings[{segment_of(rank), segment_of(step.peer)}] += step.from.length;
    }
  }
  return crossings;
}

std::uint64_t on_bus(const Crossings& crossings, std::uint32_t segment) {
  std::uint64_t sum = 0;
  for (const auto& [way, elements] : crossings) {
    if (way.first == segment || way.second == segment) sum += elements;
  }
  return sum;
}

// ECO's three buses: hosts 0 3 6 / 1 4 7 / 2 5.
TopologyView three_buses() {
  TopologyView view = TopologyView::flat(8);
  view.segment_of_host = {0, 1, 2, 0, 1, 2, 0, 1};
  view.kind_of_segment.assign(3, SegmentKind::bus);
  view.trunks = {{0, 3}, {1, 3}, {2, 3}};
  return view;
}

// Two switches of four hosts, ranks in turn.
TopologyView two_switches() {
  TopologyView view = TopologyView::flat(8);
  view.segment_of_host = {0, 1, 0, 1, 0, 1, 0, 1};
  view.trunks = {{0, 1}};
  return view;
}

Shape shape_of(Collective collective, Rank root) {
  return {.collective = collective, .ranks = 8, .root = root, .count = 16000};
}

TEST(HierarchicalCrossings, each_of_three_buses_carries_a_broadcast_three_times) {
  for (Rank root = 0; root < 8; ++root) {
    const Crossings crossings =
        crossings_of("bcast_hierarchical", shape_of(Collective::bcast, root), three_buses());
    for (std::uint32_t bus = 0; bus < 3; ++bus)
      EXPECT_EQ(on_bus(crossings, bus), 3 * 16000U) << root;
  }
}

TEST(HierarchicalCrossings, each_of_three_buses_carries_a_reduction_to_all_six_times) {
  const Crossings crossings =
      crossings_of("allreduce_hierarchical", shape_of(Collective::allreduce, 0), three_buses());
  for (std::uint32_t bus = 0; bus < 3; ++bus) EXPECT_EQ(on_bus(crossings, bus), 6 * 16000U);
}

TEST(HierarchicalCrossings, each_of_three_buses_carries_each_block_of_an_allgather_three_times) {
  const Crossings crossings =
      crossings_of("allgather_hierarchical", shape_of(Collective::allgather, 0), three_buses());
  for (std::uint32_t bus = 0; bus < 3; ++bus) EXPECT_EQ(on_bus(crossings, bus), 3 * 8 * 16000U);
}

TEST(HierarchicalCrossings, everything_crosses_a_trunk_once) {
  const auto across = [](const std::string& name, Collective collective,
                         const std::string& parameters) {
    const Crossings crossings =
        crossings_of(name, shape_of(collective, 0), two_switches(), parameters);
    const auto elements = [&](std::uint32_t from, std::uint32_t to) {
      const auto found = crossings.find({from, to});
      return found == crossings.end() ? 0 : found->second / 16000;
    };
    return std::pair{elements(0, 1), elements(1, 0)};
  };
  using Both = std::pair<std::uint64_t, std::uint64_t>;
  for (const char* leaders : {"leaders=1", "leaders=2", "leaders=0"}) {
    EXPECT_EQ(across("bcast_hierarchical", Collective::bcast, leaders), Both(1, 0));
    EXPECT_EQ(across("reduce_hierarchical", Collective::reduce, leaders), Both(0, 1));
    EXPECT_EQ(across("allreduce_hierarchical", Collective::allreduce, leaders), Both(1, 1));
  }
  EXPECT_EQ(across("allgather_hierarchical", Collective::allgather, ""), Both(4, 4));
  EXPECT_EQ(across("alltoall_hierarchical", Collective::alltoall, ""), Both(16, 16));
}

TEST(HierarchicalCrossings,
     in_rank_order_a_sum_crosses_a_trunk_once_where_neighbours_share_segments) {
  TopologyView view = two_switches();
  view.segment_of_host = {0, 0, 0, 0, 1, 1, 1, 1};
  Shape shape = shape_of(Collective::reduce, 0);
  shape.commutative = false;
  EXPECT_EQ((crossings_of("reduce_in_order", shape, view)[{1, 0}]), 16000U);
  shape.collective = Collective::allreduce;
  const Crossings both = crossings_of("allreduce_in_order", shape, view);
  EXPECT_EQ(both.at({1, 0}), 16000U);
  EXPECT_EQ(both.at({0, 1}), 16000U);
}

// Routers between segments stop it: the root sends to its own segment alone, and one that hears it
// sends it across.
TEST(HierarchicalCrossings, multicast_inside_segments_crosses_a_trunk_once_and_not_by_the_root) {
  TopologyView view = two_switches();
  view.has_wire = true;
  view.multicast_in_segment = {true, true};
  const Algorithm& algorithm = *algorithm_named("bcast_multicast");
  for (Rank root = 0; root < 8; ++root) {
    const Shape shape = shape_of(Collective::bcast, root);
    const Crossings crossings = crossings_of("bcast_multicast", shape, view, "segment=0");
    const auto own = static_cast<std::uint32_t>(root % 2);
    EXPECT_EQ(crossings, (Crossings{{{own, 1 - own}, 16000}}));
    const Schedule of_root = algorithm.generate({shape, view, algorithm.parameters, root});
    EXPECT_EQ(of_root.group.size(), 4U);
    for (const Step& step : of_root.steps) EXPECT_EQ(step.kind, StepKind::group_bcast);
  }
}

// No port may carry more than about the message: the root's least of all.
TEST(HierarchicalCrossings, with_all_hosts_as_leaders_no_port_sends_much_more_than_the_message) {
  const Algorithm& algorithm = *algorithm_named("bcast_hierarchical");
  const Parameters values = algorithm.parameters.with("leaders=0:inside=star").value();
  const TopologyView view = two_switches();
  const Shape shape = shape_of(Collective::bcast, 2);
  for (Rank rank = 0; rank < 8; ++rank) {
    std::uint64_t sent = 0;
    for (const Step& step : algorithm.generate({shape, view, values, rank}).steps) {
      sent += step.kind == StepKind::send ? step.from.length : 0;
    }
    EXPECT_LE(sent, 16002U) << "rank " << rank;
  }
}

TEST(HierarchicalCrossings, the_blocks_of_an_allgather_cross_by_all_hosts_of_a_segment) {
  const Algorithm& algorithm = *algorithm_named("allgather_hierarchical");
  const TopologyView view = two_switches();
  const Shape shape = shape_of(Collective::allgather, 0);
  for (Rank rank = 0; rank < 8; ++rank) {
    std::uint64_t sent = 0;
    std::uint64_t across = 0;
    for (const Step& step : algorithm.generate({shape, view, algorithm.parameters, rank}).steps) {
      if (step.kind != StepKind::send) continue;
      sent += step.from.length;
      across += (step.peer - rank) % 2 != 0 ? step.from.length : 0;
    }
    EXPECT_EQ(sent, 7 * 16000U) << "rank " << rank;
    EXPECT_EQ(across, 16000U) << "rank " << rank;
  }
}

}  // namespace
}  // namespace quadrille
