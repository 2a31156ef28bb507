// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model_rates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quadrille {
namespace {

NetworkRates rates(const char* json) { return rates_of(parse_model(json).value()); }

TEST(RatesOf, hosts_buses_trunks_and_junctions_keep_their_places) {
  const auto found = rates(R"({
    "hosts": [{"name": "b", "to_host_bit_s": 8000, "from_host_bit_s": 800}, {"name": "lost"}],
    "segments": [{"name": "s", "hosts": ["a"], "kind": "switch", "latency_ns": 70},
                 {"name": "u", "hosts": ["b"], "kind": "bus", "bus_rate_bit_s": 1600,
                  "latency_ns": 60}],
    "junctions": ["j"],
    "trunks": [{"between": ["j", "u"], "forward_bit_s": 80, "backward_bit_s": 160}]})");
  ASSERT_EQ(found.segments.size(), 3U);
  EXPECT_EQ(found.segments[1].bus_bytes_per_second, 200);
  ASSERT_EQ(found.hosts.size(), 2U);
  EXPECT_EQ(found.hosts[0].segment, 1U);
  EXPECT_EQ(found.hosts[0].in_bytes_per_second, 1000);
  EXPECT_EQ(found.hosts[0].out_bytes_per_second, 100);
  EXPECT_EQ(found.hosts[1].in_bytes_per_second, 0) << "unknown";
  ASSERT_EQ(found.trunks.size(), 1U);
  EXPECT_EQ(found.trunks[0].first, 2U);
  EXPECT_EQ(found.trunks[0].second, 1U);
  EXPECT_EQ(found.trunks[0].forward_bytes_per_second, 10);
  EXPECT_EQ(found.latency_ns, 60);
}

TEST(RatesOf, a_rate_known_only_from_below_bounds_nothing) {
  const auto found = rates(R"({"hosts": [{"name": "a", "to_host_bit_s": 8,
      "from_host_bit_s": 8, "intervals": {"to_host_bit_s": [8, null]}}],
      "segments": [{"hosts": ["a"], "kind": "switch"}]})");
  EXPECT_EQ(found.hosts[0].in_bytes_per_second, 0);
  EXPECT_EQ(found.hosts[0].out_bytes_per_second, 1);
}

// Two hosts each on a switch and on a bus, and one more; a trunk between.
constexpr const char* kMixed = R"({
    "hosts": [{"name": "a", "from_host_bit_s": 800, "to_host_bit_s": 80},
              {"name": "b", "from_host_bit_s": 1600, "to_host_bit_s": 80},
              {"name": "c", "from_host_bit_s": 800},
              {"name": "d", "from_host_bit_s": 800, "to_host_bit_s": 80}],
    "segments": [{"name": "s", "hosts": ["a", "b", "e"], "kind": "switch"},
                 {"name": "u", "hosts": ["c", "d"], "kind": "bus", "bus_rate_bit_s": 1600}],
    "trunks": [{"name": "t", "between": ["s", "u"], "forward_bit_s": 8, "backward_bit_s": 8}],
    "islands": [{"name": "i", "hosts": [ISLAND]}]})";

NetworkRates rates_with_island(const std::string& hosts) {
  std::string json = kMixed;
  json.replace(json.find("ISLAND"), 6, hosts);
  return rates(json.c_str());
}

TEST(RatesOf, an_island_is_one_host_with_all_its_links) {
  const auto found = rates_with_island(R"("b", "a")");
  ASSERT_EQ(found.hosts.size(), 4U);
  const auto& island = found.hosts.back();
  EXPECT_EQ(island.name, "island i");
  EXPECT_EQ(island.segment, 0U);
  EXPECT_EQ(island.out_bytes_per_second, 300);
  EXPECT_EQ(island.in_bytes_per_second, 20);
  EXPECT_EQ(found.segments.size(), 2U);
  const auto indices = host_indices(found, {"a", "c", "b"});
  ASSERT_TRUE(indices);
  EXPECT_EQ((*indices)[0], 3U);
  EXPECT_EQ((*indices)[2], 3U);
}

TEST(RatesOf, a_link_of_unknown_rate_leaves_the_islands_unknown) {
  const auto found = rates_with_island(R"("c", "d")");
  EXPECT_EQ(found.hosts.back().out_bytes_per_second, 200);
  EXPECT_EQ(found.hosts.back().in_bytes_per_second, 0);
}

// What goes from one segment to the other may take the island, so that the trunk bounds nothing.
TEST(RatesOf, an_island_over_two_segments_bypasses_the_trunk_between) {
  const auto found = rates_with_island(R"("a", "d")");
  ASSERT_EQ(found.segments.size(), 3U);
  EXPECT_EQ(found.hosts.back().segment, 2U);
  const BoundedCall call{.collective = Collective::allgather,
                         .bytes = 1000,
                         .root = 0,
                         .host_of_rank = host_indices(found, {"b", "d", "e"}).value()};
  EXPECT_NE(lower_bound(call, found, kPayloadOnly).bottleneck, "trunk t");
  const auto apart = rates_with_island(R"("a", "b")");
  const BoundedCall other{.collective = Collective::allgather,
                          .bytes = 1000,
                          .root = 0,
                          .host_of_rank = host_indices(apart, {"b", "d", "e"}).value()};
  EXPECT_EQ(lower_bound(other, apart, kPayloadOnly).bottleneck, "trunk t");
}

// One host tells an island, whose eight hosts tell eight others at once: two messages in a row.
TEST(RatesOf, an_islands_hosts_tell_as_many_others_at_a_time) {
  std::string hosts;
  std::vector<std::string> names;
  for (int host = 0; host < 17; ++host) {
    names.push_back("h" + std::to_string(host));
    hosts += (host == 0 ? "\"" : ", \"") + names.back() + '"';
  }
  const std::string island = hosts.substr(0, hosts.find(", \"h8\""));
  const auto rounds = [&](const std::string& islands) {
    const auto found =
        rates((R"({"segments": [{"hosts": [)" + hosts +
               R"(], "kind": "switch", "latency_ns": 1000}], "islands": [)" + islands + "]}")
                  .c_str());
    const BoundedCall call{.collective = Collective::barrier,
                           .bytes = 0,
                           .root = 0,
                           .host_of_rank = host_indices(found, names).value()};
    return lower_bound(call, found, kPayloadOnly).latency_ns / 1000;
  };
  EXPECT_EQ(rounds(""), 5);
  EXPECT_EQ(rounds(R"({"name": "i", "hosts": [)" + island + "]}"), 2);
}

}  // namespace
}  // namespace quadrille
