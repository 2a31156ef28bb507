// SPDX-License-Identifier: BSD-3-Clause
#include "wire/engine/send_costs.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr std::size_t kRun = std::size_t{64} * 1024;
constexpr Nanoseconds kStart{1'000'000'000};

class SendCostsTest : public testing::Test {
 protected:
  void send(SendCosts& costs, Nanoseconds datagrams, Nanoseconds stream) {
    for (int i = 0; i < 20; ++i) {
      costs.datagrams_took(kRun, i == 3 ? datagrams * 100 : datagrams);  // it was interrupted once
      costs.stream_took(kRun, stream);
    }
  }
};

TEST_F(SendCostsTest, a_stream_is_tried_when_it_is_known_what_datagrams_cost) {
  SendCosts costs(BulkPath::cheaper);
  EXPECT_FALSE(costs.prefer_stream(kStart));
  for (int i = 0; i < 20; ++i) costs.datagrams_took(kRun, {10'000});
  EXPECT_TRUE(costs.prefer_stream(kStart));
}

TEST_F(SendCostsTest, what_costs_less_by_far_is_taken) {
  SendCosts cut_below(BulkPath::cheaper);
  send(cut_below, {8'000}, {7'000});
  EXPECT_FALSE(cut_below.prefer_stream(kStart)) << "about the same";
  SendCosts cut_by_the_system(BulkPath::cheaper);
  send(cut_by_the_system, {60'000}, {7'000});
  EXPECT_TRUE(cut_by_the_system.prefer_stream(kStart));
}

TEST_F(SendCostsTest, it_is_found_out_anew_after_a_while) {
  SendCosts costs(BulkPath::cheaper);
  send(costs, {60'000}, {7'000});
  ASSERT_TRUE(costs.prefer_stream(kStart));
  send(costs, {5'000}, {7'000});
  EXPECT_TRUE(costs.prefer_stream(kStart + Nanoseconds{SendCosts::holds_for.value / 2}));
  EXPECT_FALSE(costs.prefer_stream(kStart + SendCosts::holds_for)) << "nothing is known";
  send(costs, {5'000}, {7'000});
  EXPECT_FALSE(costs.prefer_stream(kStart + SendCosts::holds_for));
}

TEST_F(SendCostsTest, short_runs_tell_nothing) {
  SendCosts costs(BulkPath::cheaper);
  for (int i = 0; i < 20; ++i) costs.datagrams_took(SendCosts::least_bytes - 1, {10'000});
  EXPECT_FALSE(costs.prefer_stream(kStart));
}

TEST_F(SendCostsTest, a_setting_decides_at_once) {
  EXPECT_TRUE(SendCosts(bulk_path("tcp")).prefer_stream(kStart));
  SendCosts datagrams(bulk_path("udp"));
  send(datagrams, {60'000}, {7'000});
  EXPECT_FALSE(datagrams.prefer_stream(kStart));
  EXPECT_EQ(bulk_path("auto"), BulkPath::cheaper);
}

}  // namespace
}  // namespace quadrille::wire
