// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/send_queue.h"

#include <algorithm>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds queued_for{100'000};
// Interfaces send, and report, several at a time.
constexpr Nanoseconds shortest_look{1'000'000};
// In so long the queue may have been empty.
constexpr Nanoseconds longest_look{20'000'000};

}  // namespace

bool SendQueue::is_full(std::uint64_t sent, Nanoseconds now) {
  const Nanoseconds passed = full_ ? now - full_->time : longest_look;
  if (passed < shortest_look) return false;
  const auto before = full_;
  full_ = Full{.sent = sent, .time = now};
  if (passed >= longest_look) return false;
  const auto left = static_cast<std::int64_t>(sent - before->sent);
  const auto wanted =
      std::clamp(static_cast<std::size_t>(left * queued_for.value / passed.value), least, most);
  // Not for little, as each change is a system call.
  if (wanted < 2 * length_ && length_ < 2 * wanted) return false;
  length_ = wanted;
  return true;
}

}  // namespace quadrille::wire
