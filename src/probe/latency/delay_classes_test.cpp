// SPDX-License-Identifier: BSD-3-Clause
#include "probe/latency/delay_classes.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

namespace quadrille::probe {
namespace {

using Groups = std::vector<std::uint32_t>;

std::vector<HostIndex> all(std::size_t hosts) {
  std::vector<HostIndex> indices(hosts);
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

using RoundTrip = std::function<std::int64_t(HostIndex, HostIndex)>;

PairTable<PairLatency> table(std::size_t hosts, const RoundTrip& round_trip_ns) {
  PairTable<PairLatency> small(hosts);
  for (HostIndex a = 0; a < hosts; ++a) {
    for (HostIndex b = a + 1; b < hosts; ++b) {
      PairLatency latency;
      latency.least_round_trip_ns = round_trip_ns(a, b);
      latency.time_to_live = 64;
      small.at(a, b) = small.at(b, a) = latency;
    }
  }
  return small;
}

TEST(DelayClasses, groups_hosts_that_are_clearly_nearer_to_each_other) {
  const auto small = table(
      8, [](auto a, auto b) { return (a % 2 == b % 2 ? 60'000 : 90'000) + a * 500 + b * 700; });
  EXPECT_EQ(latency_partition(small, all(8)), (Groups{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(DelayClasses, counts_positions_in_the_list_of_hosts_that_take_part) {
  const auto small = table(6, [](auto a, auto b) { return a / 3 == b / 3 ? 60'000 : 120'000; });
  EXPECT_EQ(latency_partition(small, {5, 0, 1, 4}), (Groups{0, 1, 1, 0}));
}

TEST(DelayClasses, near_hosts_stand_together_where_distances_tell) {
  const auto small = table(9, [](auto a, auto b) {
    return (a % 3 == b % 3 ? 60'000 : 61'000) + (a * 7 + b * 5) % 11 * 50;
  });
  const auto order = ordered_by_distance(small, all(9));
  for (std::size_t at = 0; at < 9; ++at) EXPECT_EQ(order[at] % 3, order[at / 3 * 3] % 3) << at;
  EXPECT_EQ(ordered_by_distance(PairTable<PairLatency>(9), {4, 2, 7}),
            (std::vector<HostIndex>{4, 2, 7}));
}

TEST(DelayClasses, gives_no_groups_where_all_are_alike) {
  std::mt19937_64 chance(4);
  std::uniform_int_distribution<std::int64_t> trip(60'000, 110'000);
  const auto small = table(16, [&](auto, auto) { return trip(chance); });
  EXPECT_EQ(latency_partition(small, all(16)), std::nullopt);
}

TEST(DelayClasses, gives_no_groups_for_differences_of_a_few_microseconds) {
  const auto small = table(6, [](auto a, auto b) { return a / 3 == b / 3 ? 10'000 : 19'000; });
  EXPECT_EQ(latency_partition(small, all(6)), std::nullopt);
}

TEST(DelayClasses, does_not_take_a_slow_host_for_a_distant_one) {
  const auto small = table(8, [](auto a, auto b) { return a == 2 || b == 2 ? 400'000 : 60'000; });
  EXPECT_EQ(latency_partition(small, all(8)), std::nullopt);
}

TEST(DelayClasses, gives_no_groups_where_an_inner_distance_is_as_long_as_one_across) {
  // A slow segment: its own hosts are as far from each other as from the fast one's.
  const auto small = table(8, [](auto a, auto b) { return a < 4 && b < 4 ? 60'000 : 200'000; });
  EXPECT_EQ(latency_partition(small, all(8)), std::nullopt);
}

TEST(DelayClasses, takes_the_finest_of_nested_groups) {
  const auto small = table(12, [](auto a, auto b) {
    if (a / 3 == b / 3) return 50'000;
    return a / 6 == b / 6 ? 100'000 : 200'000;
  });
  EXPECT_EQ(latency_partition(small, all(12)), (Groups{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}));
}

TEST(DelayClasses, wants_two_measured_pairs_between_each_two_groups) {
  auto small = table(6, [](auto a, auto b) { return a / 3 == b / 3 ? 50'000 : 100'000; });
  EXPECT_NE(latency_partition(small, all(6)), std::nullopt);
  for (HostIndex a = 0; a < 3; ++a) {
    for (HostIndex b = 3; b < 6; ++b) {
      if (a != 0 || b != 3) small.at(a, b) = small.at(b, a) = {};
    }
  }
  EXPECT_EQ(latency_partition(small, all(6)), std::nullopt);
}

// Never a wrong partition; at most a missing one.
TEST(DelayClasses, one_pair_of_twenty_grossly_too_long_seldom_hides_and_never_changes_groups) {
  std::mt19937_64 chance(5);
  std::uniform_real_distribution<double> share(0, 1);
  int found = 0;
  constexpr int repeats = 500;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto small = table(16, [&](auto a, auto b) {
      const double near = a % 4 == b % 4 ? 60'000 : 100'000;
      const double noise = 1 + 0.1 * share(chance);
      const double gross = share(chance) < 0.03 ? 3 + 100 * share(chance) : 1;
      return static_cast<std::int64_t>(near * noise * gross);
    });
    const auto groups = latency_partition(small, all(16));
    if (!groups) continue;
    ++found;
    ASSERT_EQ(groups, (Groups{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  }
  EXPECT_GT(found, repeats * 3 / 4);
}

TEST(DelayClasses, names_classes_by_segment_routers_and_distance) {
  auto small = table(6, [](auto a, auto b) -> std::int64_t {
    if (a / 2 == b / 2) return 60'000;
    if (b / 2 == 1) return 100'000;
    return 5'000'000;
  });
  const std::vector<std::uint32_t> segments{0, 0, 1, 1, 2, 2};
  auto classes = delay_classes(small, all(6), segments);
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes[0].name, "same switch");
  EXPECT_EQ(classes[0].pairs, 3U);
  EXPECT_DOUBLE_EQ(classes[0].latency_ns->value, 30'000);
  EXPECT_EQ(classes[1].name, "bridged");
  EXPECT_EQ(classes[1].pairs, 4U);
  EXPECT_EQ(classes[2].name, "far");
  EXPECT_EQ(classes[2].pairs, 8U);
  for (HostIndex a = 0; a < 2; ++a) {
    for (HostIndex b = 2; b < 4; ++b) small.at(a, b).time_to_live = 63;
  }
  classes = delay_classes(small, all(6), segments);
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes[1].name, "routed");
}

TEST(DelayClasses, splits_a_class_at_a_gap_but_not_for_a_few_gross_values) {
  const auto two = table(12, [](auto a, auto b) { return a / 6 == b / 6 ? 60'000 : 100'000; });
  EXPECT_EQ(delay_classes(two, all(12), Groups(12, 0)).size(), 2U);
  const auto gross = table(12, [](auto a, auto b) { return a == 0 && b < 3 ? 900'000 : 60'000; });
  EXPECT_EQ(delay_classes(gross, all(12), Groups(12, 0)).size(), 1U);
}

TEST(DelayClasses, counts_routers_from_the_nearest_usual_start) {
  EXPECT_EQ(routers_passed(64), 0U);
  EXPECT_EQ(routers_passed(62), 2U);
  EXPECT_EQ(routers_passed(127), 1U);
  EXPECT_EQ(routers_passed(255), 0U);
  EXPECT_EQ(routers_passed(0), 0U);
}

}  // namespace
}  // namespace quadrille::probe
