// SPDX-License-Identifier: BSD-3-Clause
#include "network/network_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace quadrille {
namespace {

NetworkCosts costs(const char* json, std::vector<std::uint32_t> host_of_rank) {
  return network_costs(parse_model(json).value(), host_of_rank);
}

std::vector<std::string> names(const NetworkCosts& costs, Rank from, Rank to) {
  std::vector<std::string> names;
  for (const auto resource :
       costs.resources_of(costs.path(costs.host_of(from).segment, costs.host_of(to).segment)))
    names.push_back(costs.resources[resource].name);
  return names;
}

// Two switches and a bus around a junction.
constexpr const char* kTree = R"({
  "hosts": [{"name": "a", "from_host_bit_s": 8e6, "to_host_bit_s": 4e6,
             "ambient_to_host_share": 0.5, "send_overhead_ns": 700, "gap_ns": 900},
            {"name": "b"}, {"name": "c"}, {"name": "d"}],
  "segments": [
    {"name": "s", "hosts": ["a"], "kind": "switch", "latency_ns": 20000, "safe_burst_bytes": 30000,
     "safe_burst_all_ports_bytes": 20000},
    {"name": "t", "hosts": ["b"], "kind": "switch", "latency_ns": 50000, "safe_burst_bytes": 30000,
     "lossless": true},
    {"name": "u", "hosts": ["c", "d"], "kind": "bus", "bus_rate_bit_s": 10e6}],
  "junctions": ["j"],
  "trunks": [
    {"name": "sj", "between": ["s", "j"], "forward_bit_s": 16e6, "backward_bit_s": 32e6,
     "forward_buffer_bytes": 5000, "latency_ns": 1000},
    {"name": "tj", "between": ["t", "j"], "forward_bit_s": 16e6, "backward_bit_s": 32e6,
     "latency_ns": 2000},
    {"name": "ju", "between": ["j", "u"]}]})";

TEST(NetworkCosts, rates_become_time_per_byte_of_what_others_leave) {
  const auto found = costs(kTree, {0});
  const auto& host = found.host_of(0);
  EXPECT_EQ(found.resources[host.out].ps_per_byte, 1'000'000U);
  EXPECT_EQ(found.resources[host.in].ps_per_byte, 4'000'000U);
  EXPECT_EQ(host.send_overhead_ns, 700 + CostDefaults::overhead_ns);
  EXPECT_EQ(host.gap_ns, 900);
}

TEST(NetworkCosts, time_per_byte_is_rounded_up_so_that_no_cost_falls_below_a_bound) {
  const auto found = costs(R"({"hosts": [{"name": "a", "from_host_bit_s": 3e9}],
    "segments": [{"name": "s", "hosts": ["a"], "kind": "switch"}]})",
                           {0});
  EXPECT_EQ(found.resources[found.host_of(0).out].ps_per_byte, 2'667U);
  EXPECT_EQ(duration_ns(1, 2'667), 3);
  EXPECT_EQ(duration_ns(1'000, 2'667), 2'667);
  EXPECT_EQ(duration_ns(1'001, 2'667), 2'670);
}

TEST(NetworkCosts, paths_pass_buses_and_trunks_in_their_directions) {
  const auto found = costs(kTree, {0, 1, 2, 3});
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(found, 0, 1), (Names{"trunk sj forward", "trunk tj backward"}));
  EXPECT_EQ(names(found, 1, 0), (Names{"trunk tj forward", "trunk sj backward"}));
  EXPECT_EQ(names(found, 0, 2), (Names{"trunk sj forward", "trunk ju forward", "bus u"}));
  EXPECT_EQ(names(found, 2, 0), (Names{"bus u", "trunk ju backward", "trunk sj backward"}));
  EXPECT_EQ(names(found, 2, 3), (Names{"bus u"}));
  EXPECT_EQ(names(found, 0, 0), Names{});
  EXPECT_EQ(found.path(found.host_of(0).segment, found.host_of(1).segment).latency_ns,
            50'000 + 1'000 + 2'000);
}

TEST(NetworkCosts, buffers_are_limits_unless_nothing_was_ever_lost) {
  const auto found = costs(kTree, {0, 1, 2});
  EXPECT_EQ(found.resources[found.host_of(0).in].buffer_bytes, 20'000U);
  EXPECT_EQ(found.resources[found.host_of(1).in].buffer_bytes, 0U);
  EXPECT_EQ(found.resources[found.host_of(2).in].buffer_bytes, 0U);
  EXPECT_EQ(found.resources[found.resources_of(found.path(0, 1))[0]].buffer_bytes, 5'000U);
}

TEST(NetworkCosts, hosts_are_numbered_by_their_lowest_rank_and_only_those_of_the_communicator) {
  const auto found = costs(kTree, {2, 0, 2});
  EXPECT_EQ(found.host_of_rank, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(found.hosts.size(), 2U);
  EXPECT_EQ(found.segments, 2U);
}

TEST(NetworkCosts, what_is_not_known_has_its_default) {
  const auto found = costs(R"({"hosts": [{"name": "a"}, {"name": "b"}],
    "segments": [{"name": "s", "hosts": ["a"], "kind": "switch"},
                 {"name": "t", "hosts": ["b"], "kind": "bus"}],
    "trunks": [{"between": ["s", "t"]}]})",
                           {0, 1});
  EXPECT_EQ(found.resources[found.host_of(0).out].ps_per_byte, CostDefaults::ps_per_byte);
  EXPECT_EQ(found.resources[found.host_of(1).out].ps_per_byte, 0U) << "the bus holds it up";
  const auto between = found.resources_of(found.path(0, 1));
  ASSERT_EQ(between.size(), 2U);
  EXPECT_EQ(found.resources[between[0]].ps_per_byte, 0U);
  EXPECT_EQ(found.resources[between[1]].ps_per_byte, CostDefaults::ps_per_byte);
  EXPECT_EQ(found.path(0, 1).latency_ns, CostDefaults::latency_ns);
}

TEST(NetworkCosts, hosts_without_segment_are_one_switch_beside_the_others) {
  const auto found = costs(R"({"hosts": [{"name": "x"}, {"name": "a"}, {"name": "y"}],
    "segments": [{"name": "s", "hosts": ["a"], "kind": "switch", "latency_ns": 70}]})",
                           {0, 1, 2});
  EXPECT_EQ(found.host_of(0).segment, found.host_of(2).segment);
  EXPECT_NE(found.host_of(0).segment, found.host_of(1).segment);
  EXPECT_TRUE(names(found, 0, 1).empty());
}

TEST(NetworkCosts, a_message_with_its_header_is_whole_frames) {
  const NetworkCosts found;
  constexpr std::uint64_t header = CostDefaults::message_header_bytes;
  EXPECT_EQ(found.on_wire(0), header + 66);
  EXPECT_EQ(found.on_wire(1), header + 67);
  EXPECT_EQ(found.on_wire(1448 - header), 1514U);
  EXPECT_EQ(found.on_wire(1449 - header), 1449U + 2 * 66);
}

TEST(NetworkCosts, a_trunk_that_carried_all_it_was_given_holds_nothing_up) {
  NetworkModel model = parse_model(kTree).value();
  Trunk& trunk = model.trunks[0];
  trunk.forward_bit_s = Measured{5e7, 4e7, std::numeric_limits<double>::infinity()};
  trunk.backward_bit_s = Measured{5e7, 4e7, 6e7};
  const std::vector<std::uint32_t> hosts{0, 1};
  const NetworkCosts found = network_costs(model, hosts);
  const auto pace_of = [&](const std::string& direction) {
    return std::ranges::find(found.resources, "trunk " + trunk.name + direction,
                             &NetworkCosts::Resource::name)
        ->ps_per_byte;
  };
  EXPECT_EQ(pace_of(" forward"), 0U);
  EXPECT_EQ(pace_of(" backward"), 160'000U);
}

TEST(NetworkCosts, hosts_of_an_island_reach_each_other_beside_the_network) {
  std::string json = kTree;
  json.insert(json.rfind('}'), R"(, "islands": [
      {"name": "i", "hosts": ["a", "c"], "rate_bit_s": 8e9, "latency_ns": 1500},
      {"name": "k", "hosts": ["b", "d"]}])");
  const auto found = costs(json.c_str(), {0, 1, 2, 3});
  const auto way = [&](Rank from, Rank to) {
    std::vector<std::string> names;
    found.for_each_on_way(from, to,
                          [&](auto resource) { names.push_back(found.resources[resource].name); });
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(way(0, 2), (Names{"host a on island i out", "host c on island i in"}));
  EXPECT_EQ(way(0, 0), Names{"host a memory"});
  EXPECT_EQ(way(0, 3).front(), "host a out");
  EXPECT_EQ(found.resources[found.out(found.host_of(0), found.host_of(2))].ps_per_byte, 1'000U);
  EXPECT_EQ(found.latency_ns(found.host_of(0), found.host_of(2)), 1'500);
  EXPECT_EQ(found.latency_ns(found.host_of(1), found.host_of(3)), CostDefaults::host_latency_ns);
  EXPECT_FALSE(found.by_network(0, 2));
  EXPECT_TRUE(found.by_network(0, 1));
  EXPECT_EQ(found.on_way(found.host_of(2), found.host_of(0), 10'000), 10'000U);
}

}  // namespace
}  // namespace quadrille
