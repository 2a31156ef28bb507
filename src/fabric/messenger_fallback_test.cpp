// SPDX-License-Identifier: BSD-3-Clause
// Messengers whose datagrams are swallowed, and their connections over the loopback. The
// messengers' time is the test's own.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/messenger.h"
#include "fabric/names/introduction.h"
#include "wire/engine/peer_streams.h"
#include "wire/links/descriptor.h"
#include "wire/links/stream_link.h"

namespace quadrille::fabric {
namespace {

constexpr std::uint32_t kLoopback = 0x7f000001;

constexpr std::size_t kLongest = 1440 + wire::overhead_bytes + wire::largest_ack;

struct CutOffEnd {
  KeyPair keys;
  std::unique_ptr<wire::StreamLink> link = wire::StreamLink::open({kLoopback, 0}, kLongest);
  wire::NetworkAddress listens_at = link->local();
  int told = 0;  // that datagrams do not arrive
  wire::PeerStreams streams{std::move(link), wire::BulkPath::datagrams,
                            [this](PeerNumber) { ++told; }};
  std::unique_ptr<Messenger> messenger;

  CutOffEnd(std::uint16_t port, bool has_job) {
    MessengerSettings settings;
    settings.name = {{kLoopback, port}, 1440, keys.public_key()};
    settings.name.streams = listens_at.port;
    settings.local_payload = 1440;
    if (has_job) settings.job_secret = secret_from_digits(std::string(32, '7'));
    messenger = std::make_unique<Messenger>(settings, keys);
  }
  // As an engine would, but for the datagrams.
  void step(Nanoseconds now) {
    std::vector<std::byte> room(4096);
    while (const auto outgoing = messenger->next_datagram(room, now)) {
      streams.open_streams(*messenger);
      streams.send(*messenger, *outgoing, std::span(room).first(outgoing->length));
    }
    streams.exchange(*messenger, now);
    for (const PeerNumber peer : streams.refusals()) messenger->on_refused_stream(peer);
  }
};

class MessengerFallbackTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(wire::start_cryptography()); }

  void make(bool has_job = true) {
    a_ = std::make_unique<CutOffEnd>(4000, has_job);
    b_ = std::make_unique<CutOffEnd>(4001, has_job);
    const PeerNumber to = *a_->messenger->peer(b_->messenger->name(), now_);
    a_->messenger->send({.to = to,
                         .bytes = large_,
                         .tagged = true,
                         .tag = 1,
                         .data = {},
                         .copies = true,
                         .until_delivered = true,
                         .report = {.context = nullptr, .wanted = true}},
                        now_);
  }
  // How the send has ended within so long, if it has.
  std::optional<Outcome> ends_within(Nanoseconds time) {
    const Nanoseconds end = now_ + time;
    for (; now_ < end; now_ += Nanoseconds{10'000'000}) {
      a_->step(now_);
      if (b_) b_->step(now_);
      stranger();
      if (!a_->messenger->done().empty()) return a_->messenger->done().front().outcome;
    }
    return std::nullopt;
  }
  // Somebody else has got the TCP port of the second, which has ended.
  void replace(std::string_view greeting, bool hangs_up) {
    const sockaddr_in at = to_system(b_->listens_at);
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

  std::unique_ptr<CutOffEnd> a_;
  std::unique_ptr<CutOffEnd> b_;
  wire::Descriptor listener_;
  std::vector<wire::Descriptor> kept_;
  std::string_view greeting_;
  bool hangs_up_ = false;
  const std::vector<std::byte> large_ = std::vector<std::byte>(100'000, std::byte{9});
  Nanoseconds now_{1'000'000};
};

TEST_F(MessengerFallbackTest, messages_arrive_though_no_datagram_does) {
  make();
  std::vector<std::byte> into(large_.size());
  b_->messenger->receive({.buffer = into,
                          .tagged = true,
                          .pattern = {.from = {}, .tag = 1},
                          .least_room = {},
                          .report = {}},
                         now_);
  EXPECT_EQ(ends_within({60'000'000'000}), Outcome::success);
  EXPECT_EQ(into, large_);
  EXPECT_EQ(a_->told + b_->told, 2) << "once each";
}

TEST_F(MessengerFallbackTest, that_nobody_listens_any_more_ends_what_waits) {
  make();
  b_.reset();
  EXPECT_EQ(ends_within({10'000'000'000}), Outcome::peer_lost);
}

TEST_F(MessengerFallbackTest, who_lives_is_waited_for_though_no_datagram_comes) {
  make();
  EXPECT_EQ(ends_within({100'000'000'000}), std::nullopt);
  b_.reset();
  EXPECT_EQ(ends_within({10'000'000'000}), Outcome::peer_lost);
}

TEST_F(MessengerFallbackTest, who_lives_and_does_not_know_the_asker_is_waited_for) {
  make(false);
  EXPECT_EQ(ends_within({100'000'000'000}), std::nullopt);
}

TEST_F(MessengerFallbackTest, who_has_ended_is_found_out_though_a_successor_has_its_address) {
  make();
  b_.reset();
  const CutOffEnd successor(4001, true);
  a_->messenger->peer(successor.messenger->name(), now_);
  EXPECT_EQ(ends_within({10'000'000'000}), Outcome::peer_lost);
}

TEST_F(MessengerFallbackTest, a_stranger_who_hangs_up_is_not_taken_for_who_has_ended) {
  make();
  replace("", true);
  EXPECT_EQ(ends_within({10'000'000'000}), Outcome::peer_lost);
}

TEST_F(MessengerFallbackTest, a_stranger_who_speaks_otherwise_is_not_taken_for_who_has_ended) {
  make();
  replace("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", false);
  EXPECT_EQ(ends_within({10'000'000'000}), Outcome::peer_lost);
}

TEST_F(MessengerFallbackTest, who_is_stopped_says_nothing_and_is_waited_for) {
  make();
  replace("", false);
  EXPECT_EQ(ends_within({600'000'000'000}), std::nullopt);
}

}  // namespace
}  // namespace quadrille::fabric
