// SPDX-License-Identifier: BSD-3-Clause
// One messenger whose datagrams are swallowed, and its connections over the loopback to what has
// the other's TCP port. The messengers' time is the test's own.
#include "fabric/peer_liveness.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <string_view>
#include <vector>

#include "wire/links/descriptor.h"

namespace quadrille::fabric {
namespace {

constexpr std::uint32_t kLoopback = 0x7f000001;

struct CheckedEnd {
  KeyPair keys;
  std::unique_ptr<PeerLiveness> liveness = PeerLiveness::open(kLoopback);
  std::unique_ptr<Messenger> messenger;

  CheckedEnd(std::uint16_t port, bool has_job) {
    MessengerSettings settings;
    settings.name = {{kLoopback, port}, 1440, keys.public_key()};
    settings.name.streams = liveness->port();
    if (has_job) settings.job_secret = secret_from_digits(std::string(32, '7'));
    messenger = std::make_unique<Messenger>(settings, keys);
  }
};

class PeerLivenessTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(wire::start_cryptography()); }

  void make(bool has_job = true) {
    a_ = std::make_unique<CheckedEnd>(4000, has_job);
    b_ = std::make_unique<CheckedEnd>(4001, has_job);
    const PeerNumber to = *a_->messenger->peer(b_->messenger->name(), now_);
    const std::vector<std::byte> large(100'000);
    a_->messenger->send({.to = to,
                         .bytes = large,
                         .tagged = true,
                         .tag = 1,
                         .data = {},
                         .copies = true,
                         .until_delivered = true,
                         .report = {.context = nullptr, .wanted = true}},
                        now_);
  }
  // Whether the send has ended within so long.
  bool ends_within(Nanoseconds time) {
    std::vector<std::byte> room(4096);
    const Nanoseconds end = now_ + time;
    for (; now_ < end; now_ += Nanoseconds{100'000'000}) {
      while (a_->messenger->next_datagram(room, now_)) {
      }
      a_->liveness->look(*a_->messenger, now_);
      if (b_) b_->liveness->look(*b_->messenger, now_);
      stranger();
      if (a_->messenger->done().empty()) continue;
      EXPECT_EQ(a_->messenger->done().front().outcome, Outcome::peer_lost);
      return true;
    }
    return false;
  }
  // Somebody else has got the TCP port of the second, which has ended.
  void replace(std::string_view greeting, bool hangs_up) {
    const sockaddr_in at = to_system(wire::NetworkAddress{kLoopback, b_->liveness->port()});
    b_.reset();
    listener_ = wire::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    ASSERT_EQ(listen(listener_.get(), 8), 0);
    greeting_ = greeting;
    hangs_up_ = hangs_up;
  }
  void stranger() {
    if (!listener_) return;
    wire::Descriptor taken(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!taken || hangs_up_) return;
    if (!greeting_.empty()) send(taken.get(), greeting_.data(), greeting_.size(), 0);
    kept_.push_back(std::move(taken));
  }

  std::unique_ptr<CheckedEnd> a_;
  std::unique_ptr<CheckedEnd> b_;
  wire::Descriptor listener_;
  std::vector<wire::Descriptor> kept_;
  std::string_view greeting_;
  bool hangs_up_ = false;
  Nanoseconds now_{1'000'000};
};

TEST_F(PeerLivenessTest, that_nobody_listens_any_more_ends_what_waits) {
  make();
  b_.reset();
  EXPECT_TRUE(ends_within({10'000'000'000}));
}

TEST_F(PeerLivenessTest, who_lives_is_waited_for_though_no_datagram_comes) {
  make();
  EXPECT_FALSE(ends_within({100'000'000'000}));
  b_.reset();
  EXPECT_TRUE(ends_within({10'000'000'000}));
}

TEST_F(PeerLivenessTest, who_lives_and_does_not_know_the_asker_is_waited_for) {
  make(false);
  EXPECT_FALSE(ends_within({100'000'000'000}));
}

TEST_F(PeerLivenessTest, who_has_ended_is_found_out_though_a_successor_has_its_address) {
  make();
  b_.reset();
  const CheckedEnd successor(4001, true);
  a_->messenger->peer(successor.messenger->name(), now_);
  EXPECT_TRUE(ends_within({10'000'000'000}));
}

TEST_F(PeerLivenessTest, a_stranger_who_hangs_up_is_not_taken_for_who_has_ended) {
  make();
  replace("", true);
  EXPECT_TRUE(ends_within({10'000'000'000}));
}

TEST_F(PeerLivenessTest, a_stranger_who_speaks_otherwise_is_not_taken_for_who_has_ended) {
  make();
  replace("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", false);
  EXPECT_TRUE(ends_within({10'000'000'000}));
}

TEST_F(PeerLivenessTest, who_is_stopped_says_nothing_and_is_waited_for) {
  make();
  replace("", false);
  EXPECT_FALSE(ends_within({600'000'000'000}));
}

}  // namespace
}  // namespace quadrille::fabric
