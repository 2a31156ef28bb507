// SPDX-License-Identifier: BSD-3-Clause
// Long messages on networks that treat the paths between two hosts as different flows.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kMessage = 4'000'000;

SimulatedSettings fast_network(std::uint32_t paths) {
  SimulatedSettings settings;
  settings.rate_bit_s = 25e9;
  settings.latency = Nanoseconds{5'000};
  settings.buffer_bytes = 1'000'000;
  settings.budget = 32;
  settings.most_budget = 1024;
  settings.runs = true;
  settings.endpoint.limits.payload = 1440;
  settings.endpoint.window = 1024;
  settings.endpoint.paths = paths;
  return settings;
}

class Transfers {
 public:
  explicit Transfers(const SimulatedSettings& settings) : network_(settings) {}

  // The last of some messages, so that the budget has grown.
  Nanoseconds last() {
    Nanoseconds took{};
    for (Handle number = 1; number <= 8; ++number) {
      const Nanoseconds begin = network_.now();
      network_.receive(1, 0, into_, number);
      network_.send(0, 1, from_, number);
      EXPECT_TRUE(network_.run(begin + Nanoseconds{10'000'000'000}));
      took = network_.now() - begin;
    }
    EXPECT_EQ(into_, from_);
    return took;
  }
  // By the sender, who hears nothing but what is acknowledged.
  bool wants_stream() { return network_.endpoint(0).next_wanting_stream().has_value(); }
  std::uint64_t resent() { return network_.endpoint(0).counters().data_resent; }

 private:
  std::vector<std::byte> from_ = std::vector<std::byte>(kMessage, std::byte{7});
  std::vector<std::byte> into_ = std::vector<std::byte>(kMessage);
  SimulatedNetwork network_;
};

TEST(Paths, carry_more_where_the_network_caps_each) {
  SimulatedSettings one = fast_network(1);
  one.path_rate_bit_s = 5e9;
  SimulatedSettings several = fast_network(4);
  several.path_rate_bit_s = 5e9;
  const Nanoseconds slow = Transfers(one).last();
  const Nanoseconds fast = Transfers(several).last();
  EXPECT_LT(fast.value * 3, slow.value) << fast.value << " ns for " << slow.value;
}

TEST(Paths, are_one_and_no_connection_where_the_link_is_slow) {
  for (const double rate : {1e9, 25e9}) {
    SimulatedSettings settings = fast_network(4);
    settings.rate_bit_s = rate;
    Transfers transfers(settings);
    transfers.last();
    EXPECT_EQ(transfers.wants_stream(), rate > 1e9);
  }
}

TEST(Paths, of_different_length_have_nothing_sent_again) {
  SimulatedSettings settings = fast_network(4);
  settings.path_latency = Nanoseconds{20'000};
  Transfers transfers(settings);
  transfers.last();
  EXPECT_EQ(transfers.resent(), 0U);
}

TEST(Paths, cost_nothing_where_they_are_one) {
  const Nanoseconds one = Transfers(fast_network(1)).last();
  const Nanoseconds several = Transfers(fast_network(4)).last();
  EXPECT_LT(static_cast<double>(several.value), 1.02 * static_cast<double>(one.value));
}

TEST(Paths, lose_packets_without_harm) {
  SimulatedSettings settings = fast_network(4);
  settings.loss = 0.01;
  settings.path_latency = Nanoseconds{10'000};
  Transfers transfers(settings);
  transfers.last();
  EXPECT_GT(transfers.resent(), 0U);
}

}  // namespace
}  // namespace quadrille::wire
