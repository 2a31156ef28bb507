// SPDX-License-Identifier: BSD-3-Clause
#include "base/context_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace quadrille {
namespace {

using Agreement = ContextNumbers::Agreement;
using Offer = ContextNumbers::Offer;

constexpr std::size_t processes = 2;

Offer common_part(const std::array<Offer, processes>& offers) {
  Offer common = offers.front();
  for (const Offer& offer : offers)
    std::ranges::transform(common, offer, common.begin(), std::bit_and<>());
  return common;
}

// A communicator of both processes.
struct Creation {
  explicit Creation(std::size_t first) {
    for (std::size_t process = 0; process < processes; ++process)
      agreements.emplace_back(process == first, static_cast<int>(process));
  }
  std::vector<Agreement> agreements;
  std::array<Offer, processes> offers{};
  bool over = false;

  void offer(std::array<ContextNumbers, processes>& numbers, std::size_t process) {
    if (!over) offers[process] = numbers[process].offer(agreements[process]);
  }
  void take(std::array<ContextNumbers, processes>& numbers) {
    if (over) return;
    const Offer common = common_part(offers);
    for (std::size_t process = 0; process < processes; ++process)
      over = numbers[process].take(agreements[process], common);
  }
};

std::optional<std::uint32_t> agreed(std::array<ContextNumbers, processes>& numbers) {
  Creation alone(0);
  for (std::size_t process = 0; process < processes; ++process) alone.offer(numbers, process);
  alone.take(numbers);
  EXPECT_TRUE(alone.over);
  EXPECT_EQ(alone.agreements[0].number(), alone.agreements[1].number());
  return alone.agreements[0].number();
}

TEST(ContextNumbers, are_free_on_all_ranks_and_unused_ones_come_first) {
  std::array<ContextNumbers, processes> numbers;
  EXPECT_EQ(agreed(numbers), 0U);
  EXPECT_EQ(agreed(numbers), 1U);
  for (ContextNumbers& one : numbers) one.release(0);
  EXPECT_EQ(agreed(numbers), 2U);
  for (std::uint32_t number = 3; number < 64; ++number) EXPECT_EQ(agreed(numbers), number);
  EXPECT_EQ(agreed(numbers), 0U);
  numbers[0].release(5);
  EXPECT_EQ(agreed(numbers), 64U);
}

TEST(ContextNumbers, none_is_left_on_any_rank_where_all_are_in_use) {
  std::array<ContextNumbers, processes> numbers;
  for (std::uint32_t number = 0; number < ContextNumbers::nobodys; ++number)
    EXPECT_EQ(agreed(numbers), number);
  EXPECT_EQ(agreed(numbers), std::nullopt);
  numbers[1].release(7);
  EXPECT_EQ(agreed(numbers), std::nullopt);
  numbers[0].release(7);
  EXPECT_EQ(agreed(numbers), 7U);
}

TEST(ContextNumbers, who_withdraws_its_offer_lets_others_of_its_process_offer) {
  std::array<ContextNumbers, processes> numbers;
  Agreement failing(true, 0);
  numbers[0].offer(failing);
  numbers[0].withdraw(failing);
  EXPECT_EQ(agreed(numbers), 0U);
}

// Threads of both processes offer at the same time, in another order on each.
void meet_crossed(std::array<ContextNumbers, processes>& numbers, Creation& one, Creation& other) {
  one.offer(numbers, 0);
  other.offer(numbers, 0);
  other.offer(numbers, 1);
  one.offer(numbers, 1);
  one.take(numbers);
  other.take(numbers);
}

TEST(ContextNumbers, threads_in_other_orders_on_each_rank_do_not_fail_each_other_for_ever) {
  std::array<ContextNumbers, processes> numbers;
  for (std::size_t first = 0; first < processes; ++first) {
    Creation one(first);
    Creation other(1 - first);
    int rounds = 0;
    for (; rounds < 100 && !(one.over && other.over); ++rounds) meet_crossed(numbers, one, other);
    EXPECT_LE(rounds, 3);
    EXPECT_TRUE(one.over && other.over);
    EXPECT_NE(one.agreements[0].number(), other.agreements[0].number());
    EXPECT_EQ(one.agreements[0].number(), one.agreements[1].number());
    EXPECT_EQ(other.agreements[0].number(), other.agreements[1].number());
  }
}

TEST(ContextNumbers, who_has_failed_goes_before_those_that_come_later) {
  std::array<ContextNumbers, processes> numbers;
  Creation one(0);
  Creation other(1);
  meet_crossed(numbers, one, other);
  ASSERT_FALSE(one.over || other.over);
  Creation later(0);
  for (int rounds = 0; rounds < 2; ++rounds) {
    for (Creation* const each : {&later, &one, &other}) {
      for (std::size_t process = 0; process < processes; ++process) each->offer(numbers, process);
    }
    for (Creation* const each : {&later, &one, &other}) each->take(numbers);
  }
  EXPECT_TRUE(one.over && other.over);
  EXPECT_FALSE(later.over);
  for (std::size_t process = 0; process < processes; ++process) later.offer(numbers, process);
  later.take(numbers);
  EXPECT_TRUE(later.over);
}

}  // namespace
}  // namespace quadrille
