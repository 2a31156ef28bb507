// SPDX-License-Identifier: BSD-3-Clause
#include "executor/background_calls.h"

#include <unistd.h>

#include <new>
#include <utility>

#include "base/thread_without_signals.h"

namespace quadrille {
namespace {

// Arrivals end a sleep. Where who drives the port in a blocking call takes them in, a sleep ends by
// itself.
constexpr Nanoseconds longest_wait{1'000'000};

}  // namespace

BackgroundCalls::BackgroundCalls(wire::Port& port) : port_(port), process_(getpid()) {}

BackgroundCalls::~BackgroundCalls() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
    for (const auto& queue : active_) {
      if (queue->has_begun_) queue->by_wire_.end(false);
    }
    active_.clear();
  }
  wake_.notify_all();
  if (!thread_.joinable()) return;
  if (getpid() == process_) {
    thread_.join();
  } else {
    thread_.detach();  // a forked child has none
  }
}

void BackgroundCalls::start(const std::shared_ptr<Queue>& queue,
                            std::shared_ptr<BackgroundCall> call) {
  ++drivers_;  // the thread makes way
  const std::scoped_lock lock(mutex_);
  --drivers_;
  if (!thread_.joinable()) thread_ = start_without_signals([this] { serve(); });
  const bool was_idle = queue->calls_.empty();
  if (was_idle) active_.push_back(queue);
  try {
    queue->calls_.push_back(std::move(call));
  } catch (...) {
    if (was_idle) active_.pop_back();
    throw;
  }
  if (was_idle && advance(*queue)) advance(*queue);  // what it sends first leaves now
  std::erase_if(active_, [](const auto& one) { return one->calls_.empty(); });
  wake_.notify_one();
}

bool BackgroundCalls::is_idle() {
  const std::scoped_lock lock(mutex_);
  return active_.empty();
}

bool BackgroundCalls::is_idle(const Queue& queue) {
  const std::scoped_lock lock(mutex_);
  return queue.calls_.empty();
}

std::vector<Rank> BackgroundCalls::missing_peers(const Queue& queue) {
  const std::scoped_lock lock(mutex_);
  return queue.has_begun_ ? queue.executor_.missing_peers() : std::vector<Rank>();
}

BackgroundCalls::Driving::~Driving() {
  // The thread looks at both with the lock held.
  const std::scoped_lock lock(calls_.mutex_);
  --calls_.drivers_;
  if (!calls_.active_.empty()) calls_.wake_.notify_one();
}

bool BackgroundCalls::Driving::turn() {
  const std::scoped_lock lock(calls_.mutex_);
  return calls_.turn();
}

bool BackgroundCalls::turn() {
  bool moved = false;
  for (const auto& queue : active_) moved = advance(*queue) || moved;
  std::erase_if(active_, [](const auto& queue) { return queue->calls_.empty(); });
  return moved;
}

Result<bool> BackgroundCalls::begin_next(Queue& queue) {
  const BackgroundCall& call = *queue.calls_.front();
  const BackgroundRanks& ranks = queue.ranks_;
  queue.by_wire_.begin({.port = &port_,
                        .channel = ranks.channel,
                        .element_bytes = static_cast<std::size_t>(call.memory_.element_stride),
                        .world_ranks = ranks.world_ranks,
                        .host_of_rank = ranks.host_of_rank,
                        .group = call.schedule_->schedule().group,
                        .group_senders = call.schedule_->group_roots(),
                        .rank = ranks.rank});
  queue.has_begun_ = true;
  return queue.executor_.begin(*call.schedule_, call.memory_, queue.by_wire_);
}

Result<bool> BackgroundCalls::look_at(Queue& queue) try {
  return queue.has_begun_ ? queue.executor_.go_on() : begin_next(queue);
} catch (const std::bad_alloc&) {
  return Error{ErrorKind::system, "no memory"};
}

// One look at the queue; calls that are done at once are followed by the next.
bool BackgroundCalls::advance(Queue& queue) {
  bool moved = false;
  while (!queue.calls_.empty()) {
    if (queue.broken_) {
      finish(queue, queue.broken_);
      continue;
    }
    const bool begins = !queue.has_begun_;
    const auto progressed = look_at(queue);
    if (!progressed.ok()) {
      finish(queue, progressed.error());
      continue;
    }
    moved = moved || begins || progressed.value() || queue.by_wire_.moved();
    if (!queue.executor_.is_done()) break;
    finish(queue, std::nullopt);
  }
  return moved;
}

void BackgroundCalls::finish(Queue& queue, std::optional<Error> error) {
  BackgroundCall& call = *queue.calls_.front();
  if (std::exchange(queue.has_begun_, false)) {
    const bool is_truncated = queue.by_wire_.fault() == ByWire::Fault::length;
    // No later call is to get what this one has not.
    const bool is_lost = is_truncated && (call.schedule_->has_message_after_message() ||
                                          queue.by_wire_.is_out_of_step());
    call.flows_ = queue.by_wire_.end(!error && !is_lost);
    call.is_truncated_ = is_truncated;
    if (is_lost)
      queue.broken_ =
          Error{ErrorKind::system, "an earlier nonblocking call had other lengths here"};
  }
  if (error) queue.broken_ = error;
  call.error_ = std::move(error);
  call.memory_ = {};
  call.done_.store(true, std::memory_order_release);
  queue.calls_.pop_front();
  ++finished_;
}

void BackgroundCalls::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || (drivers_ == 0 && !active_.empty()); });
    if (ending_) return;
    const bool moved = turn();
    lock.unlock();
    if (!moved) port_.wait(longest_wait);
    lock.lock();
  }
}

}  // namespace quadrille
