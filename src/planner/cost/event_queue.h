// SPDX-License-Identifier: BSD-3-Clause
// Events in the order of their times, those of one time in the order in which they came in. Nothing
// comes in before what was taken last, so that a radix heap does: a bucket for each highest bit in
// which a time differs from the last one taken. When the lowest is empty, the next is dealt out
// anew; an event only ever moves down, and no two are compared more than that takes.
//
// Source: Ahuja, Mehlhorn, Orlin and Tarjan, Faster Algorithms for the Shortest Path Problem,
//         Journal of the ACM 37 (1990), doi:10.1145/77600.77615
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quadrille {

// `Event` has a time, `at_ns`, of 0 or more.
template <typename Event>
class EventQueue {
 public:
  bool empty() const { return taken_ == buckets_[0].size() && filled_ == 0; }

  // REQUIRES: event.at_ns is no less than that of the last one taken.
  void push(const Event& event) {
    assert(event.at_ns >= last_ns_);
    const auto bucket = bucket_of(event);
    buckets_[bucket].push_back(event);
    if (bucket > 0) filled_ |= std::uint64_t{1} << (bucket - 1);
  }

  // REQUIRES: !empty().
  Event take() {
    if (taken_ == buckets_[0].size()) deal_out();
    return buckets_[0][taken_++];
  }

 private:
  std::size_t bucket_of(const Event& event) const {
    return static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(event.at_ns ^ last_ns_)));
  }

  // The earliest events come to the first bucket.
  void deal_out() {
    buckets_[0].clear();
    taken_ = 0;
    const int lowest = std::countr_zero(filled_);
    filled_ &= filled_ - 1;
    auto& events = buckets_[static_cast<std::size_t>(lowest) + 1];
    last_ns_ = std::ranges::min_element(events, {}, &Event::at_ns)->at_ns;
    for (const Event& event : events) push(event);
    events.clear();
  }

  std::array<std::vector<Event>, 65> buckets_;  // the first has those of the last time
  std::uint64_t filled_ = 0;                    // which of the others are not empty
  std::size_t taken_ = 0;                       // from the first
  std::int64_t last_ns_ = 0;
};

}  // namespace quadrille
