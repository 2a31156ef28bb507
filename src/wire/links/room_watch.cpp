// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/room_watch.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace quadrille::wire {
namespace {

// Half of the time that SendQueue has frames wait.
constexpr long until_room_ns = 50'000;

}  // namespace

RoomWatch::~RoomWatch() {
  if (poll_ >= 0) close(poll_);
  if (timer_ >= 0) close(timer_);
}

bool RoomWatch::open(int socket, bool is_zero_copy, int beside) {
  socket_ = socket;
  beside_ = beside;
  poll_ = epoll_create1(EPOLL_CLOEXEC);
  if (!is_zero_copy) return add(socket, 0) && add(beside, 0);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  return add(timer_, EPOLLIN) && add(beside, 0);
}

bool RoomWatch::add(int descriptor, unsigned events) const {
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  return epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void RoomWatch::set(int descriptor, unsigned events) const {
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  epoll_ctl(poll_, EPOLL_CTL_MOD, descriptor, &event);
}

void RoomWatch::start() {
  is_on_ = true;
  if (timer_ >= 0) return set_timer(until_room_ns);
  set(socket_, EPOLLOUT | EPOLLET);
  forget();  // it tells at once that the ring has room
}

void RoomWatch::forget() {
  if (timer_ >= 0) return set_timer(until_room_ns);
  epoll_event event{};
  epoll_wait(poll_, &event, 1, 0);
}

void RoomWatch::stop() {
  is_on_ = false;
  if (timer_ >= 0) return set_timer(0);
  set(socket_, 0);
}

void RoomWatch::watch_beside(bool is_wanted) {
  if (is_wanted == is_watched_beside_) return;
  is_watched_beside_ = is_wanted;
  set(beside_, is_wanted ? EPOLLOUT : 0U);
}

void RoomWatch::set_timer(long nanoseconds) const {
  itimerspec time{};
  time.it_value.tv_nsec = nanoseconds;
  timerfd_settime(timer_, 0, &time, nullptr);
}

}  // namespace quadrille::wire
