// SPDX-License-Identifier: BSD-3-Clause
#include "wire/flow/fifo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>

namespace quadrille::wire {
namespace {

TEST(Fifo, HoldsWhatADequeWould) {
  Fifo<int> fifo;
  std::deque<int> deque;
  std::uint32_t random = 1;
  for (int step = 0; step < 20'000; ++step) {
    random = random * 1664525 + 1013904223;
    // Longer and shorter in turn.
    const bool grows = random >> 30 < (step / 500 % 2 == 0 ? 3U : 1U);
    if (grows || deque.empty()) {
      fifo.push_back(step);
      deque.push_back(step);
    } else {
      fifo.pop_front();
      deque.pop_front();
    }
    ASSERT_EQ(fifo.size(), deque.size());
    ASSERT_EQ(fifo.empty(), deque.empty());
    if (deque.empty()) continue;
    ASSERT_EQ(fifo.front(), deque.front());
    ASSERT_EQ(fifo.back(), deque.back());
    ASSERT_EQ(fifo[deque.size() / 2], deque[deque.size() / 2]);
    if (step % 100 != 0) continue;
    ASSERT_TRUE(std::equal(fifo.begin(), fifo.end(), deque.begin()));
  }
}

TEST(Fifo, LetsGoOfWhatHasLeft) {
  Fifo<std::shared_ptr<int>> fifo;
  const auto first = std::make_shared<int>(1);
  const auto second = std::make_shared<int>(2);
  fifo.push_back(first);
  fifo.push_back(second);
  fifo.push_back(second);
  fifo.pop_front();
  EXPECT_EQ(first.use_count(), 1);
  fifo.clear();
  EXPECT_EQ(second.use_count(), 1);
  EXPECT_TRUE(fifo.empty());
}

}  // namespace
}  // namespace quadrille::wire
