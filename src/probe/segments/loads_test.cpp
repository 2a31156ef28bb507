// SPDX-License-Identifier: BSD-3-Clause
#include "probe/segments/loads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace quadrille::probe {
namespace {

std::vector<HostRates> cables(std::size_t hosts, double bit_s) {
  std::vector<HostRates> rates(hosts);
  for (HostRates& rate : rates) rate.out_bit_s = rate.in_bit_s = Measured{bit_s, bit_s, bit_s};
  return rates;
}

TEST(Loads, shifted_flows_use_each_cable_once_in_each_direction) {
  const auto flows = shifted_flows({0, 1, 2, 3, 4}, 2, cables(5, 10e6), 0.9);
  ASSERT_EQ(flows.size(), 5U);
  HostSet receivers;
  for (const Flow& flow : flows) {
    EXPECT_DOUBLE_EQ(flow.rate_bit_s, 9e6);
    EXPECT_EQ(flow.to, (flow.from + 2) % 5);
    receivers.push_back(flow.to);
  }
  std::sort(receivers.begin(), receivers.end());
  EXPECT_EQ(receivers, (HostSet{0, 1, 2, 3, 4}));
}

TEST(Loads, spread_flows_let_more_than_half_of_every_half_cross) {
  const auto flows = spread_flows({0, 1, 2, 3, 4, 5}, cables(6, 10e6), 0.9);
  double sum = 0;
  for (const Flow& flow : flows) sum += flow.rate_bit_s;
  EXPECT_DOUBLE_EQ(sum, 6 * 9e6);
  for (unsigned half = 1; half < 63; ++half) {
    if (std::popcount(half) != 3) continue;
    const auto inside = [&](HostIndex host) { return (half >> host & 1U) != 0; };
    double crossing = 0;
    for (const Flow& flow : flows)
      crossing += inside(flow.from) && !inside(flow.to) ? flow.rate_bit_s : 0;
    EXPECT_GT(crossing, 0.5 * 3 * 9e6) << half;
  }
}

TEST(Loads, crossing_flows_fill_no_receiver) {
  auto rates = cables(5, 10e6);
  for (const HostIndex fast : {0U, 1U}) rates[fast].out_bit_s = Measured{20e6, 20e6, 20e6};
  const auto flows = crossing_flows({0, 1}, rates, {2, 3, 4}, rates, 1e12);
  std::vector<double> received(5);
  double sum = 0;
  for (const Flow& flow : flows) {
    received[flow.to] += flow.rate_bit_s;
    sum += flow.rate_bit_s;
  }
  for (const double rate : received) EXPECT_LE(rate, 10e6 * kCableShare + 1);
  EXPECT_GT(sum, 0.9 * 30e6 * kCableShare);
}

TEST(Loads, crossing_flows_go_several_ways_where_asked) {
  const auto rates = cables(9, 10e6);
  const auto flows = crossing_flows({0, 1, 2}, rates, {3, 4, 5, 6, 7, 8}, rates, 1e12, 3);
  double sum = 0;
  for (const Flow& flow : flows) {
    EXPECT_LE(flow.rate_bit_s, kCableShare * 10e6 / 3 + 1);
    sum += flow.rate_bit_s;
  }
  EXPECT_NEAR(sum, 3 * kCableShare * 10e6, 1);
  const auto to_one = crossing_flows({0}, rates, {3}, rates, 1e12, 3);
  ASSERT_EQ(to_one.size(), 1U);
  EXPECT_DOUBLE_EQ(to_one[0].rate_bit_s, kCableShare * 10e6);
}

TEST(Loads, crossing_flows_obey_the_bound_on_their_sum) {
  double sum = 0;
  for (const Flow& flow :
       crossing_flows({0, 1, 2}, cables(6, 10e6), {3, 4, 5}, cables(6, 10e6), 12e6))
    sum += flow.rate_bit_s;
  EXPECT_NEAR(sum, 12e6, 0.5e6);
}

TEST(Loads, hosts_without_receivers_send_nothing) {
  EXPECT_TRUE(crossing_flows({0}, cables(1, 10e6), {}, cables(1, 10e6), 1e12).empty());
}

}  // namespace
}  // namespace quadrille::probe
