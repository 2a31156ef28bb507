// SPDX-License-Identifier: BSD-3-Clause
// Packets find their places, once each.
#include "wire/flow/receive_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <vector>

namespace quadrille::wire {
namespace {

constexpr FlowLimits kReceiveLimits{.payload = 10, .unscheduled = 8, .most_open = 100};
using Arrival = ReceiveFlow::Arrival;

std::vector<std::byte> bytes(std::size_t length) {
  std::vector<std::byte> all(length);
  for (std::size_t i = 0; i < length; ++i) all[i] = static_cast<std::byte>(i + 1);
  return all;
}

ReceiveFlow::Packet packet_of(const std::vector<std::byte>& message, Sequence first,
                              std::uint32_t place) {
  const std::size_t offset = std::size_t{10} * place;
  const std::size_t length = std::min<std::size_t>(10, message.size() - offset);
  return {first + place, place, offset + length == message.size(),
          std::span(message).subspan(offset, length)};
}

TEST(ReceiveFlow, of_a_message_that_has_begun_to_come_all_is_there) {
  ReceiveFlow flow(kReceiveLimits);
  const auto message = bytes(45);
  std::vector<std::byte> into(45);
  std::vector<std::byte> next(45);
  flow.expect_of_group(into, 1, 0, false);
  flow.expect_of_group(next, 2, 0, false);
  flow.grant(7);
  EXPECT_EQ(flow.there(), 0U);
  flow.on_packet(packet_of(message, 0, 0));
  EXPECT_EQ(flow.there(), 5U);
  ReceiveFlow certain(kReceiveLimits);
  certain.expect_certain(into, 1);
  EXPECT_EQ(certain.there(), 5U);
}

TEST(ReceiveFlow, what_came_early_grants_nothing_that_would_be_refused) {
  ReceiveFlow flow(kReceiveLimits);
  const auto message = bytes(45);
  std::vector<std::byte> into(45);
  flow.expect_of_group(into, 1, 2, false);
  flow.grant(5);
  EXPECT_EQ(flow.on_packet(packet_of(bytes(45), 5, 2)), Arrival::fresh);
  EXPECT_EQ(flow.granted(), 5U) << "two before it are of a message that is not expected";
  EXPECT_EQ(flow.outstanding(), 5U);
  for (std::uint32_t place = 0; place < 5; ++place) flow.on_packet(packet_of(message, 0, place));
  EXPECT_EQ(flow.outstanding(), 0U);
  std::vector<std::byte> next(45);
  flow.expect_of_group(next, 2, 2, false);
  EXPECT_EQ(flow.granted(), 8U);
  EXPECT_EQ(flow.outstanding(), 2U);
}

TEST(ReceiveFlow, packets_in_any_order_make_the_messages) {
  std::mt19937 chance(3);
  for (int round = 0; round < 50; ++round) {
    ReceiveFlow flow(kReceiveLimits);
    const auto one = bytes(45);
    const auto two = bytes(20);
    std::vector<std::byte> into_one(45);
    std::vector<std::byte> into_two(20);
    flow.expect(into_one, 1);
    flow.expect(into_two, 2);
    std::vector<ReceiveFlow::Packet> packets;
    for (std::uint32_t place = 0; place < 5; ++place) packets.push_back(packet_of(one, 0, place));
    for (std::uint32_t place = 0; place < 2; ++place) packets.push_back(packet_of(two, 5, place));
    std::ranges::shuffle(packets, chance);
    for (const auto& packet : packets) {
      EXPECT_EQ(flow.on_packet(packet), Arrival::fresh);
      EXPECT_EQ(flow.on_packet(packet), Arrival::duplicate);
    }
    EXPECT_EQ(into_one, one);
    EXPECT_EQ(into_two, two);
    EXPECT_EQ(flow.next_completed()->handle, 1U);
    EXPECT_EQ(flow.next_completed()->handle, 2U);
    EXPECT_FALSE(flow.next_completed());
    EXPECT_EQ(flow.acknowledged(), 7U);
  }
}

TEST(ReceiveFlow, what_comes_unscheduled_waits_for_its_message_within_the_bound) {
  ReceiveFlow flow(kReceiveLimits);
  const auto small = bytes(8);
  EXPECT_EQ(flow.on_packet({0, 0, true, small}), Arrival::fresh);
  EXPECT_EQ(flow.on_packet({1, 0, true, small}), Arrival::refused);
  std::vector<std::byte> into(8);
  flow.expect(into, 1);
  EXPECT_EQ(into, small);
  EXPECT_TRUE(flow.next_completed()->matches);
  const auto large = bytes(9);
  EXPECT_EQ(flow.on_packet({1, 0, true, large}), Arrival::refused);
}

TEST(ReceiveFlow, only_what_is_announced_and_expected_is_wanted) {
  ReceiveFlow flow(kReceiveLimits);
  std::vector<std::byte> into(50);
  flow.on_announcement(3);
  EXPECT_EQ(flow.wanted(), 0U);
  flow.expect(into, 1);
  EXPECT_EQ(flow.wanted(), 3U);
  flow.grant(2);
  EXPECT_EQ(flow.wanted(), 1U);
  EXPECT_EQ(flow.outstanding(), 2U);
  flow.on_announcement(5);
  EXPECT_EQ(flow.wanted(), 3U);
  const auto message = bytes(50);
  flow.on_packet(packet_of(message, 0, 1));
  EXPECT_EQ(flow.outstanding(), 1U);
  EXPECT_TRUE(flow.has_gap());
  flow.on_packet(packet_of(message, 0, 0));
  EXPECT_EQ(flow.outstanding(), 0U);
  EXPECT_FALSE(flow.has_gap());
}

TEST(ReceiveFlow, a_report_names_what_arrived_behind_the_first_missing_packet) {
  ReceiveFlow flow(kReceiveLimits);
  const auto message = bytes(800);
  std::vector<std::byte> into(800);
  flow.expect(into, 1);
  for (const std::uint32_t place : {0U, 2U, 3U, 70U}) flow.on_packet(packet_of(message, 0, place));
  std::array<std::uint64_t, 4> words{};
  EXPECT_EQ(flow.arrived(words), 2U);
  EXPECT_EQ(flow.acknowledged(), 1U);
  EXPECT_EQ(words[0], 0b11U);
  EXPECT_EQ(words[1], std::uint64_t{1} << (70 - 2 - 64));
}

TEST(ReceiveFlow, ends_that_disagree_about_a_length_find_out) {
  for (const std::size_t expected : {0U, 5U, 9U, 11U, 30U}) {
    ReceiveFlow flow(kReceiveLimits);
    std::vector<std::byte> into(expected);
    flow.expect(into, 1);
    const auto message = bytes(10);
    flow.on_packet(packet_of(message, 0, 0));
    const auto completed = flow.next_completed();
    ASSERT_TRUE(completed) << expected;
    EXPECT_FALSE(completed->matches) << expected;
  }
}

TEST(ReceiveFlow, a_message_that_may_come_has_the_length_of_its_packet) {
  ReceiveFlow flow(kReceiveLimits);
  std::vector<std::byte> into(10);
  std::vector<std::byte> next(10);
  flow.expect_up_to(into, 1);
  flow.expect_up_to(next, 2);
  EXPECT_FALSE(flow.awaits()) << "nothing is known to come";
  EXPECT_EQ(flow.wanted(), 0U);
  const auto message = bytes(7);
  flow.on_announcement(2);
  EXPECT_TRUE(flow.awaits());
  EXPECT_EQ(flow.wanted(), 2U);
  flow.on_packet(packet_of(message, 0, 0));
  const auto completed = flow.next_completed();
  ASSERT_TRUE(completed && completed->matches);
  EXPECT_EQ(completed->length, 7U);
  EXPECT_TRUE(std::equal(message.begin(), message.end(), into.begin()));
  flow.on_packet({.sequence = 1, .place = 0, .last = false, .payload = message});
  EXPECT_FALSE(flow.next_completed()->matches) << "it would go on";
}

TEST(ReceiveFlow, a_message_that_is_certain_is_wanted_before_it_is_announced) {
  ReceiveFlow flow(kReceiveLimits);
  std::vector<std::byte> into(25);
  flow.expect_certain(into, 1);
  EXPECT_TRUE(flow.awaits());
  EXPECT_EQ(flow.wanted(), 3U);
}

}  // namespace
}  // namespace quadrille::wire
