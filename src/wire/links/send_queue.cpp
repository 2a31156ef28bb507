// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/send_queue.h"

#include <algorithm>
#include <utility>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds queued_for{100'000};
// Interfaces send, and report, several at a time.
constexpr Nanoseconds shortest_look{1'000'000};
constexpr std::uint64_t fewest_datagrams = 16;
// Full again so soon after there was room: it had never been empty for want of datagrams.
constexpr Nanoseconds soon{200'000};

// Of the best rate: below the first others take more than their share, above the second they do
// not.
constexpr double shared = 0.5;
constexpr double alone = 0.75;
constexpr double forgotten = 1.0 / 64;  // of the best rate at each look

}  // namespace

void SendQueue::Rate::add(std::uint64_t bytes, Nanoseconds time) {
  bytes_ += bytes;
  time_ = time_ + time;
}
bool SendQueue::Rate::is_known() const {
  return bytes_ >= fewest_datagrams * large_datagram && time_ >= shortest_look;
}
double SendQueue::Rate::per_ns() const {
  return static_cast<double>(bytes_) / static_cast<double>(time_.value);
}

void SendQueue::took(std::size_t bytes, Nanoseconds now) {
  taken_ = bytes;
  taken_at_ = now;
}

double SendQueue::taken_leave_in_time(Nanoseconds now) const {
  const auto time = static_cast<double>(std::max((now - taken_at_).value, std::int64_t{1}));
  return static_cast<double>(taken_) * static_cast<double>(queued_for.value) / time;
}

void SendQueue::found_empty(Nanoseconds now) {
  // A shaper lets some pass at once.
  const double bytes = std::min(taken_leave_in_time(now), 2 * static_cast<double>(taken_));
  if (bytes > static_cast<double>(message_bytes_)) set_message_bytes(bytes);
}

void SendQueue::found_still_full(Nanoseconds now) {
  const double bytes = taken_leave_in_time(now);
  if (!is_measured_ && bytes < static_cast<double>(message_bytes_)) set_message_bytes(bytes);
}

void SendQueue::set_message_bytes(double bytes) {
  message_bytes_ =
      static_cast<std::size_t>(std::clamp<double>(bytes, least_message_bytes, most_message_bytes));
}

void SendQueue::found_room(Nanoseconds now) {
  is_full_ = false;
  room_since_ = now;
}

bool SendQueue::found_full(Sent sent, Nanoseconds now) {
  is_full_ = true;
  const bool tells = !is_changed_ && now - room_since_ < soon;
  const Sent before = std::exchange(sent_at_full_, sent);
  const Nanoseconds time = now - full_since_;
  full_since_ = now;
  is_changed_ = false;
  if (!tells) return false;
  const std::uint64_t bytes = sent.bytes - before.bytes;
  all_.add(bytes, time);
  // Else this end came late, and nothing may have been left.
  if (alone_ && sent.datagrams - before.datagrams < length_) in_time_.add(bytes, time);
  if (in_time_.is_known()) compare_with_best(std::exchange(in_time_, {}).per_ns());
  if (!all_.is_known()) return false;
  const double bytes_waiting =
      static_cast<double>(queued_for.value) * std::exchange(all_, {}).per_ns();
  is_measured_ = true;
  set_message_bytes(bytes_waiting);
  const double waiting = bytes_waiting / large_datagram;
  return set(
      std::max(std::clamp(static_cast<std::size_t>(waiting), least, most), least + among_others_));
}

void SendQueue::compare_with_best(double per_ns) {
  best_per_ns_ = std::max(per_ns, best_per_ns_ - forgotten * (best_per_ns_ - per_ns));
  if (per_ns < shared * best_per_ns_) {
    among_others_ = std::min(2 * among_others_ + least, most_among_others - least);
  } else if (per_ns > alone * best_per_ns_) {
    among_others_ /= 2;
  }
}

// Not for little, as each change is a system call.
bool SendQueue::set(std::size_t wanted) {
  const bool is_much = wanted >= 2 * length_ || length_ >= 2 * wanted || wanted == least;
  if (!is_much || wanted == length_) return false;
  length_ = wanted;
  is_changed_ = true;
  return true;
}

}  // namespace quadrille::wire
