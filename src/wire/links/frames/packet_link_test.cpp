// SPDX-License-Identifier: BSD-3-Clause
// A packet link whose interface is set down and up again; what all links do is in link_test.cpp.
#include "wire/links/frames/packet_link.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <utility>

#include "base/monotonic_clock.h"
#include "wire/links/emulated_hosts.h"
#include "wire/links/numbered_datagrams.h"
#include "wire/links/open_link.h"
#include "wire/links/send_batch.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kLargestFrame = 1472;

class PacketLinkOnASwitch : public testing::Test {
 protected:
  std::unique_ptr<Link> open(unsigned host) const {
    hosts_.enter(host);
    auto opened = open_link(LinkKind::packet, {.local = {EmulatedHosts::address(host), 0},
                                               .datagram_bytes = kLargestFrame});
    hosts_.leave();
    EXPECT_TRUE(opened.ok() && opened.value().why_not.empty()) << "takes privilege";
    return std::move(opened.value().link);
  }
  // A message that nobody cuts on its way, as there is only memory.
  static void send_run(Link& from, const Link& to) {
    for (std::size_t i = 0; i < SendBatch::longest_run; ++i)
      ASSERT_TRUE(add_numbered(from, to, kLargestFrame));
    const Nanoseconds end = monotonic_now() + Nanoseconds{1'000'000'000};
    while (!from.flush() && monotonic_now() < end) wait_for_arrival(from, Nanoseconds{1'000'000});
  }
  static std::size_t arrivals(Link& at, std::size_t count) {
    NumberedArrivals found;
    const Nanoseconds end = monotonic_now() + Nanoseconds{1'000'000'000};
    while (found.lengths().size() < count && monotonic_now() < end) {
      for (const auto& datagram : at.receive()) found.take(datagram);
      if (!at.has_more()) wait_for_arrival(at, Nanoseconds{10'000'000});
    }
    return found.lengths().size();
  }

  EmulatedHosts hosts_{2};
};

TEST_F(PacketLinkOnASwitch, has_what_arrived_before_its_interface_was_set_down) {
  const auto from = open(1);
  const auto to = open(2);
  ASSERT_TRUE(add_numbered(*from, *to, 1));  // may go another way than what follows
  ASSERT_TRUE(from->flush());
  ASSERT_EQ(arrivals(*to, 1), 1U);
  send_run(*from, *to);
  pollfd frames{to->descriptors().front(), POLLIN, 0};
  ASSERT_EQ(poll(&frames, 1, 1000), 1);
  hosts_.configure(2, "link set eth0 down\nlink set eth0 up\n");
  EXPECT_EQ(arrivals(*to, SendBatch::longest_run), SendBatch::longest_run);
  EXPECT_FALSE(to->is_cut());
  to->woken();
  to->receive();
  frames.revents = 0;
  EXPECT_EQ(poll(&frames, 1, 0), 0) << "who waits would spin";
}

}  // namespace
}  // namespace quadrille::wire
