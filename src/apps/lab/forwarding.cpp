// SPDX-License-Identifier: BSD-3-Clause
#include "apps/lab/forwarding.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "probe/measure/realtime.h"

namespace quadrille::lab {
namespace {

constexpr std::size_t kLongest = 65536 + 64;
constexpr int kBatch = 64;  // received before what is due is sent
constexpr std::int64_t kSecondNs = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecondNs + time.tv_nsec; }

// When the kernel received the frame, so that a late wake-up does not add to its delay.
std::int64_t arrival_ns(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
    return nanoseconds(stamp);
  }
  return probe::realtime_ns();
}

void receive(int end, DelayLine& line) {
  static std::array<char, kLongest> bytes;
  for (int count = 0; count < kBatch; ++count) {
    alignas(cmsghdr) std::array<char, 128> control{};
    iovec whole{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &whole;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t length = recvmsg(end, &message, 0);
    if (length < 0) return;  // nothing more, or the cable is down: poll tells of anything else
    line.push(Frame(bytes.data(), bytes.data() + length), arrival_ns(message));
  }
}

// What cannot be sent is lost, as on a wire: the cable is down or its queue full.
void send_due(DelayLine& line, int end) {
  while (const auto frame = line.pop_due(probe::realtime_ns())) {
    [[maybe_unused]] const ssize_t sent = send(end, frame->data(), frame->size(), 0);
  }
}

}  // namespace

int forward(const std::array<int, 2>& ends, std::array<DelayLine, 2> lines) {
  std::array<pollfd, 2> readable{pollfd{ends[0], POLLIN, 0}, pollfd{ends[1], POLLIN, 0}};
  while (true) {
    std::optional<std::int64_t> next_ns;
    for (const DelayLine& line : lines) {
      if (const auto due = line.next_ns()) next_ns = std::min(next_ns.value_or(*due), *due);
    }
    // What arrives meanwhile is not due before: to wake up for each frame costs more than the
    // frame.
    if (next_ns) {
      const std::int64_t least_ns = std::min(lines[0].least_ns(), lines[1].least_ns());
      probe::sleep_for(std::min(*next_ns - probe::realtime_ns(), least_ns));
    } else if (poll(readable.data(), readable.size(), -1) < 0 && errno != EINTR) {
      return errno;
    }
    for (std::size_t at = 0; at < ends.size(); ++at) {
      receive(ends[at], lines[at]);
      send_due(lines[at], ends[1 - at]);
    }
  }
}

}  // namespace quadrille::lab
