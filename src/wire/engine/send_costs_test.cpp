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
  bool prefers_after_two(SendCosts& costs, Nanoseconds datagrams, Nanoseconds stream) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(costs.is_undecided());
      send(costs, datagrams, stream);
      costs.prefer_stream(kStart);
    }
    EXPECT_FALSE(costs.is_undecided());
    return costs.prefer_stream(kStart);
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
  EXPECT_FALSE(prefers_after_two(cut_below, {10'000}, {7'000})) << "about the same";
  SendCosts cut_by_the_system(BulkPath::cheaper);
  EXPECT_TRUE(prefers_after_two(cut_by_the_system, {60'000}, {7'000}));
}

TEST_F(SendCostsTest, a_busy_moment_decides_nothing) {
  SendCosts costs(BulkPath::cheaper);
  send(costs, {60'000}, {7'000});
  EXPECT_FALSE(costs.prefer_stream(kStart)) << "datagrams are measured once more";
  send(costs, {8'000}, {7'000});
  EXPECT_FALSE(costs.prefer_stream(kStart));
  EXPECT_TRUE(costs.is_undecided()) << "one each";
  send(costs, {8'000}, {7'000});
  EXPECT_FALSE(costs.prefer_stream(kStart));
  EXPECT_FALSE(costs.is_undecided());
}

TEST_F(SendCostsTest, it_is_found_out_anew_after_a_while) {
  SendCosts costs(BulkPath::cheaper);
  ASSERT_TRUE(prefers_after_two(costs, {60'000}, {7'000}));
  send(costs, {5'000}, {7'000});
  EXPECT_TRUE(costs.prefer_stream(kStart + Nanoseconds{SendCosts::holds_for.value / 2}));
  EXPECT_FALSE(costs.prefer_stream(kStart + SendCosts::holds_for)) << "nothing is known";
  for (int i = 0; i < 2; ++i) {
    send(costs, {5'000}, {7'000});
    EXPECT_FALSE(costs.prefer_stream(kStart + SendCosts::holds_for));
  }
  EXPECT_FALSE(costs.is_undecided());
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
