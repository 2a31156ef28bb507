// SPDX-License-Identifier: BSD-3-Clause
#include "network/topology_view.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace quadrille {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Hosts a b c d on segment s, e f on t.
TopologyView view(const std::string& islands, Numbers host_of_rank) {
  const auto model = parse_model(R"({"segments": [
      {"name": "s", "hosts": ["a", "b", "c", "d"], "kind": "switch"},
      {"name": "t", "hosts": ["e", "f"], "kind": "bus"}], "islands": [)" +
                                 islands + "]}");
  return view_of(model.value(), {"a", "b", "c", "d", "e", "f"}, std::move(host_of_rank)).value();
}

TEST(TopologyView, without_islands_hosts_are_as_given) {
  const TopologyView found = view("", {0, 1, 2, 3, 4, 5, 5});
  EXPECT_EQ(found.host_of_rank, (Numbers{0, 1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(found.segment_of_host, (Numbers{0, 0, 0, 0, 1, 1}));
}

TEST(TopologyView, the_hosts_of_an_island_are_one_numbered_by_its_lowest_rank) {
  const TopologyView found = view(R"({"name": "i", "hosts": ["d", "b"]})", {0, 0, 1, 2, 3, 4, 5});
  EXPECT_EQ(found.host_of_rank, (Numbers{0, 0, 1, 2, 1, 3, 4}));
  EXPECT_EQ(found.segment_of_host, (Numbers{0, 0, 0, 1, 1}));
  EXPECT_EQ(found.is_island, (std::vector<bool>{false, true, false, false, false}));
  EXPECT_FALSE(found.is_flat());
}

TEST(TopologyView, an_island_over_segments_is_in_that_of_its_lowest_rank) {
  const TopologyView found =
      view(R"({"name": "i", "hosts": ["e", "c"]}, {"name": "k", "hosts": ["f", "a"]})",
           {5, 4, 3, 2, 1, 0});
  EXPECT_EQ(found.host_of_rank, (Numbers{0, 1, 2, 1, 3, 0}));
  EXPECT_EQ(found.segment_of_host, (Numbers{1, 1, 0, 0}));
}

TEST(TopologyView, of_some_ranks_has_the_islands_of_these) {
  const TopologyView all = view(R"({"name": "i", "hosts": ["a", "b", "e"]})", {0, 1, 2, 3, 4, 5});
  const TopologyView some = all.restricted_to(std::vector<Rank>{5, 4, 1});
  EXPECT_EQ(some.host_of_rank, (Numbers{0, 1, 1}));
  EXPECT_EQ(some.segment_of_host, (Numbers{1, 0}));
  EXPECT_TRUE(some.has_islands());
  EXPECT_FALSE(all.restricted_to(std::vector<Rank>{5, 2}).has_islands());
}

}  // namespace
}  // namespace quadrille
