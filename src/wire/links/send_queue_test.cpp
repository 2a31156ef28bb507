// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/send_queue.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

class SendQueueTest : public testing::Test {
 protected:
  // Fills the queue `times` times: each time when `apart` has passed `each` more are put in.
  void fill(SendQueue& queue, int times, std::uint64_t each, Nanoseconds apart) {
    for (int i = 0; i < times; ++i) {
      now_ = now_ + apart;
      if (queue.is_full()) queue.found_room(now_);
      sent_.datagrams += each;
      sent_.bytes += each * 1538;
      now_ = now_ + pause_;
      queue.found_full(sent_, now_);
    }
  }
  void fill(int times, std::uint64_t each, Nanoseconds apart) { fill(queue_, times, each, apart); }

  SendQueue queue_{true};
  Nanoseconds pause_{};  // from room to full again

 private:
  SendQueue::Sent sent_;
  Nanoseconds now_{1'000'000'000};
};

constexpr Nanoseconds one_at_25_mbit{484'000};

TEST_F(SendQueueTest, is_short_where_a_datagram_takes_long) {
  EXPECT_EQ(queue_.length(), SendQueue::usual);
  fill(40, 1, one_at_25_mbit);
  EXPECT_EQ(queue_.length(), SendQueue::least);
  EXPECT_TRUE(queue_.is_short());
}

TEST_F(SendQueueTest, holds_what_leaves_in_a_tenth_of_a_millisecond) {
  fill(40, 8, Nanoseconds{98'400});  // 1 Gbit/s
  EXPECT_EQ(queue_.length(), 8U);
  EXPECT_FALSE(queue_.is_short());
  fill(400, 100, Nanoseconds{98'400});
  EXPECT_EQ(queue_.length(), SendQueue::most);
}

TEST_F(SendQueueTest, grows_again_where_an_interface_reports_several_at_a_time) {
  fill(40, 1, one_at_25_mbit);
  ASSERT_EQ(queue_.length(), SendQueue::least);
  // All of the queue, and nothing in between: a longer one is emptied as fast.
  for (int i = 0; i < 2000; ++i) fill(1, queue_.length(), Nanoseconds{50'000});
  EXPECT_EQ(queue_.length(), SendQueue::most);
}

TEST_F(SendQueueTest, learns_nothing_from_a_burst_or_from_pauses) {
  fill(2, 40, Nanoseconds{10'000});
  EXPECT_EQ(queue_.length(), SendQueue::usual);
  pause_ = Nanoseconds{2'000'000};
  fill(100, 20, Nanoseconds{100'000});
  EXPECT_EQ(queue_.length(), SendQueue::usual);
}

TEST_F(SendQueueTest, is_longer_while_others_leave_by_the_same_interface) {
  fill(100, 1, one_at_25_mbit);
  ASSERT_EQ(queue_.length(), SendQueue::least);
  fill(100, 1, one_at_25_mbit * 5);
  EXPECT_EQ(queue_.length(), SendQueue::most_among_others);
  fill(200, 1, one_at_25_mbit);
  EXPECT_EQ(queue_.length(), SendQueue::least);
}

TEST_F(SendQueueTest, stays_short_where_its_end_comes_late) {
  fill(100, 1, one_at_25_mbit);
  fill(100, 2, one_at_25_mbit * 5);
  EXPECT_EQ(queue_.length(), SendQueue::least);
}

TEST_F(SendQueueTest, stays_short_where_it_is_the_own_hosts_ranks_that_share) {
  SendQueue queue(false);
  fill(queue, 100, 1, one_at_25_mbit);
  fill(queue, 100, 1, one_at_25_mbit * 4);
  EXPECT_EQ(queue.length(), SendQueue::least);
}

}  // namespace
}  // namespace quadrille::wire
