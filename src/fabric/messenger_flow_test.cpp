// SPDX-License-Identifier: BSD-3-Clause
// What is on its way at a time, with flow control and without.
#include <gtest/gtest.h>
#include <sodium.h>

#include <vector>

#include "fabric/messenger_fixture.h"

namespace quadrille::fabric {
namespace {

class MessengerFlowTest : public MessengersTest {
 protected:
  // Three send to the last one at once; returns the most datagrams under way.
  std::size_t flood(bool flow_control, unsigned loss_per_mille) {
    ends_.clear();
    keys_.clear();
    done_.clear();
    flow_control_ = flow_control;
    loss_per_mille_ = loss_per_mille;
    make(4);
    const auto sent = contents(400'000, 1);
    std::vector<std::vector<std::byte>> into(3, std::vector<std::byte>(sent.size()));
    for (std::size_t from = 0; from < 3; ++from)
      receive(3, into[from], {.from = peer(3, from), .tag = 1});
    most_flights_ = 0;
    for (std::size_t from = 0; from < 3; ++from) send(from, 3, sent, 1);
    run();
    for (const auto& message : into) EXPECT_EQ(message, sent);
    return most_flights_;
  }
};

TEST_F(MessengerFlowTest, receivers_let_no_more_come_than_the_network_holds) {
  EXPECT_LT(flood(true, 0), 40U);
}

TEST_F(MessengerFlowTest, ranks_of_a_host_and_its_wire_let_no_more_come_than_the_network_holds) {
  wire::Secret job{};
  randombytes_buf(job.data(), job.size());
  std::vector<std::unique_ptr<wire::HostBoard>> boards;
  last_host_ = 3;
  board_of_ = [&](std::size_t number) {
    if (number < last_host_) return static_cast<wire::HostBoard*>(nullptr);
    boards.push_back(wire::HostBoard::join(job, last_host_));
    return boards.back().get();
  };
  make(6);
  ASSERT_EQ(boards.size(), 3U);
  const auto wire = wire::HostBoard::join(job, last_host_);
  wire::CreditBudget of_wire(wire->board(), wire->holder(), 16);
  EXPECT_EQ(of_wire.limit(), 16U);
  EXPECT_EQ(of_wire.take(8), 8U);
  const auto sent = contents(200'000, 1);
  std::vector<std::vector<std::byte>> into(9, std::vector<std::byte>(sent.size()));
  for (std::size_t i = 0; i < 9; ++i) {
    receive(3 + i % 3, into[i], {.from = peer(3 + i % 3, i / 3), .tag = 1});
    send(i / 3, 3 + i % 3, sent, 1);
  }
  std::uint32_t most_taken = 0;
  while (step()) most_taken = std::max(most_taken, of_wire.taken());
  run();
  for (const auto& message : into) EXPECT_EQ(message, sent);
  EXPECT_LE(most_taken, 16U + 3U) << "one each where nothing was left";
  EXPECT_GT(most_taken, 12U);
  EXPECT_EQ(of_wire.taken(), 8U);
  ends_.clear();
}

TEST_F(MessengerFlowTest, who_sends_to_one_at_once_shares_what_it_grants) {
  make(5);
  const auto sent = contents(300'000, 1);
  std::vector<std::vector<std::byte>> into(4, std::vector<std::byte>(sent.size()));
  for (std::size_t from = 0; from < 4; ++from)
    receive(4, into[from], {.from = peer(4, from), .tag = 1}, from);
  for (std::size_t from = 0; from < 4; ++from) send(from, 4, sent, 1);
  std::size_t most = 0;  // datagrams of one under way, once all have been granted some
  for (std::size_t steps = 0; steps < 60; ++steps) {
    ASSERT_TRUE(step());
    if (steps > 10) most = std::max(most, *std::ranges::max_element(long_flights_));
  }
  run();
  for (const auto& message : into) EXPECT_EQ(message, sent);
  EXPECT_GT(most, 0U);
  EXPECT_LE(most, 9U) << "a quarter of 22, and some";
}

TEST_F(MessengerFlowTest, a_peer_that_is_lost_holds_no_credit) {
  wire::Secret job{};
  randombytes_buf(job.data(), job.size());
  std::unique_ptr<wire::HostBoard> board;
  board_of_ = [&](std::size_t number) {
    if (number == 0) board = wire::HostBoard::join(job, 1);
    return number == 0 ? board.get() : nullptr;
  };
  make(3);
  const auto taken = [&] { return board->board().taken[board->holder()].load(); };
  const auto sent = contents(200'000, 1);
  std::vector<std::byte> into(sent.size());
  receive(0, into, {.from = peer(0, 1), .tag = 1});
  send(1, 0, sent, 1);
  while (taken() == 0) ASSERT_TRUE(step());
  dead_ = 1;
  flights_.clear();
  run();
  ASSERT_EQ(done_[0].size(), 1U);
  EXPECT_EQ(done_[0].front().outcome, Outcome::peer_lost);
  EXPECT_EQ(taken(), 0U);
  ends_.clear();
}

TEST_F(MessengerFlowTest, without_flow_control_everything_comes_at_once) {
  EXPECT_GT(flood(false, 0), 700U) << "277 datagrams of each";
}

TEST_F(MessengerFlowTest, without_flow_control_losses_come_again_and_lower_nothing) {
  EXPECT_GT(flood(false, 100), 400U);
}

}  // namespace
}  // namespace quadrille::fabric
