// SPDX-License-Identifier: BSD-3-Clause
// Two ports of one process over the loopback interface, whose datagrams pass through the test.
#include "wire/engine/peer_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/monotonic_clock.h"
#include "wire/links/descriptor.h"
#include "wire/links/loopback_links.h"
#include "wire/port.h"

namespace quadrille::wire {
namespace {

// What is sent here goes on, while it is open.
class Passage {
 public:
  Passage() : link_(std::move(datagrams_on_loopback().value())) {}

  NetworkAddress address() const { return link_->local(); }
  void lead_to(NetworkAddress to) { to_ = to; }
  void pass() {
    for (const std::span<std::byte> datagram : link_->receive()) {
      if (!open) continue;
      ++passed;
      while (link_->room().empty()) link_->flush();
      std::ranges::copy(datagram, link_->room().begin());
      link_->add(to_, datagram.size());
    }
    link_->flush();
  }

  bool open = true;
  std::uint64_t passed = 0;

 private:
  std::unique_ptr<UdpLink> link_;
  NetworkAddress to_;
};

class PeerStreamsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(start_cryptography());
    LoopbackLinks links;
    ASSERT_NO_FATAL_FAILURE(open_on_loopback(passages_.size(), links));
    std::vector<PortAddress> addresses;
    for (std::size_t port = 0; port < passages_.size(); ++port) {
      passages_[port].lead_to(links.datagrams[port]->local());
      addresses.push_back({passages_[port].address(), links.streams[port]->local()});
    }
    stream_addresses_ = {addresses[0].streams, addresses[1].streams};
    for (EndpointId self = 0; self < 2; ++self) {
      PortSettings settings;
      settings.endpoint.self = self;
      settings.endpoint.peers = 2;
      settings.endpoint.silence = Nanoseconds{100'000'000};
      settings.endpoint.times.longest = Nanoseconds{200'000'000};
      settings.addresses = addresses;
      settings.board = &boards_[self];
      settings.most_budget = kGrown;
      settings.bulk = bulk_;
      settings.on_tcp_fallback = [this, self](EndpointId) { ++said_[self]; };
      auto port =
          Port::open(std::move(links.datagrams[self]), std::move(links.streams[self]), settings);
      ASSERT_TRUE(port.ok()) << port.error().message;
      ports_.push_back(std::move(port.value()));
      ports_.back()->use_streams();
    }
  }

  // As where links are fast.
  void grow_budgets() {
    for (CreditBoard& board : boards_) board.limit = kGrown;
  }
  // Of both ends' listeners.
  static void refuse_connections() {
    for (int descriptor = 3; descriptor < 256; ++descriptor) {
      int listens = 0;
      socklen_t length = sizeof listens;
      if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0)
        shutdown(descriptor, SHUT_RDWR);
    }
  }
  // Connections of this process's, by both ends.
  static std::vector<int> connections() {
    std::vector<int> found;
    for (int descriptor = 3; descriptor < 256; ++descriptor) {
      sockaddr_in other{};
      socklen_t length = sizeof other;
      if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&other), &length) == 0 &&
          other.sin_family == AF_INET)
        found.push_back(descriptor);
    }
    return found;
  }
  static void hang_up() {
    for (const int descriptor : connections()) shutdown(descriptor, SHUT_RDWR);
  }
  static void send_into_connections(std::span<const unsigned char> bytes) {
    for (const int descriptor : connections())
      EXPECT_EQ(send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  }
  std::uint64_t sent_by_stream() const {
    return ports_[0]->counters().stream_sent + ports_[1]->counters().stream_sent;
  }

  // A message each way; false where they have not arrived after ten seconds.
  bool exchange(std::size_t length) {
    const std::vector<std::byte> sent(length, std::byte{7});
    std::array<std::vector<std::byte>, 2> into{};
    std::array<Completions, 2> completions;
    for (EndpointId self = 0; self < 2; ++self) {
      into[self].resize(length);
      ports_[self]->send(1 - self, 0, sent, completions[self], 0);
      ports_[self]->receive(1 - self, 0, into[self], completions[self], 1);
    }
    std::size_t awaited = 4;
    const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
    std::vector<Completions::Message> messages;
    while (awaited > 0 && monotonic_now() < end) {
      for (EndpointId self = 0; self < 2; ++self) {
        passages_[self].pass();
        if (!ports_[self]->drive().ok()) return false;
        ports_[self]->take(completions[self], messages);
        awaited -= messages.size();
      }
    }
    return awaited == 0 && into[0] == sent && into[1] == sent;
  }

  bool exchange_for(Nanoseconds time) {
    const Nanoseconds end = monotonic_now() + time;
    bool ok = true;
    while (ok && monotonic_now() < end) ok = exchange(300'000);
    return ok;
  }

  // Datagrams of an exchange in which the passage to `to` is open.
  std::uint64_t passed_to(EndpointId to) {
    const std::uint64_t before = passages_[to].passed;
    EXPECT_TRUE(exchange(150'000));
    return passages_[to].passed - before;
  }

  static constexpr std::uint32_t kGrown = 400;
  BulkPath bulk_ = BulkPath::datagrams;
  std::array<Passage, 2> passages_;
  std::array<CreditBoard, 2> boards_{};
  std::array<int, 2> said_{};
  std::array<NetworkAddress, 2> stream_addresses_;
  std::vector<std::unique_ptr<Port>> ports_;
};

TEST_F(PeerStreamsTest, messages_arrive_where_datagrams_stop_both_ways) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  ASSERT_TRUE(exchange(20'000));
  for (Passage& passage : passages_) passage.open = false;
  ASSERT_TRUE(exchange_for({1'000'000'000}));
  EXPECT_THAT(said_, testing::ElementsAre(1, 1)) << "once each";
}

TEST_F(PeerStreamsTest, messages_arrive_where_datagrams_stop_one_way) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  ASSERT_TRUE(exchange(20'000));
  passages_[1].open = false;
  ASSERT_TRUE(exchange_for({1'000'000'000}));
  EXPECT_GT(passed_to(0), 100U) << "the other way goes on as before";
  EXPECT_THAT(said_, testing::ElementsAre(0, 1));
}

TEST_F(PeerStreamsTest, datagrams_are_used_again_when_they_arrive) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  for (Passage& passage : passages_) passage.open = false;
  ASSERT_TRUE(exchange(20'000));
  for (Passage& passage : passages_) passage.open = true;
  ASSERT_TRUE(exchange(20'000)) << "they are heard again";
  EXPECT_GT(passed_to(0), 100U);
  EXPECT_GT(passed_to(1), 100U);
}

TEST_F(PeerStreamsTest, a_process_that_was_stopped_keeps_its_datagrams) {
  const Port::Call zero(*ports_[0]);
  Completions completions;
  const std::vector<std::byte> sent(20'000);
  {
    const Port::Call stopped(*ports_[1]);  // its thread does not answer either
    ports_[0]->send(1, 0, sent, completions, 0);
    const Nanoseconds end = monotonic_now() + Nanoseconds{400'000'000};
    while (monotonic_now() < end) ASSERT_TRUE(ports_[0]->drive().ok());
    std::vector<std::byte> into(sent.size());
    Completions received;
    ports_[1]->receive(0, 0, into, received, 0);
    std::vector<Completions::Message> messages;
    const Nanoseconds late = monotonic_now() + Nanoseconds{10'000'000'000};
    for (std::size_t awaited = 2; awaited > 0;) {
      ASSERT_LT(monotonic_now().value, late.value);
      for (EndpointId self = 0; self < 2; ++self) {
        passages_[self].pass();
        ASSERT_TRUE(ports_[self]->drive().ok());
        ports_[self]->take(self == 0 ? completions : received, messages);
        awaited -= messages.size();
      }
    }
    EXPECT_GT(passed_to(1), 100U);
    EXPECT_GT(passed_to(0), 100U);
  }
  EXPECT_THAT(said_, testing::ElementsAre(0, 0));
}

TEST_F(PeerStreamsTest, a_process_that_ended_is_noticed_where_datagrams_stop) {
  const Port::Call call(*ports_[0]);
  Completions completions;
  std::vector<std::byte> into(5000);
  for (Passage& passage : passages_) passage.open = false;
  ports_[1].reset();
  ports_[0]->receive(1, 0, into, completions, 1);
  const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
  Result<bool> driven = true;
  while (driven.ok() && monotonic_now() < end) driven = ports_[0]->drive();
  ASSERT_FALSE(driven.ok());
  EXPECT_EQ(driven.error().kind, ErrorKind::peer_lost);
}

class BulkTest : public PeerStreamsTest {
 protected:
  BulkTest() { bulk_ = BulkPath::stream; }
  void SetUp() override {
    PeerStreamsTest::SetUp();
    grow_budgets();
  }
  // Until some of it went so; false where it does not.
  bool exchange_by_stream() {
    const std::uint64_t before = sent_by_stream();
    const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
    while (sent_by_stream() == before && monotonic_now() < end) {
      if (!exchange(300'000)) return false;
    }
    return sent_by_stream() > before;
  }
};

TEST_F(BulkTest, long_messages_go_over_a_stream_and_short_ones_do_not) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  ASSERT_TRUE(exchange_by_stream());
  ASSERT_TRUE(exchange_for({50'000'000}));
  const std::uint64_t long_ones = sent_by_stream();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(exchange(5'000));
  EXPECT_EQ(sent_by_stream(), long_ones);
  EXPECT_THAT(said_, testing::ElementsAre(0, 0)) << "datagrams arrive";
}

TEST_F(BulkTest, messages_arrive_though_their_stream_ends_again_and_again) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(exchange_by_stream());
    hang_up();
    ASSERT_TRUE(exchange(1'000'000));
  }
}

// Such as one that has waited for so long that its short numbers mean others now.
TEST_F(BulkTest, a_stream_that_brings_a_packet_that_is_not_taken_ends) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  ASSERT_TRUE(exchange_by_stream());
  ASSERT_TRUE(exchange(300'000));
  std::array<unsigned char, 104> record{0, 100, 0, 100};
  record.back() = 1;
  send_into_connections(record);
  ASSERT_TRUE(exchange(300'000));  // in which it is read
  const std::uint64_t sent = sent_by_stream();
  ASSERT_TRUE(exchange_for({100'000'000}));
  EXPECT_EQ(sent_by_stream(), sent) << "for a second there is no other";
}

TEST_F(BulkTest, messages_go_as_datagrams_where_connections_are_refused) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  ASSERT_TRUE(exchange_by_stream());
  refuse_connections();
  hang_up();
  ASSERT_TRUE(exchange_for({1'500'000'000}));
  const std::uint64_t sent = sent_by_stream();
  ASSERT_TRUE(exchange_for({100'000'000}));
  EXPECT_EQ(sent_by_stream(), sent);
}

class CheaperBulkTest : public BulkTest {
 protected:
  CheaperBulkTest() { bulk_ = BulkPath::cheaper; }
};

TEST_F(CheaperBulkTest, messages_arrive_while_both_ways_are_tried) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  ASSERT_TRUE(exchange_by_stream());
  ASSERT_TRUE(exchange_for({100'000'000}));
}

// Somebody else who has got the port of the second process, which has ended: what it does with each
// connection. Its datagrams arrive, and nobody answers.
enum class Stranger : std::uint8_t { hangs_up, speaks_otherwise };

class StrangerTest : public PeerStreamsTest, public testing::WithParamInterface<Stranger> {
 protected:
  void SetUp() override {
    PeerStreamsTest::SetUp();
    for (Passage& passage : passages_) passage.open = false;
    ports_[1].reset();
    const sockaddr_in at = to_system(stream_addresses_[1]);
    ASSERT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    ASSERT_EQ(listen(listener_.get(), 8), 0);
  }
  void serve() {
    Descriptor taken(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!taken || GetParam() == Stranger::hangs_up) return;
    const std::string_view greeting{"\0\x1e\0\x1eis this the mail server of you", 34};
    EXPECT_EQ(send(taken.get(), greeting.data(), greeting.size(), 0), 34);
    kept_.push_back(std::move(taken));
  }

  Descriptor listener_{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  std::vector<Descriptor> kept_;
};

TEST_P(StrangerTest, who_has_the_ports_of_a_process_that_ended_does_not_hide_its_end) {
  const Port::Call call(*ports_[0]);
  Completions completions;
  std::vector<std::byte> into(5000);
  ports_[0]->receive(1, 0, into, completions, 1);
  const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
  Result<bool> driven = true;
  while (driven.ok() && monotonic_now() < end) {
    driven = ports_[0]->drive();
    serve();
  }
  ASSERT_FALSE(driven.ok());
  EXPECT_EQ(driven.error().kind, ErrorKind::peer_lost);
}

INSTANTIATE_TEST_SUITE_P(each, StrangerTest,
                         testing::Values(Stranger::hangs_up, Stranger::speaks_otherwise));

TEST_F(PeerStreamsTest, strangers_who_say_nothing_keep_no_peer_out) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  ASSERT_TRUE(exchange(20'000));
  std::vector<Descriptor> strangers;
  for (const NetworkAddress& address : stream_addresses_) {
    const sockaddr_in to = to_system(address);
    for (int i = 0; i < 300; ++i) {
      strangers.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const int stranger = strangers.back().get();
      ASSERT_EQ(connect(stranger, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
      if (i % 32 != 0) continue;  // as many wait without being taken
      ASSERT_TRUE(exchange_for({3'000'000}));
    }
  }
  for (Passage& passage : passages_) passage.open = false;
  EXPECT_TRUE(exchange(20'000));
}

TEST_F(PeerStreamsTest, a_stranger_is_hung_up_on) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  const int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = to_system(stream_addresses_[0]);
  ASSERT_EQ(connect(stranger, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  std::vector<std::byte> packet(4 + 100, std::byte{0});
  packet[1] = packet[3] = std::byte{100};
  ASSERT_EQ(send(stranger, packet.data(), packet.size(), 0), 104);
  std::byte answer{};
  const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
  ssize_t count = -1;
  do {
    ASSERT_TRUE(exchange(20'000));
    count = recv(stranger, &answer, 1, MSG_DONTWAIT);
  } while (count < 0 && errno == EAGAIN && monotonic_now() < end);
  EXPECT_LE(count, 0) << "nothing before the end";
  EXPECT_FALSE(count < 0 && errno == EAGAIN) << "an end";
  close(stranger);
}

}  // namespace
}  // namespace quadrille::wire
