// SPDX-License-Identifier: BSD-3-Clause
// A descriptor that is readable once frames of an AF_XDP socket have left, for who sleeps until
// there is room for more. The socket itself is writable while its ring has room, whatever the
// interface has taken; but it wakes who waits for that whenever the kernel is done with a frame,
// and epoll tells each time that it does (EPOLLET, epoll(7)). Of a driver that takes frames by
// itself (zero-copy) nothing tells, so it is a timer. A second socket may be watched too, which is
// writable when it has room.
#pragma once

namespace quadrille::wire {

class RoomWatch {
 public:
  RoomWatch() = default;
  RoomWatch(const RoomWatch&) = delete;
  RoomWatch& operator=(const RoomWatch&) = delete;
  ~RoomWatch();

  // False, with errno set, where there is no descriptor left. REQUIRES: once.
  bool open(int socket, bool is_zero_copy, int beside);
  int descriptor() const { return poll_; }

  bool is_on() const { return is_on_; }
  // From now on the descriptor becomes readable; what left before may not have told.
  void start();
  // What has told so far is known.
  void forget();
  void stop();
  // Of the second socket, until further notice.
  void watch_beside(bool is_wanted);

 private:
  bool add(int descriptor, unsigned events) const;
  void set(int descriptor, unsigned events) const;
  void set_timer(long nanoseconds) const;

  int poll_ = -1;
  int socket_ = -1;
  int timer_ = -1;
  int beside_ = -1;
  bool is_on_ = false;
  bool is_watched_beside_ = false;
};

}  // namespace quadrille::wire
