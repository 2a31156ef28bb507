// SPDX-License-Identifier: BSD-3-Clause
// Two stations on the loopback.
#include "fabric/station.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "wire/links/udp_link.h"

namespace quadrille::fabric {
namespace {

struct End {
  std::atomic<int> done = 0;
  std::unique_ptr<Station> station;

  void open() {
    auto opened = Station::open({.interface = "127.0.0.1", .job_secret = {}},
                                [this](const Done&, const Messenger&) { ++done; });
    ASSERT_TRUE(opened.ok());
    station = std::move(opened.value());
  }
  PeerNumber knows(const End& other) const {
    return station->with([&](Messenger& messenger, Nanoseconds now) {
      return *messenger.peer(other.station->name(), now);
    });
  }
  void send(PeerNumber to, const std::vector<std::byte>& bytes) const {
    station->with([&](Messenger& messenger, Nanoseconds now) {
      messenger.send({.to = to, .bytes = bytes, .tagged = true, .tag = 1, .data = {}, .report = {}},
                     now);
    });
  }
  void receive(std::vector<std::byte>& into) const {
    station->with([&](Messenger& messenger, Nanoseconds now) {
      messenger.receive({.buffer = into,
                         .tagged = true,
                         .pattern = {.from = {}, .tag = 1},
                         .least_room = {},
                         .report = {}},
                        now);
    });
  }
};

void wait_for(const std::atomic<int>& count, int wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (count < wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(count, wanted);
}

TEST(Station, large_messages_arrive_while_both_programs_compute) {
  End a;
  End b;
  a.open();
  b.open();
  const PeerNumber to = a.knows(b);
  b.knows(a);
  const std::vector<std::byte> sent(3'000'000, std::byte{5});
  std::vector<std::byte> into(sent.size());
  b.receive(into);
  a.send(to, sent);
  wait_for(a.done, 1);  // nobody drives
  wait_for(b.done, 1);
  EXPECT_EQ(into, sent);
}

TEST(Station, what_was_sent_arrives_though_its_sender_ends) {
  End b;
  b.open();
  std::vector<std::byte> into(1000);
  const std::vector<std::byte> sent(1000, std::byte{5});
  {
    End a;
    a.open();
    b.knows(a);
    a.send(a.knows(b), sent);
  }
  b.receive(into);
  b.station->drive();
  wait_for(b.done, 1);
  EXPECT_EQ(into, sent);
}

TEST(Station, who_has_the_port_of_one_that_has_ended_does_not_hide_its_end) {
  End a;
  auto b = std::make_unique<End>();
  a.open();
  b->open();
  const PeerNumber to = a.knows(*b);
  const wire::NetworkAddress port = b->station->name().at;
  b.reset();
  const auto swallows = wire::UdpLink::open({.local = port});
  ASSERT_TRUE(swallows.ok());
  a.send(to, std::vector<std::byte>(100'000));
  wait_for(a.done, 1);  // nobody drives
}

}  // namespace
}  // namespace quadrille::fabric
