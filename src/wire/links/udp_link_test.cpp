// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/udp_link.h"

#include <gtest/gtest.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "wire/links/numbered_datagrams.h"

namespace quadrille::wire {
namespace {

TEST(UdpLink, tells_how_much_the_system_keeps_until_it_is_received) {
  constexpr std::size_t largest = 1472;
  const NetworkAddress loopback{0x7f000001, 0};
  const auto narrow = std::move(
      UdpLink::open({.local = loopback, .datagram_bytes = largest, .receive_buffer_bytes = 65'536})
          .value());
  const auto wide = std::move(UdpLink::open({.local = loopback}).value());
  EXPECT_LT(narrow->receive_queue(largest), wide->receive_queue(largest));
  std::size_t sent = 0;
  for (; sent < 4 * narrow->receive_queue(largest); ++sent) {
    wide->room();
    wide->add(narrow->local(), largest);
    ASSERT_TRUE(wide->flush());
  }
  std::size_t arrived = 0;
  for (std::size_t some = 1; some > 0; arrived += some) some = narrow->receive().size();
  EXPECT_GE(arrived, narrow->receive_queue(largest));
  EXPECT_LT(arrived, sent);
}

class Runs : public testing::Test {
 protected:
  static constexpr NetworkAddress kLoopback{0x7f000001, 0};
  static constexpr std::size_t kLargest = 1472;

  static std::vector<std::size_t> lengths(UdpLink& at) {
    NumberedArrivals found;
    do {
      for (const auto& datagram : at.receive()) found.take(datagram);
    } while (at.has_more());
    return found.lengths();
  }

  std::unique_ptr<UdpLink> from_ = std::move(UdpLink::open({.local = kLoopback}).value());
  std::unique_ptr<UdpLink> to_ = std::move(UdpLink::open({.local = kLoopback}).value());
  std::unique_ptr<UdpLink> other_ = std::move(UdpLink::open({.local = kLoopback}).value());
};

TEST_F(Runs, leave_as_one_message_and_arrive_as_datagrams) {
  std::vector<std::size_t> sent(SendBatch::longest_run - 1, kLargest);
  sent.push_back(100);
  for (const std::size_t length : sent) ASSERT_TRUE(add_numbered(*from_, *to_, length));
  EXPECT_FALSE(add_numbered(*from_, *to_, 100)) << "the batch is full";
  ASSERT_TRUE(from_->flush());
  EXPECT_EQ(from_->sent_in_runs(), sent.size());
  EXPECT_EQ(lengths(*to_), sent);
}

TEST_F(Runs, end_where_a_datagram_is_longer_or_goes_elsewhere) {
  ASSERT_TRUE(add_numbered(*from_, *to_, 100));
  ASSERT_TRUE(add_numbered(*from_, *to_, 200));
  ASSERT_TRUE(add_numbered(*from_, *to_, 200));
  ASSERT_TRUE(add_numbered(*from_, *other_, 200));
  EXPECT_FALSE(add_numbered(*from_, *other_, 200)) << "no long batch of several messages";
  ASSERT_TRUE(from_->flush());
  EXPECT_EQ(from_->sent(), 4);
  EXPECT_EQ(from_->sent_in_runs(), 2);
  EXPECT_EQ(lengths(*to_), (std::vector<std::size_t>{100, 200, 200}));
  EXPECT_EQ(lengths(*other_), std::vector<std::size_t>{200});
}

TEST_F(Runs, are_given_up_where_the_kernel_does_not_cut_them) {
  // Without check sums it does not (net/ipv4/udp.c, udp_send_skb).
  const int none = 1;
  ASSERT_EQ(setsockopt(from_->descriptors().front(), SOL_SOCKET, SO_NO_CHECK, &none, sizeof none),
            0);
  std::vector<std::size_t> sent(SendBatch::longest_run, kLargest);
  for (const std::size_t length : sent) ASSERT_TRUE(add_numbered(*from_, *to_, length));
  ASSERT_TRUE(from_->flush());
  EXPECT_EQ(from_->sent(), sent.size());
  EXPECT_EQ(from_->sent_in_runs(), 0);
  EXPECT_EQ(lengths(*to_), sent);
  EXPECT_TRUE(from_->refusals().empty());
  for (std::size_t i = 0; i < SendBatch::usual; ++i)
    ASSERT_TRUE(add_numbered(*from_, *to_, kLargest));
  EXPECT_FALSE(add_numbered(*from_, *to_, kLargest)) << "batches are short again";
}

TEST_F(Runs, are_not_given_up_where_nothing_can_be_sent) {
  // For a port that is none the kernel has the same error as for cutting (net/ipv4/udp.c,
  // udp_sendmsg), and where the host has lost its address.
  constexpr NetworkAddress nowhere{0x7f000001, 0};
  for (std::size_t i = 0; i < SendBatch::longest_run; ++i) {
    ASSERT_FALSE(from_->room().empty());
    from_->add(nowhere, kLargest);
  }
  ASSERT_TRUE(from_->flush()) << "lost, as on the network";
  EXPECT_EQ(from_->sent(), 0);
  const std::vector<std::size_t> sent(SendBatch::longest_run, kLargest);
  for (const std::size_t length : sent) ASSERT_TRUE(add_numbered(*from_, *to_, length));
  ASSERT_TRUE(from_->flush());
  EXPECT_EQ(from_->sent_in_runs(), sent.size());
  EXPECT_EQ(lengths(*to_), sent);
}

TEST_F(Runs, reach_a_socket_that_takes_single_datagrams) {
  const int off = 0;
  ASSERT_EQ(setsockopt(to_->descriptors().front(), IPPROTO_UDP, UDP_GRO, &off, sizeof off), 0);
  const std::vector<std::size_t> sent(12, kLargest);
  for (const std::size_t length : sent) ASSERT_TRUE(add_numbered(*from_, *to_, length));
  ASSERT_TRUE(from_->flush());
  EXPECT_EQ(from_->sent_in_runs(), sent.size());
  EXPECT_EQ(lengths(*to_), sent);
}

TEST_F(Runs, of_datagrams_longer_than_any_of_ours_are_dropped) {
  const auto narrow = std::move(UdpLink::open({.local = kLoopback, .datagram_bytes = 600}).value());
  ASSERT_TRUE(add_numbered(*from_, *narrow, kLargest));
  ASSERT_TRUE(add_numbered(*from_, *narrow, kLargest));
  ASSERT_TRUE(from_->flush());
  ASSERT_TRUE(add_numbered(*from_, *narrow, 600));
  ASSERT_TRUE(from_->flush());
  EXPECT_EQ(lengths(*narrow), std::vector<std::size_t>{600});
}

TEST(UdpLink, tells_where_a_datagram_came_from) {
  const NetworkAddress loopback{0x7f000001, 0};
  const auto receiver = std::move(UdpLink::open({.local = loopback}).value());
  for (int round = 0; round < 3; ++round) {
    const auto sender = std::move(UdpLink::open({.local = loopback}).value());
    sender->room();
    sender->add(receiver->local(), 10);
    ASSERT_TRUE(sender->flush());
    ASSERT_EQ(receiver->receive().size(), 1U);
    EXPECT_EQ(receiver->source(0), sender->local());
  }
}

TEST(UdpLink, each_path_leaves_from_a_port_of_its_own) {
  const NetworkAddress loopback{0x7f000001, 0};
  const auto receiver = std::move(UdpLink::open({.local = loopback}).value());
  const auto sender = std::move(UdpLink::open({.local = loopback, .paths = 3}).value());
  ASSERT_EQ(sender->paths(), 3U);
  std::vector<NetworkAddress> from;
  for (const std::uint32_t path : {0U, 1U, 1U, 2U}) {
    ASSERT_FALSE(sender->room().empty());
    sender->use_path(path);
    sender->add(receiver->local(), 10);
    ASSERT_TRUE(sender->flush());
    ASSERT_EQ(receiver->receive().size(), 1U);
    from.push_back(receiver->source(0));
  }
  const auto others = sender->other_ports();
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(from[0], sender->local());
  EXPECT_EQ(from[1], (NetworkAddress{loopback.address, others[0]}));
  EXPECT_EQ(from[2], from[1]);
  EXPECT_EQ(from[3], (NetworkAddress{loopback.address, others[1]}));
}

TEST(UdpLink, one_batch_may_take_several_paths) {
  const NetworkAddress loopback{0x7f000001, 0};
  const auto receiver = std::move(UdpLink::open({.local = loopback}).value());
  const auto sender = std::move(UdpLink::open({.local = loopback, .paths = 2}).value());
  for (const std::uint32_t path : {0U, 1U, 0U}) {
    if (sender->room().empty()) {
      ASSERT_TRUE(sender->flush());
    }
    sender->use_path(path);
    sender->add(receiver->local(), 10);
  }
  EXPECT_EQ(sender->room_descriptor(), sender->room_descriptors().front());
  ASSERT_TRUE(sender->flush());
  EXPECT_EQ(receiver->receive().size(), 3U);
}

TEST(UdpLink, nothing_waits_at_the_port_of_another_path) {
  const NetworkAddress loopback{0x7f000001, 0};
  const auto sender = std::move(UdpLink::open({.local = loopback, .paths = 2}).value());
  const auto stranger = std::move(UdpLink::open({.local = loopback}).value());
  stranger->room();
  stranger->add({loopback.address, sender->other_ports().front()}, 10);
  ASSERT_TRUE(stranger->flush());
  std::byte taken{};
  EXPECT_LT(recv(sender->room_descriptors()[1], &taken, 1, MSG_DONTWAIT), 0);
}

}  // namespace
}  // namespace quadrille::wire
