// SPDX-License-Identifier: BSD-3-Clause
// Walks hand-made schedules over an in-process transport whose completions come late and out of
// order, by a seed.
#include "executor/executor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "base/monotonic_clock.h"
#include "executor/phases.h"
#include "schedule/builder.h"

namespace quadrille {
namespace {

// All ranks of a test in one thread: poll() of one rank first lets every other rank go on, as
// processes would.
class Post {
 public:
  explicit Post(std::uint32_t seed) : random_(seed) {}
  std::map<std::pair<Rank, Rank>, std::deque<std::vector<std::byte>>> sent;
  bool late() { return random_() % 3 != 0; }

 private:
  std::mt19937 random_;
};

class PostTransport final : public Transport {
 public:
  PostTransport(Post& post, Rank self) : post_(post), self_(self) {}

  Result<bool> start_send(StepIndex step, Rank peer, const void* address,
                          std::uint64_t length) override {
    const auto* bytes = static_cast<const std::byte*>(address);
    started_sends.push_back(step);
    post_.sent[{self_, peer}].emplace_back(bytes, bytes + length);
    under_way_.push_back({step, peer, nullptr, length});
    return true;
  }
  Result<bool> start_receive(StepIndex step, Rank peer, void* address,
                             std::uint64_t length) override {
    under_way_.push_back({step, peer, static_cast<std::byte*>(address), length});
    return true;
  }
  Result<bool> start_group_bcast(StepIndex step, Rank root, void* data,
                                 std::uint64_t length) override {
    groups.push_back({step, root, data, nullptr, length});
    under_way_.push_back({step, self_, nullptr, length});
    return true;
  }
  Result<bool> start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                  std::uint64_t length) override {
    groups.push_back({step, root, from, into, length});
    under_way_.push_back({step, self_, nullptr, length});
    return true;
  }
  Carrier carrier_of(const Step&) const override { return Carrier::wire; }
  Result<std::size_t> poll(std::span<StepIndex> completed) override {
    if (fail_) return Error{ErrorKind::peer_lost, "gone"};
    std::size_t count = 0;
    std::map<Rank, bool> blocked;
    for (std::size_t i = 0; i < under_way_.size();) {
      Message& message = under_way_[i];
      const bool receive = message.into != nullptr;
      auto& box = post_.sent[{message.peer, self_}];
      if (post_.late() || (receive && (blocked[message.peer] || box.empty()))) {
        blocked[message.peer] = blocked[message.peer] || receive;
        ++i;
        continue;
      }
      if (receive) {
        EXPECT_EQ(box.front().size(), message.length);
        std::memcpy(message.into, box.front().data(), box.front().size());
        box.pop_front();
      }
      completed[count++] = message.step;
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return count;
  }
  void fail() { fail_ = true; }

  std::vector<StepIndex> started_sends;  // in order
  // Group steps in the order in which they were started.
  struct Group {
    StepIndex step;
    Rank root;
    const void* from;
    void* into;
    std::uint64_t length;
  };
  std::vector<Group> groups;

 private:
  struct Message {
    StepIndex step;
    Rank peer;
    std::byte* into;
    std::uint64_t length;
  };
  Post& post_;
  Rank self_;
  std::vector<Message> under_way_;
  bool fail_ = false;
};

CallMemory bytes_memory(const std::vector<std::byte>& send, std::vector<std::byte>& receive,
                        std::vector<std::byte>& scratch) {
  CallMemory memory;
  memory.send = send.data();
  memory.receive = receive.data();
  memory.scratch = scratch.data();
  memory.copy = [](const std::byte* from, std::byte* into, std::uint64_t length) {
    std::memcpy(into, from, length);
  };
  memory.reduce = [](const std::byte* from, std::byte* into, std::uint64_t length) {
    for (std::uint64_t i = 0; i < length; ++i)
      into[i] = std::byte(std::uint8_t(into[i]) + std::uint8_t(from[i]));
  };
  return memory;
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(std::byte(value));
  return result;
}

TEST(Executor, messages_of_a_pair_match_in_list_order_whatever_completes_first) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Post post(seed);
    post.sent[{1, 0}] = {bytes({1}), bytes({2}), bytes({3})};
    ScheduleBuilder builder;
    for (std::uint64_t i = 0; i < 3; ++i) builder.receive(1, {Buffer::receive, i, 1});
    const PreparedSchedule prepared(builder.build());
    std::vector<std::byte> receive(3);
    std::vector<std::byte> scratch;
    PostTransport transport(post, 0);
    ASSERT_TRUE(Executor().run(prepared, bytes_memory({}, receive, scratch), transport, {}).ok());
    EXPECT_EQ(receive, (bytes({1, 2, 3})));
  }
}

TEST(Executor, of_the_steps_that_can_start_the_first_of_the_list_does) {
  Post post(1);
  post.sent[{9, 0}] = {bytes({1})};
  ScheduleBuilder builder;
  builder.receive(9, {Buffer::receive, 0, 1});
  for (const Rank child : {5, 3, 7, 1}) builder.send(child, {Buffer::receive, 0, 1});
  const PreparedSchedule prepared(builder.build());
  std::vector<std::byte> receive(1);
  std::vector<std::byte> scratch;
  PostTransport transport(post, 0);
  ASSERT_TRUE(Executor().run(prepared, bytes_memory({}, receive, scratch), transport, {}).ok());
  EXPECT_EQ(transport.started_sends, (std::vector<StepIndex>{1, 2, 3, 4}));
}

TEST(Executor, reduces_in_the_order_of_the_dependencies) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Post post(seed);
    post.sent[{1, 0}] = {bytes({10, 11})};
    post.sent[{2, 0}] = {bytes({20, 21})};
    ScheduleBuilder builder;
    const Region result{Buffer::receive, 0, 2};
    const Region scratch_region = builder.scratch(2);
    builder.copy({Buffer::send, 0, 2}, result);
    for (const Rank peer : {1, 2}) {
      builder.receive(peer, scratch_region);
      builder.reduce(scratch_region, result);
    }
    builder.send(1, result);
    const PreparedSchedule prepared(builder.build());
    const std::vector<std::byte> send = bytes({1, 2});
    std::vector<std::byte> receive(2);
    std::vector<std::byte> scratch(2);
    PostTransport transport(post, 0);
    ASSERT_TRUE(Executor().run(prepared, bytes_memory(send, receive, scratch), transport, {}).ok());
    EXPECT_EQ(receive, (bytes({31, 34})));
    ASSERT_EQ((post.sent[{0, 1}].size()), 1U);
    EXPECT_EQ((post.sent[{0, 1}].front()), receive);
  }
}

TEST(Executor, tells_when_steps_started_and_were_complete) {
  Post post(1);
  post.sent[{1, 0}] = {bytes({10, 11})};
  ScheduleBuilder builder;
  const Region result{Buffer::receive, 0, 2};
  const Region arrived = builder.scratch(2);
  builder.copy({Buffer::send, 0, 2}, result);
  builder.receive(1, arrived);
  builder.reduce(arrived, result);
  builder.send(1, result);
  const PreparedSchedule prepared(builder.build());
  const std::vector<std::byte> send = bytes({1, 2});
  std::vector<std::byte> receive(2);
  std::vector<std::byte> scratch(2);
  PostTransport transport(post, 0);
  std::vector<StepSpan> times(7);  // of an earlier call
  const Nanoseconds before = monotonic_now();
  ASSERT_TRUE(
      Executor().run(prepared, bytes_memory(send, receive, scratch), transport, {}, &times).ok());
  const Nanoseconds after = monotonic_now();
  const std::vector<CallPhase> phases = phases_of(prepared.schedule(), times, transport, 8);
  ASSERT_EQ(phases.size(), 4U);
  for (const CallPhase& phase : phases) {
    EXPECT_LE(before, phase.start);
    EXPECT_LE(phase.start, phase.end);
    EXPECT_LE(phase.end, after);
    EXPECT_EQ(phase.bytes, Bytes{16});
    EXPECT_EQ(phase.steps, 1U);
  }
  EXPECT_EQ(phases[1].kind, StepKind::receive);
  EXPECT_EQ(phases[1].carrier, Carrier::wire);
  EXPECT_EQ(phases[1].peer, 1);
  EXPECT_EQ(phases[2].carrier, Carrier::own_memory);
  // What depends on something starts when that is complete.
  EXPECT_LE(phases[1].end, phases[2].start);
  EXPECT_LE(phases[2].end, phases[3].start);
}

TEST(Executor, phases_of_many_steps_are_those_with_each_peer) {
  Post post(1);
  ScheduleBuilder builder;
  for (std::uint64_t i = 0; i < most_single_steps; ++i) {
    builder.send(1, {Buffer::send, i, 1});
    builder.send(2, {Buffer::send, i, 1});
  }
  const Schedule schedule = builder.build();
  std::vector<StepSpan> times;
  for (std::int64_t i = 0; i < std::ssize(schedule.steps); ++i)
    times.push_back({Nanoseconds{100 - i}, Nanoseconds{200 + i}});
  PostTransport transport(post, 0);
  const std::vector<CallPhase> phases = phases_of(schedule, times, transport, 1);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[1].peer, 2);
  EXPECT_EQ(phases[1].steps, most_single_steps);
  EXPECT_EQ(phases[1].bytes, Bytes{most_single_steps});
  EXPECT_EQ(phases[1].start, Nanoseconds{100 - (2 * std::int64_t{most_single_steps} - 1)});
  EXPECT_EQ(phases[1].end, Nanoseconds{200 + 2 * std::int64_t{most_single_steps} - 1});
}

// The second one's data are there first; it has to wait for the first one all the same.
TEST(Executor, starts_group_steps_in_list_order_with_the_roots_place_in_the_group) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Post post(seed);
    post.sent[{9, 3}] = {bytes({7})};
    const std::vector<Rank> group{1, 3, 5};
    ScheduleBuilder builder;
    const Region first{Buffer::receive, 0, 1};
    builder.receive(9, first);
    builder.group_bcast(group, 3, true, first);
    builder.group_bcast(group, 5, false, {Buffer::receive, 1, 1});
    const Region sum = builder.scratch(1);
    builder.group_reduce(group, 1, first, {});
    builder.group_reduce(group, 3, first, sum);
    const PreparedSchedule prepared(builder.build());
    std::vector<std::byte> receive(2);
    std::vector<std::byte> scratch(1);
    PostTransport transport(post, 3);
    ASSERT_TRUE(Executor().run(prepared, bytes_memory({}, receive, scratch), transport, {}).ok());
    ASSERT_EQ(transport.groups.size(), 4U);
    const auto& groups = transport.groups;
    EXPECT_EQ((std::vector<Rank>{groups[0].root, groups[1].root, groups[2].root, groups[3].root}),
              (std::vector<Rank>{1, 2, 0, 1}));
    EXPECT_EQ(groups[0].from, receive.data());
    EXPECT_EQ(groups[1].from, receive.data() + 1);
    EXPECT_EQ(groups[3].into, scratch.data());
  }
}

TEST(Executor, an_error_of_the_transport_ends_the_walk) {
  Post post(1);
  ScheduleBuilder builder;
  builder.receive(1, {Buffer::receive, 0, 1});
  const PreparedSchedule prepared(builder.build());
  std::vector<std::byte> receive(1);
  std::vector<std::byte> scratch;
  PostTransport transport(post, 0);
  transport.fail();
  const auto done = Executor().run(prepared, bytes_memory({}, receive, scratch), transport, {});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::peer_lost);
}

TEST(Executor, a_rules_names_the_peers_that_are_missing_and_only_once) {
  Post post(3);
  ScheduleBuilder builder;
  const StepIndex first = builder.receive(4, {Buffer::receive, 0, 1});
  builder.receive(2, {Buffer::receive, 1, 1});
  builder.receive(7, {Buffer::receive, 2, 1}, {first});  // not posted yet, so not to blame
  const PreparedSchedule prepared(builder.build());
  std::vector<std::byte> receive(3);
  std::vector<std::byte> scratch;
  PostTransport transport(post, 0);
  int reports = 0;
  std::vector<Rank> named;
  const WaitingRules rules{WaitingMode::automatic, Nanoseconds{1},
                           [&](const std::vector<Rank>& peers) {
                             ++reports;
                             named = peers;
                             for (const Rank peer : {2, 4, 7})
                               post.sent[{peer, 0}] = {bytes({peer})};
                           }};
  ASSERT_TRUE(Executor().run(prepared, bytes_memory({}, receive, scratch), transport, rules).ok());
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(named, (std::vector<Rank>{2, 4}));
}

TEST(Executor, runs_schedules_of_different_sizes_one_after_the_other) {
  Executor executor;
  for (const std::uint64_t pieces : {1U, 40U, 3U}) {
    Post post(static_cast<std::uint32_t>(pieces));
    ScheduleBuilder builder;
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const Region piece = Region{Buffer::receive, 0, 40}.part(i, pieces);
      std::vector<std::byte> content(piece.length, std::byte(i));
      post.sent[{1, 0}].push_back(content);
      builder.receive(1, piece);
      builder.send(2, piece);
    }
    const PreparedSchedule prepared(builder.build());
    std::vector<std::byte> receive(40);
    std::vector<std::byte> scratch;
    PostTransport transport(post, 0);
    ASSERT_TRUE(executor.run(prepared, bytes_memory({}, receive, scratch), transport, {}).ok());
    EXPECT_EQ((post.sent[{0, 2}].size()), pieces);
  }
}

}  // namespace
}  // namespace quadrille
