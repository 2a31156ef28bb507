// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one process, each with a port of its own on the loopback interface and a thread for its
// calls.
#include "executor/background_calls.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "base/monotonic_clock.h"
#include "schedule/builder.h"
#include "wire/links/loopback_links.h"

namespace quadrille {
namespace {

constexpr Rank ranks = 3;
constexpr std::size_t block = 20'000;

// All send each other a block; `stages` times, each waiting for the one before it.
SharedSchedule exchange(Rank self, int stages) {
  ScheduleBuilder builder;
  std::vector<StepIndex> before;
  for (int stage = 0; stage < stages; ++stage) {
    std::vector<StepIndex> now;
    for (Rank peer = 0; peer < ranks; ++peer) {
      const Region from{Buffer::send, static_cast<std::uint64_t>(peer) * block, block};
      const Region into{Buffer::receive, static_cast<std::uint64_t>(peer) * block, block};
      if (peer == self) {
        now.push_back(builder.copy(from, into, before));
        continue;
      }
      now.push_back(builder.receive(peer, into, before));
      now.push_back(builder.send(peer, from, before));
    }
    before = now;
  }
  return std::make_shared<const PreparedSchedule>(builder.build());
}

// One rank's data of one call.
struct Data {
  explicit Data(int call, Rank self) : sent(ranks * block), received(ranks * block) {
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = value(call, self, i / block);
  }
  static std::byte value(int call, Rank from, std::size_t into) {
    return static_cast<std::byte>(call * 31 + from * 7 + static_cast<int>(into));
  }
  bool is_right(int call, Rank self) const {
    for (std::size_t i = 0; i < received.size(); ++i) {
      const auto from = static_cast<Rank>(i / block);
      if (received[i] != value(call, from, static_cast<std::size_t>(self))) return false;
    }
    return true;
  }
  std::vector<std::byte> sent;
  std::vector<std::byte> received;
};

class BackgroundCallsTest : public testing::Test {
 protected:
  using Queue = BackgroundCalls::Queue;

  void SetUp() override {
    ASSERT_TRUE(wire::start_cryptography());
    wire::LoopbackLinks links;
    ASSERT_NO_FATAL_FAILURE(wire::open_on_loopback(ranks, links));
    std::vector<wire::PortAddress> addresses;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      addresses.push_back({links.datagrams[rank]->local(), links.streams[rank]->local()});
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      wire::EndpointSettings settings;
      settings.self = static_cast<wire::EndpointId>(rank);
      settings.peers = ranks;
      settings.limits.unscheduled = 500;
      auto port =
          wire::Port::open(std::move(links.datagrams[rank]), std::move(links.streams[rank]),
                           {.endpoint = settings, .addresses = addresses, .board = &boards_[rank]});
      ASSERT_TRUE(port.ok()) << port.error().message;
      ports_.push_back(std::move(port.value()));
      ports_.back()->use_streams();
      calls_.push_back(std::make_unique<BackgroundCalls>(*ports_.back()));
    }
  }

  std::shared_ptr<Queue> queue_of(Rank rank, wire::Channel channel) {
    return std::make_shared<Queue>(BackgroundRanks{channel, {0, 1, 2}, {0, 1, 2}, rank});
  }

  std::shared_ptr<BackgroundCall> start(Rank rank, const std::shared_ptr<Queue>& queue, Data& data,
                                        int stages = 1) {
    CallMemory memory;
    memory.send = data.sent.data();
    memory.receive = data.received.data();
    memory.copy = [](const std::byte* from, std::byte* into, std::uint64_t length) {
      std::memcpy(into, from, length);
    };
    auto call = std::make_shared<BackgroundCall>(exchange(rank, stages), std::move(memory));
    calls_[static_cast<std::size_t>(rank)]->start(queue, call);
    return call;
  }

  // By the thread alone; false after ten seconds.
  static bool ends_by_itself(const BackgroundCall& call) {
    const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
    while (!call.is_done() && monotonic_now() < end) std::this_thread::yield();
    return call.is_done();
  }

  std::array<wire::CreditBoard, ranks> boards_{};
  std::vector<std::unique_ptr<wire::Port>> ports_;
  std::vector<std::unique_ptr<BackgroundCalls>> calls_;
};

TEST_F(BackgroundCallsTest, end_while_nobody_looks_after_them) {
  std::vector<Data> data;
  std::vector<std::shared_ptr<BackgroundCall>> calls;
  for (Rank rank = 0; rank < ranks; ++rank) data.emplace_back(1, rank);
  for (Rank rank = 0; rank < ranks; ++rank)
    calls.push_back(start(rank, queue_of(rank, 5), data[static_cast<std::size_t>(rank)], 3));
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    ASSERT_TRUE(ends_by_itself(*calls[at]));
    EXPECT_FALSE(calls[at]->error());
    EXPECT_FALSE(calls[at]->is_truncated());
    EXPECT_TRUE(data[at].is_right(1, rank));
    EXPECT_GT(calls[at]->flows().bytes, 0U);
    EXPECT_EQ(calls_[at]->finished(), 1U);
    EXPECT_TRUE(calls_[at]->is_idle());
  }
}

TEST_F(BackgroundCallsTest, of_one_queue_match_in_the_order_of_their_starts) {
  constexpr int many = 20;
  std::vector<std::shared_ptr<Queue>> queues;
  for (Rank rank = 0; rank < ranks; ++rank) queues.push_back(queue_of(rank, 5));
  std::vector<std::vector<Data>> data(ranks);
  std::vector<std::shared_ptr<BackgroundCall>> calls;
  for (Rank rank = ranks; rank-- > 0;) {  // one rank starts all before the next starts any
    const auto at = static_cast<std::size_t>(rank);
    for (int call = 0; call < many; ++call) data[at].emplace_back(call, rank);
    for (int call = 0; call < many; ++call)
      calls.push_back(
          start(rank, queues[at], data[at][static_cast<std::size_t>(call)], 1 + call % 3));
  }
  for (const auto& call : calls) ASSERT_TRUE(ends_by_itself(*call));
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (int call = 0; call < many; ++call) {
      EXPECT_TRUE(
          data[static_cast<std::size_t>(rank)][static_cast<std::size_t>(call)].is_right(call, rank))
          << rank << ' ' << call;
    }
  }
}

TEST_F(BackgroundCallsTest, of_several_queues_do_not_wait_for_each_other) {
  // On rank 0 a call is under way that the others have not started.
  Data early(1, 0);
  const auto waiting_queue = queue_of(0, 5);
  const auto waiting = start(0, waiting_queue, early);
  std::vector<Data> data;
  std::vector<std::shared_ptr<BackgroundCall>> calls;
  for (Rank rank = 0; rank < ranks; ++rank) data.emplace_back(2, rank);
  for (Rank rank = 0; rank < ranks; ++rank)
    calls.push_back(start(rank, queue_of(rank, 6), data[static_cast<std::size_t>(rank)]));
  for (const auto& call : calls) ASSERT_TRUE(ends_by_itself(*call));
  EXPECT_FALSE(waiting->is_done());
  EXPECT_FALSE(calls_[0]->is_idle());
  EXPECT_FALSE(calls_[0]->is_idle(*waiting_queue));
  EXPECT_EQ(calls_[0]->missing_peers(*waiting_queue), (std::vector<Rank>{1, 2}));
}

TEST_F(BackgroundCallsTest, are_driven_by_who_waits) {
  std::vector<Data> data;
  std::vector<std::shared_ptr<BackgroundCall>> calls;
  for (Rank rank = 0; rank < ranks; ++rank) data.emplace_back(3, rank);
  BackgroundCalls::Driving driving(*calls_[0]);
  for (Rank rank = 0; rank < ranks; ++rank)
    calls.push_back(start(rank, queue_of(rank, 5), data[static_cast<std::size_t>(rank)]));
  const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
  while (!calls[0]->is_done() && monotonic_now() < end) {
    if (!driving.turn()) driving.sleep(Nanoseconds{100'000});
  }
  ASSERT_TRUE(calls[0]->is_done());
  EXPECT_TRUE(data[0].is_right(3, 0));
}

TEST_F(BackgroundCallsTest, end_with_an_error_where_a_peer_has_ended_and_so_do_those_behind_them) {
  Data data(1, 0);
  Data other(1, 0);
  const auto queue = queue_of(0, 5);
  const auto call = start(0, queue, data);
  const auto behind = start(0, queue, other);
  for (std::size_t peer = 1; peer < ranks; ++peer) {
    calls_[peer].reset();
    ports_[peer].reset();
  }
  ASSERT_TRUE(ends_by_itself(*call));
  ASSERT_TRUE(ends_by_itself(*behind));
  ASSERT_TRUE(call->error());
  EXPECT_EQ(call->error()->kind, ErrorKind::peer_lost);
  EXPECT_TRUE(behind->error());
}

TEST_F(BackgroundCallsTest, that_are_under_way_are_given_up_at_the_end) {
  Data data(1, 0);
  const auto call = start(0, queue_of(0, 5), data);
  calls_[0].reset();
  EXPECT_FALSE(call->is_done());
}

}  // namespace
}  // namespace quadrille
