// SPDX-License-Identifier: BSD-3-Clause
#include "wire/engine/service_thread.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/monotonic_clock.h"
#include "base/thread_without_signals.h"

namespace quadrille::wire {
namespace {

constexpr Nanoseconds after_exception{10'000'000};  // somebody may have given memory back

bool change(int poll_descriptor, int operation, int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  return epoll_ctl(poll_descriptor, operation, descriptor, &event) == 0;
}

}  // namespace

ServiceThread::ServiceThread(std::mutex& mutex)
    : mutex_(mutex),
      poll_descriptor_(epoll_create1(EPOLL_CLOEXEC)),
      end_descriptor_(eventfd(0, EFD_CLOEXEC)),
      timer_descriptor_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      process_(getpid()) {}

ServiceThread::~ServiceThread() {
  end();
  for (const int descriptor : {end_descriptor_, timer_descriptor_, poll_descriptor_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

bool ServiceThread::start(std::function<Nanoseconds()> act) {
  act_ = std::move(act);
  if (!change(poll_descriptor_, EPOLL_CTL_ADD, end_descriptor_, EPOLLIN) ||
      !change(poll_descriptor_, EPOLL_CTL_ADD, timer_descriptor_, EPOLLIN))
    return false;
  thread_ = start_without_signals([this] { run(); });
  return thread_.joinable();
}

bool ServiceThread::end() {
  const bool is_own = getpid() == process_;
  if (!thread_.joinable()) return is_own;
  if (!is_own) {
    thread_.detach();
    return false;
  }
  const std::uint64_t one = 1;
  while (write(end_descriptor_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  return true;
}

bool ServiceThread::add(int descriptor, std::uint32_t events) {
  return change(poll_descriptor_, EPOLL_CTL_ADD, descriptor, events | EPOLLONESHOT);
}

void ServiceThread::watch(int descriptor, std::uint32_t events) const {
  change(poll_descriptor_, EPOLL_CTL_MOD, descriptor, events | EPOLLONESHOT);
}

void ServiceThread::wake_by(Nanoseconds time) {
  if (time < wakes_) wake_at(time);
}

// Setting a timer wakes nobody.
void ServiceThread::wake_at(Nanoseconds time) {
  wakes_ = time;
  itimerspec once{};
  if (time < never) {
    once.it_value.tv_sec = time.value / 1'000'000'000;
    once.it_value.tv_nsec = time.value % 1'000'000'000;
  }
  timerfd_settime(timer_descriptor_, TFD_TIMER_ABSTIME, &once, nullptr);
}

// An exception that leaves a thread ends the program.
Nanoseconds ServiceThread::act() noexcept {
  try {
    return act_();
  } catch (...) {
    return monotonic_now() + after_exception;
  }
}

void ServiceThread::run() {
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      // What is due may have to wait for room in the socket.
      wake_at(std::max(act(), monotonic_now() + shortest_sleep));
    }
    epoll_event event{};
    const int count = epoll_wait(poll_descriptor_, &event, 1, -1);
    if (count > 0 && event.data.fd == end_descriptor_) return;
  }
}

}  // namespace quadrille::wire
