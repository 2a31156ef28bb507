// SPDX-License-Identifier: BSD-3-Clause
// Long messages as runs of packets, over a network that loses, alters and reorders some of them.
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "wire/simulated/messages.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

SimulatedSettings fast(std::uint32_t endpoints) {
  SimulatedSettings settings;
  settings.endpoints = endpoints;
  settings.rate_bit_s = 25e9;
  settings.latency = Nanoseconds{5'000};
  settings.buffer_bytes = 512 * 1024;
  settings.most_budget = 400;
  settings.runs = true;
  return settings;
}

constexpr Nanoseconds seconds(std::int64_t count) { return {count * 1'000'000'000}; }

TEST(Run, a_long_message_leaves_in_runs_and_each_byte_arrives) {
  SimulatedNetwork network(fast(2));
  const Message sent = message(1 << 20, 1);
  Message received(sent.size());
  network.receive(1, 0, received, 1);
  network.send(0, 1, sent, 2);
  ASSERT_TRUE(network.run(seconds(1)));
  EXPECT_EQ(sent, received);
  const EndpointCounters& counters = network.endpoint(0).counters();
  EXPECT_GE(counters.runs_sent, 17U);
  EXPECT_EQ(counters.data_resent, 0U);
  EXPECT_EQ(counters.data_sent, (sent.size() + 1447) / 1448);
  // 8.4 ms/25 = 345 us of payload.
  EXPECT_LT(network.now().value, 600'000);
}

}  // namespace
}  // namespace quadrille::wire
