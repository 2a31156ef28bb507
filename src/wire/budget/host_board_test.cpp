// SPDX-License-Identifier: BSD-3-Clause
#include "wire/budget/host_board.h"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace quadrille::wire {
namespace {

constexpr std::uint32_t address = 0x7f000001;

class HostBoardTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(start_cryptography());
    randombytes_buf(job_.data(), job_.size());
  }
  std::unique_ptr<HostBoard> join() const { return HostBoard::join(job_, address); }

  // A process that joins, takes so much and stands until it is killed.
  pid_t holder_that_takes(std::uint32_t packets) const {
    std::array<int, 2> told{};
    EXPECT_EQ(pipe(told.data()), 0);
    const pid_t process = fork();
    if (process == 0) {
      const auto joined = join();
      std::optional<CreditBudget> budget;
      if (joined) budget.emplace(joined->board(), joined->holder(), 10);
      if (budget && budget->take(packets) == packets && write(told[1], "x", 1) == 1) pause();
      _exit(1);
    }
    close(told[1]);
    char byte = 0;
    EXPECT_EQ(read(told[0], &byte, 1), 1);
    close(told[0]);
    return process;
  }
  static void end(pid_t process) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  Secret job_{};
};

TEST_F(HostBoardTest, holders_of_one_process_have_one_board_and_places_of_their_own) {
  const auto wire = join();
  const auto provider = join();
  ASSERT_TRUE(wire && provider);
  EXPECT_EQ(wire->identity(), provider->identity());
  EXPECT_NE(wire->holder(), provider->holder());
  CreditBudget first(wire->board(), wire->holder(), 10);
  CreditBudget second(provider->board(), provider->holder(), 10);
  EXPECT_EQ(first.take(7), 7U);
  EXPECT_EQ(second.take(7), 3U);
}

TEST_F(HostBoardTest, processes_that_start_at_once_find_the_same_board) {
  constexpr int processes = 12;
  std::array<int, 2> told{};
  ASSERT_EQ(pipe(told.data()), 0);
  std::vector<pid_t> all;
  for (int i = 0; i < processes; ++i) {
    all.push_back(fork());
    if (all.back() > 0) continue;
    const auto joined = join();
    const std::array<std::uint64_t, 2> found{joined ? joined->identity() : 0,
                                             joined ? joined->holder() : 0};
    if (write(told[1], found.data(), sizeof found) > 0) pause();
    _exit(1);
  }
  std::set<std::uint64_t> boards;
  std::set<std::uint64_t> places;
  for (int i = 0; i < processes; ++i) {
    std::array<std::uint64_t, 2> found{};
    ASSERT_EQ(read(told[0], found.data(), sizeof found), static_cast<ssize_t>(sizeof found));
    boards.insert(found[0]);
    places.insert(found[1]);
  }
  for (const pid_t process : all) end(process);
  EXPECT_EQ(boards.size(), 1U);
  EXPECT_FALSE(boards.contains(0));
  EXPECT_EQ(places.size(), static_cast<std::size_t>(processes));
}

TEST_F(HostBoardTest, what_a_killed_holder_had_is_free_when_somebody_joins) {
  const pid_t killed = holder_that_takes(4);
  const pid_t other = holder_that_takes(5);
  end(killed);
  const auto joined = join();
  ASSERT_TRUE(joined);
  CreditBudget budget(joined->board(), joined->holder(), 10);
  EXPECT_EQ(budget.taken(), 5U) << "the board is the other's, though who made it is gone";
  EXPECT_EQ(budget.take(9), 5U);
  end(other);
}

TEST_F(HostBoardTest, places_of_several_that_were_killed_are_emptied) {
  const std::array<pid_t, 3> killed{holder_that_takes(1), holder_that_takes(2),
                                    holder_that_takes(3)};
  const pid_t other = holder_that_takes(3);
  for (const pid_t process : killed) end(process);
  const auto joined = join();
  ASSERT_TRUE(joined);
  EXPECT_EQ(CreditBudget(joined->board(), joined->holder(), 10).taken(), 3U);
  end(other);
}

TEST_F(HostBoardTest, nothing_is_left_of_a_board_whose_holders_were_all_killed) {
  const pid_t killed = holder_that_takes(9);
  end(killed);
  const auto joined = join();
  ASSERT_TRUE(joined);
  CreditBudget budget(joined->board(), joined->holder(), 16);
  EXPECT_EQ(budget.taken(), 0U);
  EXPECT_EQ(budget.limit(), 16U) << "that one had 10";
}

TEST_F(HostBoardTest, jobs_and_addresses_have_boards_of_their_own) {
  const auto one = join();
  const auto other_address = HostBoard::join(job_, address + 1);
  randombytes_buf(job_.data(), job_.size());
  const auto other_job = join();
  ASSERT_TRUE(one && other_address && other_job);
  const std::set<std::uint64_t> boards{one->identity(), other_address->identity(),
                                       other_job->identity()};
  EXPECT_EQ(boards.size(), 3U);
}

TEST_F(HostBoardTest, who_comes_when_all_places_are_taken_gets_none) {
  std::vector<std::unique_ptr<HostBoard>> all;
  for (std::size_t i = 0; i < CreditBoard::holders; ++i) all.push_back(join());
  EXPECT_TRUE(all.back());
  EXPECT_FALSE(join());
  all[100].reset();
  const auto next = join();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->holder(), 100U);
}

}  // namespace
}  // namespace quadrille::wire
