// SPDX-License-Identifier: BSD-3-Clause
#include "probe/latency/eco_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace quadrille::probe {
namespace {

using Partition = std::vector<std::uint32_t>;

PairTable<double> symmetric(const std::vector<std::vector<double>>& upper) {
  PairTable<double> cost(upper.size() + 1);
  for (HostIndex a = 0; a < upper.size(); ++a) {
    for (HostIndex k = 0; k < upper[a].size(); ++k) {
      cost.at(a, a + 1 + k) = cost.at(a + 1 + k, a) = upper[a][k];
    }
  }
  return cost;
}

// The same partition with subnets numbered in the order of their first hosts.
Partition renumbered(const Partition& of) {
  std::map<std::uint32_t, std::uint32_t> number;
  Partition result;
  for (const auto subnet : of) {
    result.push_back(
        number.try_emplace(subnet, static_cast<std::uint32_t>(number.size())).first->second);
  }
  return result;
}

// Networks of 4 to 9 hosts, each with its own speed; inside, costs differ by less than 15 %.
struct Planted {
  Partition of;
  PairTable<double> cost;
};

Planted planted(std::mt19937_64& chance) {
  Planted made;
  const auto networks = std::uniform_int_distribution<std::uint32_t>(1, 5)(chance);
  std::vector<double> inside;
  for (std::uint32_t network = 0; network < networks; ++network) {
    const auto hosts = std::uniform_int_distribution<std::uint32_t>(4, 9)(chance);
    made.of.insert(made.of.end(), hosts, network);
    inside.push_back(std::uniform_real_distribution(50.0, 2000.0)(chance));
  }
  std::ranges::shuffle(made.of, chance);
  made.cost = PairTable<double>(made.of.size());
  for (HostIndex a = 0; a < made.of.size(); ++a) {
    for (HostIndex b = a + 1; b < made.of.size(); ++b) {
      const double slower = std::max(inside[made.of[a]], inside[made.of[b]]);
      const double bridge = made.of[a] == made.of[b] ? 1.0 : 1.45;
      const double noise = std::uniform_real_distribution(1.0, 1.15)(chance);
      made.cost.at(a, b) = made.cost.at(b, a) = slower * bridge * noise;
    }
  }
  return made;
}

// Makes `share` of all pairs two to a hundred times as long, as a burst of other traffic would.
void lengthen(PairTable<double>& cost, double share, std::mt19937_64& chance) {
  for (HostIndex a = 0; a < cost.hosts(); ++a) {
    for (HostIndex b = a + 1; b < cost.hosts(); ++b) {
      if (std::uniform_real_distribution(0.0, 1.0)(chance) >= share) continue;
      cost.at(a, b) *= std::uniform_real_distribution(2.0, 100.0)(chance);
      cost.at(b, a) = cost.at(a, b);
    }
  }
}

TEST(EcoPartition, joins_hosts_within_a_fifth_of_their_cheapest_edge) {
  EXPECT_EQ(eco_partition(symmetric({{100, 119, 300}, {119, 300}, {300}})),
            (Partition{0, 0, 0, 1}));
  EXPECT_EQ(eco_partition(symmetric({{100, 121, 300}, {121, 300}, {300}})),
            (Partition{0, 0, 1, 2}));
}

TEST(EcoPartition, compares_with_the_cheapest_edge_inside_the_subnet_too) {
  // 2-3 costs 118, the least of both its ends; 1-2 costs 118 as well and is within a fifth of 1's
  // least, 100, but 3-4 costs 140: within a fifth of 118, not of the subnet's 100.
  const auto cost = symmetric({{100, 500, 500, 500}, {118, 500, 500}, {118, 500}, {140}});
  EXPECT_EQ(eco_partition(cost), (Partition{0, 0, 0, 0, 1}));
}

TEST(EcoPartition, takes_the_cutoff_as_given) {
  const auto cost = symmetric({{100, 140}, {140}});
  EXPECT_EQ(eco_partition(cost, 1.2), (Partition{0, 0, 1}));
  EXPECT_EQ(eco_partition(cost, 1.5), (Partition{0, 0, 0}));
}

TEST(EcoPartition, leaves_hosts_without_a_measured_edge_alone) {
  EXPECT_EQ(eco_partition(PairTable<double>(3)), (Partition{0, 1, 2}));
  auto one_direction = PairTable<double>(2);
  one_direction.at(1, 0) = 80;
  EXPECT_EQ(eco_partition(one_direction), (Partition{0, 0}));
  EXPECT_EQ(eco_partition(PairTable<double>(1)), (Partition{0}));
  EXPECT_TRUE(eco_partition(PairTable<double>()).empty());
}

TEST(EcoPartition, cannot_tell_equal_networks_apart) {
  const auto cost = symmetric({{100, 105, 105}, {105, 105}, {100}});
  EXPECT_EQ(eco_partition(cost), (Partition{0, 0, 0, 0}));
}

TEST(EcoPartition, finds_planted_networks_whatever_the_order_of_hosts) {
  std::mt19937_64 chance(7);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto made = planted(chance);
    ASSERT_EQ(eco_partition(made.cost), renumbered(made.of)) << "repeat " << repeat;
  }
}

TEST(EcoPartition, does_not_depend_on_the_unit) {
  std::mt19937_64 chance(8);
  auto made = planted(chance);
  const auto before = eco_partition(made.cost);
  for (HostIndex a = 0; a < made.of.size(); ++a) {
    for (HostIndex b = 0; b < made.of.size(); ++b) made.cost.at(a, b) *= 1000;
  }
  EXPECT_EQ(eco_partition(made.cost), before);
}

// A host keeps at least one right edge into its network in all but a few cases: with 4 hosts, all
// three edges of one are wrong once in 8000.
TEST(EcoPartition, survives_one_edge_of_twenty_measured_far_too_long) {
  std::mt19937_64 chance(9);
  int wrong = 0;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    auto made = planted(chance);
    lengthen(made.cost, 0.05, chance);
    if (eco_partition(made.cost) != renumbered(made.of)) ++wrong;
  }
  EXPECT_LE(wrong, 5);
}

}  // namespace
}  // namespace quadrille::probe
