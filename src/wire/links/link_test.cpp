// SPDX-License-Identifier: BSD-3-Clause
// What every link has to do: on the loopback, of which 127.0.0.1, .2 and .3 are three addresses,
// and AF_XDP, of which an interface has one link, between three hosts on a switch.
#include "wire/links/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/monotonic_clock.h"
#include "wire/links/emulated_hosts.h"
#include "wire/links/numbered_datagrams.h"
#include "wire/links/open_link.h"
#include "wire/links/send_batch.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kLargest = 1472;

struct Pairing {
  LinkKind sender = LinkKind::udp;
  LinkKind receiver = LinkKind::udp;
};

std::string name_of(LinkKind kind) {
  return kind == LinkKind::udp ? "udp" : kind == LinkKind::packet ? "packet" : "xdp";
}

OpenedLink open_at(LinkKind kind, std::uint32_t address) {
  auto opened = open_link(kind, {.local = {address, 0}, .datagram_bytes = kLargest});
  EXPECT_TRUE(opened.ok()) << opened.error().message;
  return std::move(opened.value());
}

class Links : public testing::TestWithParam<Pairing> {
 protected:
  Links() {
    if (GetParam().sender == LinkKind::xdp || GetParam().receiver == LinkKind::xdp)
      hosts_.emplace(3);
    from_ = open_own(GetParam().sender, 1);
    to_ = open_own(GetParam().receiver, 2);
    other_ = open_own(GetParam().receiver, 3);
  }

  OpenedLink open(LinkKind kind, std::uint32_t host) const {
    if (!hosts_) return open_at(kind, 0x7f000000U | host);
    hosts_->enter(host);
    auto opened = open_at(kind, EmulatedHosts::address(host));
    hosts_->leave();
    return opened;
  }
  std::unique_ptr<Link> open_own(LinkKind kind, std::uint32_t host) const {
    auto opened = open(kind, host);
    EXPECT_EQ(opened.why_not, "") << "to test packet sockets and AF_XDP takes privilege";
    return std::move(opened.link);
  }

  static void send(Link& from, const Link& to, std::size_t length) {
    ASSERT_TRUE(add_numbered(from, to, length));
    ASSERT_TRUE(from.flush());
  }
  // Lengths of `count` datagrams, as they arrive within a second.
  static std::vector<std::size_t> lengths(Link& at, const Link& from, std::size_t count) {
    NumberedArrivals found;
    const Nanoseconds end = monotonic_now() + Nanoseconds{1'000'000'000};
    while (found.lengths().size() < count && monotonic_now() < end) {
      const auto arrived = at.receive();
      for (std::size_t i = 0; i < arrived.size(); ++i) {
        found.take(arrived[i]);
        EXPECT_EQ(at.source(i), from.local());
      }
      if (arrived.empty() && !at.has_more()) wait_for_arrival(at, Nanoseconds{10'000'000});
    }
    return found.lengths();
  }
  // As soon as there is room for it.
  static void flush_all(Link& from) {
    const Nanoseconds end = monotonic_now() + Nanoseconds{1'000'000'000};
    while (!from.flush() && monotonic_now() < end) wait_for_arrival(from, Nanoseconds{1'000'000});
    ASSERT_FALSE(from.has_unsent());
  }
  // The first datagram may go another way than those that follow it.
  static void meet(Link& from, Link& to) {
    send(from, to, 1);
    EXPECT_EQ(lengths(to, from, 1).size(), 1U);
  }

  std::optional<EmulatedHosts> hosts_;
  std::unique_ptr<Link> from_;
  std::unique_ptr<Link> to_;
  std::unique_ptr<Link> other_;
};

TEST_P(Links, carry_datagrams_of_all_lengths_and_tell_where_they_came_from) {
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{17}, std::size_t{18}, std::size_t{600}, kLargest}) {
    send(*from_, *to_, length);
    EXPECT_EQ(lengths(*to_, *from_, 1), std::vector{length});
  }
  EXPECT_EQ(from_->sent(), 5U);
  EXPECT_EQ(from_->frames().sent, GetParam().sender == LinkKind::udp ? 0U : 4U)
      << "all but the first";
  const std::uint64_t taken = GetParam().receiver == LinkKind::udp ? 0 : 5;
  EXPECT_EQ(to_->frames().received, taken);
  EXPECT_TRUE(from_->refusals().empty());
}

TEST_P(Links, send_a_batch_in_order_each_datagram_to_its_address) {
  meet(*from_, *to_);
  meet(*from_, *other_);
  for (const std::size_t length : {100, 200, 200}) ASSERT_TRUE(add_numbered(*from_, *to_, length));
  ASSERT_TRUE(add_numbered(*from_, *other_, 200));
  EXPECT_FALSE(add_numbered(*from_, *other_, 200)) << "no long batch of several messages";
  EXPECT_TRUE(from_->has_unsent());
  ASSERT_TRUE(from_->flush());
  EXPECT_FALSE(from_->has_unsent());
  EXPECT_EQ(lengths(*to_, *from_, 3), (std::vector<std::size_t>{100, 200, 200}));
  EXPECT_EQ(lengths(*other_, *from_, 1), std::vector<std::size_t>{200});
}

TEST_P(Links, send_long_runs_that_arrive_as_datagrams) {
  meet(*from_, *to_);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> sent(SendBatch::longest_run - 1, kLargest);
    sent.push_back(100);
    for (const std::size_t length : sent) ASSERT_TRUE(add_numbered(*from_, *to_, length));
    EXPECT_FALSE(add_numbered(*from_, *to_, 100)) << "the batch is full";
    flush_all(*from_);
    ASSERT_EQ(lengths(*to_, *from_, sent.size()), sent);
  }
}

TEST_P(Links, keep_what_has_not_been_received_and_lose_the_rest) {
  meet(*from_, *to_);
  const std::size_t count = 3 * to_->receive_queue(kLargest);
  for (std::size_t sent = 0; sent < count; ++sent) {
    from_->room();
    from_->add(to_->local(), kLargest);
    ASSERT_TRUE(from_->flush());
  }
  std::size_t arrived = 0;
  for (std::size_t some = 1; some > 0 || to_->has_more(); arrived += some)
    some = to_->receive().size();
  EXPECT_GE(arrived, std::min(count, to_->receive_queue(kLargest)) / 2);
  EXPECT_LT(arrived, count);
  send(*from_, *to_, 100);
  EXPECT_EQ(lengths(*to_, *from_, 1), std::vector<std::size_t>{100}) << "goes on afterwards";
}

TEST_P(Links, wake_who_waits) {
  meet(*from_, *to_);
  const Nanoseconds before = monotonic_now();
  send(*from_, *to_, 10);
  wait_for_arrival(*to_, Nanoseconds{5'000'000'000});
  EXPECT_LT(monotonic_now() - before, Nanoseconds{2'000'000'000});
  EXPECT_EQ(lengths(*to_, *from_, 1).size(), 1U);
}

TEST_P(Links, tell_where_nobody_listens_any_more) {
  meet(*from_, *to_);
  const NetworkAddress gone = to_->local();
  to_.reset();
  std::vector<NetworkAddress> refused;
  const Nanoseconds end = monotonic_now() + Nanoseconds{5'000'000'000};
  while (refused.empty() && monotonic_now() < end) {
    from_->room();
    from_->add(gone, 10);
    from_->flush();
    from_->receive();
    refused = from_->refusals();
  }
  EXPECT_FALSE(refused.empty());
  for (const NetworkAddress& one : refused) EXPECT_EQ(one, gone);
}

TEST_P(Links, of_this_address_reach_each_other) {
  const auto neighbour = open(GetParam().sender, 1).link;
  for (int round = 0; round < 3; ++round) {
    send(*from_, *neighbour, 300);
    EXPECT_EQ(lengths(*neighbour, *from_, 1), std::vector<std::size_t>{300});
  }
}

// The kernel takes no frames of the loopback's own addresses; from packet to UDP see
// tests/lab/test_lab_packet.py.
INSTANTIATE_TEST_SUITE_P(Each, Links,
                         testing::Values(Pairing{LinkKind::udp, LinkKind::udp},
                                         Pairing{LinkKind::packet, LinkKind::packet},
                                         Pairing{LinkKind::udp, LinkKind::packet},
                                         Pairing{LinkKind::xdp, LinkKind::xdp},
                                         Pairing{LinkKind::xdp, LinkKind::udp},
                                         Pairing{LinkKind::packet, LinkKind::xdp}),
                         [](const auto& info) {
                           return name_of(info.param.sender) + "_to_" +
                                  name_of(info.param.receiver);
                         });

TEST(OpenLink, fails_where_the_address_is_of_no_interface) {
  for (const LinkKind kind : {LinkKind::packet, LinkKind::xdp})
    EXPECT_FALSE(open_link(kind, {.local = {0xc6120001, 0}}).ok());
}

TEST(OpenLink, knows_the_names_that_links_have) {
  EXPECT_EQ(link_kind("auto"), LinkKind::udp);
  for (const LinkKind kind : {LinkKind::udp, LinkKind::packet})
    EXPECT_EQ(link_kind(open_at(kind, 0x7f000001).link->name()), kind);
  EXPECT_EQ(link_kind("xdp"), LinkKind::xdp);
  EXPECT_EQ(link_kind("myrinet"), std::nullopt);
}

}  // namespace
}  // namespace quadrille::wire
