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

class SendQueueMessagesTest : public testing::Test {
 protected:
  // The queue takes so many bytes, which have left when it is looked at next.
  void send_and_find_empty(std::size_t bytes, Nanoseconds after) {
    queue_.took(bytes, now_);
    now_ = now_ + after;
    queue_.found_empty(now_);
  }
  // It takes them, and is full still when it is looked at for the last time.
  void send_and_find_full(std::size_t bytes, Nanoseconds after) {
    queue_.took(bytes, now_);
    now_ = now_ + after;
    queue_.found_still_full(now_);
  }

  static constexpr std::size_t few = SendQueue::usual * 1538;
  static constexpr std::size_t all = longest_run * 1538;
  SendQueue queue_{true};
  Nanoseconds now_{1'000'000'000};
};

TEST_F(SendQueueMessagesTest, messages_are_long_until_a_slow_link_shows) {
  EXPECT_EQ(queue_.message_bytes(), all);
  send_and_find_full(15 * 1538, Nanoseconds{7'000'000});  // 25 Mbit/s
  EXPECT_EQ(queue_.message_bytes(), few);
}

TEST_F(SendQueueMessagesTest, messages_leave_in_a_tenth_of_a_millisecond) {
  send_and_find_full(all, Nanoseconds{540'000});  // 1 Gbit/s
  EXPECT_NEAR(static_cast<double>(queue_.message_bytes()), 12'500, 100);
}

TEST_F(SendQueueMessagesTest, messages_double_where_the_queue_is_soon_empty) {
  send_and_find_full(15 * 1538, Nanoseconds{7'000'000});
  send_and_find_empty(few, Nanoseconds{5'000});
  EXPECT_EQ(queue_.message_bytes(), 2 * few);
  for (int i = 0; i < 5; ++i) send_and_find_empty(queue_.message_bytes(), Nanoseconds{20'000});
  EXPECT_EQ(queue_.message_bytes(), all);
  EXPECT_FALSE(queue_.may_grow());
}

TEST_F(SendQueueMessagesTest, an_empty_queue_tells_nothing_after_a_pause_or_of_one_datagram) {
  send_and_find_full(15 * 1538, Nanoseconds{7'000'000});
  send_and_find_empty(15 * 1538, Nanoseconds{20'000'000});
  EXPECT_EQ(queue_.message_bytes(), few);
  send_and_find_empty(1538, Nanoseconds{2'000});  // let through at once, by a shaper
  EXPECT_EQ(queue_.message_bytes(), few);
}

TEST_F(SendQueueMessagesTest, what_is_measured_of_a_full_queue_holds) {
  SendQueue::Sent sent;
  for (int i = 0; i < 40; ++i) {
    now_ = now_ + Nanoseconds{98'400};  // 1 Gbit/s
    if (queue_.is_full()) queue_.found_room(now_);
    sent.datagrams += 8;
    sent.bytes += 8 * 1538;
    queue_.found_full(sent, now_);
  }
  EXPECT_NEAR(static_cast<double>(queue_.message_bytes()), 12'500, 100);
  send_and_find_full(1538, Nanoseconds{300'000});  // behind others
  EXPECT_NEAR(static_cast<double>(queue_.message_bytes()), 12'500, 100);
}
}  // namespace
}  // namespace quadrille::wire
