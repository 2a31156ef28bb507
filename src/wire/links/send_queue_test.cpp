// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/send_queue.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

// Fills the queue `times` times, each time when `apart` has passed and `each` more were put in.
void fill(SendQueue& queue, int times, std::uint64_t each, Nanoseconds apart) {
  static std::uint64_t sent = 0;
  static Nanoseconds now{0};
  for (int i = 0; i < times; ++i) {
    queue.is_full(sent += each, now = now + apart);
  }
}

TEST(SendQueue, is_short_where_a_datagram_takes_long) {
  SendQueue queue;
  EXPECT_EQ(queue.length(), SendQueue::usual);
  fill(queue, 6, 1, Nanoseconds{484'000});  // 25 Mbit/s
  EXPECT_EQ(queue.length(), SendQueue::least);
  EXPECT_TRUE(queue.is_short());
}

TEST(SendQueue, holds_what_leaves_in_a_tenth_of_a_millisecond) {
  SendQueue queue;
  fill(queue, 20, 8, Nanoseconds{98'400});  // 1 Gbit/s
  EXPECT_EQ(queue.length(), 8U);
  EXPECT_FALSE(queue.is_short());
  fill(queue, 200, 100, Nanoseconds{98'400});
  EXPECT_EQ(queue.length(), SendQueue::most);
}

TEST(SendQueue, grows_again_where_an_interface_reports_several_at_a_time) {
  SendQueue queue;
  fill(queue, 6, 1, Nanoseconds{484'000});
  ASSERT_EQ(queue.length(), SendQueue::least);
  // All of the queue, and nothing in between: a longer one is emptied as fast.
  for (int i = 0; i < 200; ++i) fill(queue, 1, queue.length(), Nanoseconds{50'000});
  EXPECT_EQ(queue.length(), SendQueue::most);
}

TEST(SendQueue, learns_nothing_from_a_burst_or_from_a_pause) {
  SendQueue queue;
  fill(queue, 2, 4, Nanoseconds{10'000});
  EXPECT_EQ(queue.length(), SendQueue::usual);
  fill(queue, 3, 1, Nanoseconds{1'000'000'000});
  EXPECT_EQ(queue.length(), SendQueue::usual);
}

}  // namespace
}  // namespace quadrille::wire
