// SPDX-License-Identifier: BSD-3-Clause
// A thread that acts for an owner whom nobody calls: it sleeps in epoll until a descriptor that is
// watched is ready, or a time has come, and takes no signal. A descriptor is watched until it is
// ready once, so that where calls follow each other they cost neither wake-ups nor system calls
// for it.
//
// Thread rule: everything but the constructor and end() with the owner's mutex held, or before
// start().
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <thread>

#include "base/units.h"

namespace quadrille::wire {

class ServiceThread {
 public:
  static constexpr Nanoseconds never{std::numeric_limits<std::int64_t>::max()};
  static constexpr Nanoseconds shortest_sleep{100'000};

  // `mutex` guards what `act` works on and outlives the thread.
  explicit ServiceThread(std::mutex& mutex);
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;
  ~ServiceThread();

  // `act` is called with the mutex held, at once and each time that the thread has woken; it
  // returns when to wake it though no descriptor is ready, never for not at all. One that throws
  // is called again a little later. False where no descriptor or no thread is left.
  bool start(std::function<Nanoseconds()> act);
  // False in a forked child, which has no such thread; else it has ended.
  bool end();

  // Of epoll's events; 0: none for now. A descriptor that is closed is watched no more.
  bool add(int descriptor, std::uint32_t events);
  void watch(int descriptor, std::uint32_t events) const;
  // If it would wake later by itself. Wakes nobody now.
  void wake_by(Nanoseconds time);
  void wake_at(Nanoseconds time);

 private:
  void run();
  Nanoseconds act() noexcept;

  std::mutex& mutex_;
  std::function<Nanoseconds()> act_;
  int poll_descriptor_ = -1;
  int end_descriptor_ = -1;
  int timer_descriptor_ = -1;
  Nanoseconds wakes_{};  // by its timer
  std::thread thread_;
  int process_;  // that has the thread
};

}  // namespace quadrille::wire
