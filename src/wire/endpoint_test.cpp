// SPDX-License-Identifier: BSD-3-Clause
// What needs two endpoints and a chosen order of their datagrams; all else is in wire/simulated.
#include "wire/endpoint.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace quadrille::wire {
namespace {

TEST(Endpoint, a_packet_held_up_for_long_acknowledges_nothing_it_did_not_mean) {
  ASSERT_TRUE(start_authentication());
  EndpointSettings settings;
  settings.peers = 2;
  settings.limits = {.payload = 8, .unasked = 100};
  std::array<CreditBoard, 2> boards{};
  std::array<CreditBudget, 2> budgets{CreditBudget(boards[0], 0, 256),
                                      CreditBudget(boards[1], 0, 256)};
  settings.self = 0;
  Endpoint sender(settings, budgets[0]);
  settings.self = 1;
  Endpoint receiver(settings, budgets[1]);
  const std::vector<std::byte> sent(70'000 * 8);
  std::vector<std::byte> into(sent.size());
  Nanoseconds now{1};
  receiver.send(0, 0, std::span(sent).first(8), 1, now);
  std::vector<std::byte> room(sender.largest_datagram());
  const auto first = receiver.next_datagram(room, now);
  ASSERT_TRUE(first && !first->is_status);
  std::vector<std::byte> held(room.begin(), room.begin() + static_cast<long>(first->length));
  // The other direction goes on for longer than the 16 bits of an acknowledgement count.
  sender.send(1, 0, sent, 1, now);
  receiver.receive(0, 0, into, 2, now);
  const auto pass = [&](Endpoint& from, Endpoint& to) {
    bool any = false;
    while (const auto outgoing = from.next_datagram(room, now)) {
      any = true;
      if (&from == &sender || outgoing->is_status)
        to.on_datagram(std::span(room).first(outgoing->length), now);
    }
    return any;
  };
  while (sender.counters().data_sent < 65'700) {
    now += Nanoseconds{1000};
    ASSERT_TRUE(static_cast<int>(pass(sender, receiver)) |
                static_cast<int>(pass(receiver, sender)));
  }
  EXPECT_EQ(sender.counters().forged, 0U);
  sender.on_datagram(held, now);
  EXPECT_EQ(sender.counters().forged, 1U);
  EXPECT_EQ(sender.counters().data_received, 0U);
}

}  // namespace
}  // namespace quadrille::wire
