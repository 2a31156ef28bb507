// SPDX-License-Identifier: BSD-3-Clause
// Never more than the limit, never stuck.
#include "wire/budget/credit_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds start_time{1'000'000'000};

TEST(CreditBudget, holders_together_take_no_more_than_the_limit_but_one_each) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget first(*board, 0, 10);
  CreditBudget second(*board, 1, 10);
  EXPECT_EQ(first.take(7), 7U);
  EXPECT_EQ(second.take(7), 3U);
  EXPECT_EQ(second.take(1), 0U);
  first.give_back(2);
  EXPECT_EQ(second.take(5), 2U);
  CreditBudget third(*board, 2, 10);
  EXPECT_EQ(third.take(4), 1U) << "who has nothing gets on, even if the others never give back";
  EXPECT_EQ(third.take(4), 0U);
}

TEST(CreditBudget, is_idle_while_nothing_that_was_taken_comes) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget holder(*board, 0, 4);
  EXPECT_EQ(holder.take(4), 4U);
  EXPECT_EQ(holder.idle(), 4U);
  EXPECT_EQ(holder.take(3, 2), 2U) << "what is guaranteed, beyond the limit";
  holder.comes_from_one(true);
  EXPECT_EQ(holder.idle(), 0U);
  holder.comes_from_one(false);
  EXPECT_EQ(holder.idle(), 6U);
}

// As if a packet came for who has more, again and again, and its receiver wanted the next.
std::uint32_t after_arrivals(CreditBudget& greedy, CreditBudget& late) {
  for (int i = 0; i < 100; ++i) {
    greedy.give_back(1);
    greedy.take(1);
    late.take(16);
  }
  return late.own();
}

TEST(CreditBudget, who_comes_late_gets_its_share_of_what_another_takes_again_at_once) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget greedy(*board, 0, 16);
  CreditBudget late(*board, 1, 16);
  EXPECT_EQ(greedy.take(16), 16U);
  EXPECT_EQ(after_arrivals(greedy, late), 8U);
  EXPECT_EQ(greedy.own(), 8U);
  EXPECT_EQ(greedy.share(), 8U);
  CreditBudget third(*board, 2, 16);
  EXPECT_EQ(third.take(1), 1U) << "it wants no more, so nobody makes room for it";
  EXPECT_EQ(late.take(1), 0U);
}

TEST(CreditBudget, a_holder_that_wants_nothing_more_leaves_all_to_the_others) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget one(*board, 0, 16);
  {
    CreditBudget credit_blocked(*board, 1, 16);
    EXPECT_EQ(one.take(16), 16U);
    EXPECT_EQ(credit_blocked.take(4), 1U);
    one.give_back(16);
    EXPECT_EQ(one.take(16), 8U);
    EXPECT_EQ(credit_blocked.take(3), 3U);
    EXPECT_EQ(one.take(16), 4U) << "it has got what it wanted";
    EXPECT_EQ(credit_blocked.take(9), 0U);
  }
  one.give_back(12);
  EXPECT_EQ(one.take(16), 16U) << "it is gone, and no longer credit-blocked";
}

TEST(CreditBudget, the_lowest_ceiling_that_a_holder_brings_is_the_boards) {
  auto board = std::make_unique<CreditBoard>();
  const CreditBudget first(*board, 0, 18);
  const CreditBudget second(*board, 1, 16);
  const CreditBudget third(*board, 2, 20);
  EXPECT_EQ(first.limit(), 16U);
  EXPECT_EQ(board->start.load(), 16U);
}

TEST(CreditBudget, what_a_holder_had_is_free_when_it_ends_or_its_place_is_taken_again) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget other(*board, 1, 10);
  {
    CreditBudget holder(*board, 0, 10);
    EXPECT_EQ(holder.take(10), 10U);
  }
  EXPECT_EQ(other.taken(), 0U);
  board->taken[0] = 9;  // it died
  EXPECT_EQ(other.take(5), 1U);
  const CreditBudget successor(*board, 0, 10);
  EXPECT_EQ(other.take(4), 4U);
}

TEST(CreditBudget, losses_lower_the_limit_by_an_eighth_each_and_arrivals_raise_it) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget budget(*board, 0, 16);
  budget.lost(start_time);
  EXPECT_EQ(budget.limit(), 14U);
  for (int i = 0; i < 4; ++i) budget.lost(start_time);
  EXPECT_EQ(budget.limit(), 10U);
  for (int i = 0; i < 9; ++i) budget.arrived(1);
  EXPECT_EQ(budget.limit(), 10U);
  budget.arrived(1);
  EXPECT_EQ(budget.limit(), 11U);
  for (int i = 0; i < 1000; ++i) budget.arrived(1);
  EXPECT_EQ(budget.limit(), 16U);
  for (int i = 0; i < 100; ++i) budget.lost(start_time);
  EXPECT_EQ(budget.limit(), 2U) << "enough for one packet arriving and one on its way";
}

// Half a limit's worth comes again and again, as fast as a link brings it.
void drain(CreditBudget& budget, std::int64_t ns_of_a_packet, Nanoseconds now) {
  for (int i = 0; i < 20; ++i) budget.drained_half_in({budget.limit() * ns_of_a_packet / 2}, now);
}

TEST(CreditBudget, grows_to_what_a_fast_link_drains_in_the_longest_queue) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget budget(*board, 0, 16, 1000);
  EXPECT_FALSE(budget.has_grown());
  drain(budget, 1230, start_time);  // 10 Gbit/s
  const auto drained = static_cast<std::uint32_t>(CreditBudget::longest_queue.value / 1230);
  EXPECT_LE(budget.limit(), drained + 1);
  EXPECT_GE(budget.limit(), drained - 2);
  EXPECT_TRUE(budget.has_grown());
  EXPECT_EQ(budget.grown(4), 4 * budget.limit() / 16);
}

TEST(CreditBudget, of_a_slow_link_stays_where_it_began) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget budget(*board, 0, 16, 1000);
  drain(budget, 12'300, start_time);  // 1 Gbit/s
  EXPECT_EQ(budget.limit(), 16U);
  EXPECT_EQ(budget.grown(4), 4U);
}

TEST(CreditBudget, grows_no_more_than_its_holders_can_keep) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget wide(*board, 0, 16, 1000);
  const CreditBudget narrow(*board, 1, 16, 40);
  drain(wide, 100, start_time);
  EXPECT_EQ(wide.limit(), 40U);
}

TEST(CreditBudget, grows_again_ever_later_after_losses_that_follow_growth) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget budget(*board, 0, 16, 1000);
  Nanoseconds now = start_time;
  for (std::int64_t pause = 1; pause <= 4; pause *= 2) {
    drain(budget, 1230, now);
    const std::uint32_t before = budget.limit();
    budget.lost(now);
    const std::uint32_t lowered = budget.limit();
    EXPECT_LT(lowered, before);
    budget.lost(now + CreditBudget::longest_queue - Nanoseconds{1});
    EXPECT_EQ(budget.limit(), lowered) << "of the same burst";
    now = now + CreditBudget::first_pause * pause - Nanoseconds{1};
    drain(budget, 1230, now);
    EXPECT_EQ(budget.limit(), lowered) << pause;
    now = now + Nanoseconds{1};
  }
}

TEST(CreditBudget, an_unlimited_one_is_lowered_by_no_loss) {
  auto board = std::make_unique<CreditBoard>();
  CreditBudget budget(*board, 0, CreditBudget::unlimited);
  for (int i = 0; i < 1000; ++i) budget.lost(start_time);
  EXPECT_EQ(budget.take(1'000'000), 1'000'000U);
}

TEST(CreditBudget, many_threads_stay_within_the_limit) {
  constexpr std::uint32_t limit = 12;
  auto board = std::make_unique<CreditBoard>();
  std::atomic<std::uint32_t> held{0};
  std::atomic<std::uint32_t> most{0};
  std::vector<std::thread> threads;
  for (std::size_t holder = 0; holder < 4; ++holder) {
    threads.emplace_back([&, holder] {
      CreditBudget budget(*board, holder, limit);
      for (int i = 0; i < 20000; ++i) {
        const std::uint32_t taken = budget.take(1 + static_cast<std::uint32_t>(i) % 7);
        const std::uint32_t now = held.fetch_add(taken) + taken;
        std::uint32_t before = most.load();
        while (now > before && !most.compare_exchange_weak(before, now)) {
        }
        held.fetch_sub(taken);
        budget.give_back(taken);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most.load(), limit + 4);
  EXPECT_EQ(held.load(), 0U);
}

}  // namespace
}  // namespace quadrille::wire
