// SPDX-License-Identifier: BSD-3-Clause
#include "probe/conclusion.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace quadrille::probe {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

Measured limit(double mbit_s) { return {mbit_s * 1e6, mbit_s * 0.97e6, mbit_s * 1.03e6}; }
Measured least(double mbit_s) { return {mbit_s * 1e6, mbit_s * 0.97e6, kNoLimit}; }

// What is concluded of the first of five cables in Mbit/s; the others were both times found to
// carry `others`.
double settled(const Measured& first, const Measured& second, double others) {
  const HostSet hosts{0, 1, 2, 3, 4};
  std::vector<HostRates> rates(hosts.size());
  for (HostRates& host : rates) host.out_bit_s = host.in_bit_s = limit(others);
  std::vector<HostRates> near = rates;
  rates[0].out_bit_s = first;
  near[0].out_bit_s = second;
  settle_cable_rates(hosts, near, rates);
  return rates[0].out_bit_s->value / 1e6;
}

TEST(SettleCableRates, of_two_limits_that_which_is_like_the_others_counts) {
  EXPECT_EQ(settled(limit(37), limit(25), 25), 25);
  EXPECT_EQ(settled(limit(25), limit(37), 25), 25);
  EXPECT_EQ(settled(limit(15), limit(25), 25), 25);
  EXPECT_EQ(settled(limit(25), limit(15), 25), 25);
  EXPECT_EQ(settled(limit(26), limit(24.5), 25), 24.5);
}

TEST(SettleCableRates, what_is_only_a_least_says_nothing_against_more) {
  EXPECT_EQ(settled(limit(100), least(25), 25), 100);
  EXPECT_EQ(settled(least(25), limit(100), 25), 100);
  EXPECT_EQ(settled(least(100), least(25), 25), 100);
}

TEST(SettleCableRates, a_host_that_is_slow_both_times_stays_slow) {
  EXPECT_EQ(settled(limit(10), limit(10.2), 25), 10.2);
}

// Most first rates are what a trunk left.
TEST(SettleCableRates, what_a_trunk_left_of_most_cables_is_not_typical) {
  const HostSet hosts{0, 1, 2};
  std::vector<HostRates> rates(hosts.size());
  for (HostRates& host : rates) host.out_bit_s = least(60);
  std::vector<HostRates> near(hosts.size());
  for (HostRates& host : near) host.out_bit_s = limit(100);
  near[2].out_bit_s = limit(55);
  settle_cable_rates(hosts, near, rates);
  EXPECT_EQ(rates[0].out_bit_s->value, 100e6);
  EXPECT_EQ(rates[1].out_bit_s->value, 100e6);
}

}  // namespace
}  // namespace quadrille::probe
