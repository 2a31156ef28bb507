// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace quadrille {
namespace {

struct Event {
  std::int64_t at_ns = 0;
  int number = 0;  // in the order of coming in
  bool operator==(const Event&) const = default;
};

TEST(EventQueue, gives_what_a_sorted_list_gives_equal_times_as_they_came_in) {
  std::mt19937_64 random(7);
  for (const std::int64_t spread : {1, 3, 1'000, 1'000'000'000}) {
    EventQueue<Event> queue;
    std::vector<Event> list;
    std::int64_t now_ns = 0;
    int number = 0;
    for (int turn = 0; turn < 3'000; ++turn) {
      const auto more = turn < 1'500 ? random() % 4 : 0;
      for (std::uint64_t i = 0; i < more; ++i) {
        const auto later = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spread));
        list.push_back({now_ns + later, number++});
        queue.push(list.back());
      }
      ASSERT_EQ(queue.empty(), list.empty());
      if (list.empty()) continue;
      const auto first = std::ranges::min_element(list, {}, &Event::at_ns);
      ASSERT_EQ(queue.take(), *first);
      now_ns = first->at_ns;
      list.erase(first);
    }
  }
}

}  // namespace
}  // namespace quadrille
