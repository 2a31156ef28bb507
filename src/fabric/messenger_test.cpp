// SPDX-License-Identifier: BSD-3-Clause
// Messages and the receives that take them.
#include "fabric/messenger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "fabric/messenger_fixture.h"

namespace quadrille::fabric {
namespace {

std::string name_of_placement(const testing::TestParamInfo<Placement>& info) {
  switch (info.param) {
    case Placement::apart:
      return "apart";
    case Placement::looking:
      return "looking";
    case Placement::told:
      return "told";
  }
  return "";
}
INSTANTIATE_TEST_SUITE_P(Placements, MessengerTest,
                         testing::Values(Placement::apart, Placement::looking, Placement::told),
                         name_of_placement);

TEST_P(MessengerTest, messages_of_all_sizes_arrive_whole_expected_or_not) {
  for (const bool expected : {true, false}) {
    make(2);
    const std::vector<std::size_t> sizes{0,    1,    63,     1400,   1419,   1420,   2866,
                                         2867, 5000, 16'384, 16'385, 65'536, 65'537, 1'000'000};
    std::vector<std::vector<std::byte>> sent;
    std::vector<std::vector<std::byte>> into;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sent.push_back(contents(sizes[i], static_cast<unsigned>(i)));
      into.emplace_back(sizes[i]);
    }
    const auto receive_all = [&] {
      for (std::size_t i = 0; i < sizes.size(); ++i) receive(1, into[i], {.from = {}, .tag = i}, i);
    };
    if (expected) receive_all();
    for (std::size_t i = 0; i < sizes.size(); ++i) send(0, 1, sent[i], i, i);
    if (!expected) {
      run();
      receive_all();
    }
    run();
    EXPECT_EQ(into, sent);
    EXPECT_EQ(done_[0].size(), sizes.size());
    ASSERT_EQ(done_[1].size(), sizes.size());
    for (const Done& done : done_[1]) {
      const auto index = reinterpret_cast<std::uint64_t>(done.report.context);
      EXPECT_EQ(done.length, sizes[index]);
      EXPECT_EQ(done.tag, index);
      EXPECT_EQ(done.data, index + 1);
      EXPECT_EQ(done.from, peer(1, 0));
      EXPECT_EQ(done.outcome, Outcome::success);
    }
    EXPECT_TRUE(ends_[0]->is_idle() && ends_[1]->is_idle());
    EXPECT_EQ(ends_[0]->records() >= 2 * sizes.size(), on_one_host());
    EXPECT_EQ(ends_[0]->counters().data_sent == 0, on_one_host());
    ends_.clear();
    inboxes_.clear();
    keys_.clear();
    done_.clear();
  }
}

TEST_P(MessengerTest, a_message_of_a_few_packets_leaves_at_once) {
  if (on_one_host()) GTEST_SKIP() << "no packets";
  make(2);
  std::vector<std::byte> first(10);
  std::vector<std::byte> into(10);
  receive(1, into, {.from = {}, .tag = 0}, 0);
  send(0, 1, contents(10, 1), 0, 0);
  run();  // now they know each other
  send(0, 1, contents(4000, 2), 1, 1);
  std::vector<std::byte> room(ends_[0]->largest_datagram());
  std::vector<std::size_t> lengths;
  while (const auto outgoing = ends_[0]->next_datagram(room, now_))
    lengths.push_back(outgoing->length);
  ASSERT_EQ(lengths.size(), 3U) << "and no announcement";
  EXPECT_EQ(lengths[0], lengths[1]) << "a run, which links send as one";
  EXPECT_EQ(ends_[0]->done().size(), 1U) << "copied";
}

TEST_P(MessengerTest, what_is_eager_waits_where_it_goes_and_what_is_longer_does_not) {
  make(2);
  const auto short_one = contents(16'384, 1);
  const auto long_one = contents(16'385, 2);
  send(0, 1, short_one, 1, 1);
  send(0, 1, long_one, 2, 2);
  run();
  EXPECT_EQ(ends_[1]->waiting_bytes(), short_one.size());
  std::vector<std::byte> into_first(long_one.size());
  std::vector<std::byte> into_second(short_one.size());
  receive(1, into_first, {.from = {}, .tag = 2}, 2);
  receive(1, into_second, {.from = {}, .tag = 1}, 1);
  run();
  EXPECT_EQ(into_first, long_one);
  EXPECT_EQ(into_second, short_one);
}

TEST_P(MessengerTest, a_receive_that_only_the_first_packet_has_reached_ends_with_its_sender) {
  if (on_one_host()) GTEST_SKIP() << "no packets";
  make(2);
  std::vector<std::byte> first(10);
  receive(1, first, {.from = {}, .tag = 0}, 0);
  send(0, 1, contents(10, 1), 0, 0);
  run();  // now they know each other
  done_[1].clear();
  std::vector<std::byte> into(10'000);
  std::vector<std::byte> behind(10);
  receive(1, into, {.from = {}, .tag = 1}, 1);
  receive(1, behind, {.from = {}, .tag = 2}, 2);
  send(0, 1, contents(10'000, 2), 1, 1);
  send(0, 1, contents(10, 3), 2, 2);
  std::vector<std::byte> room(ends_[0]->largest_datagram());
  while (const auto outgoing = ends_[0]->next_datagram(room, now_)) {
    const bool is_rest = room[5] == std::byte{rests_channel};
    if (!is_rest)
      ends_[1]->on_datagram(ends_[0]->name().at, std::span(room).first(outgoing->length), now_);
  }
  EXPECT_EQ(ends_[1]->done().size(), 0U) << "what is behind it waits";
  ends_[1]->lose_everybody();
  ASSERT_EQ(ends_[1]->done().size(), 2U);
  for (const Done& done : ends_[1]->done()) EXPECT_EQ(done.outcome, Outcome::peer_lost);
}

TEST_P(MessengerTest, order_and_contents_hold_under_loss_repetition_and_reordering) {
  loss_per_mille_ = 30;
  constexpr std::size_t ends = 3;
  constexpr std::size_t messages = 60;
  make(ends);
  struct Sent {
    std::vector<std::byte> bytes;
    std::uint64_t tag;
  };
  std::vector<std::vector<std::deque<Sent>>> expected(ends, std::vector<std::deque<Sent>>(ends));
  std::deque<std::vector<std::byte>> memory;
  std::vector<std::deque<std::vector<std::byte>>> into(ends);
  for (std::size_t i = 0; i < messages; ++i) {
    for (std::size_t from = 0; from < ends; ++from) {
      const std::size_t to = (from + 1 + chance_() % (ends - 1)) % ends;
      const std::size_t length = chance_() % 4 == 0 ? chance_() % 20'000 : chance_() % 500;
      memory.push_back(contents(length, chance_()));
      expected[from][to].push_back({memory.back(), i});
      send(from, to, memory.back(), i);
      if (chance_() % 2 == 0) run(Nanoseconds{100'000});
    }
  }
  // Each takes what comes to it with wildcards: what is from one sender has its order.
  for (std::size_t at = 0; at < ends; ++at) {
    std::size_t count = 0;
    for (std::size_t from = 0; from < ends; ++from) count += expected[from][at].size();
    for (std::size_t i = 0; i < count; ++i) {
      into[at].emplace_back(20'000);
      receive(at, into[at].back(), {.from = {}, .tag = 0, .ignore = any_tag}, i);
    }
  }
  run(Nanoseconds{100'000'000'000});
  for (std::size_t at = 0; at < ends; ++at) {
    std::vector<const Done*> by_post(into[at].size());
    for (const Done& done : done_[at]) {
      if (done.received) by_post[reinterpret_cast<std::uint64_t>(done.report.context)] = &done;
    }
    for (std::size_t i = 0; i < by_post.size(); ++i) {
      ASSERT_NE(by_post[i], nullptr) << at << ' ' << i;
      std::size_t from = 0;
      while (peer(at, from) != by_post[i]->from) ++from;
      auto& queue = expected[from][at];
      ASSERT_FALSE(queue.empty());
      ASSERT_EQ(by_post[i]->tag, queue.front().tag);
      into[at][i].resize(by_post[i]->length);
      ASSERT_EQ(into[at][i], queue.front().bytes);
      queue.pop_front();
    }
  }
}

// All of both budgets may be granted for what the other end has not been called for yet: a call
// that is lost must not wait for them.
TEST_P(MessengerTest, long_messages_both_ways_end_whatever_is_lost) {
  constexpr std::size_t messages = 40;
  std::vector<std::vector<std::byte>> sent;
  for (unsigned i = 0; i < messages; ++i)
    sent.push_back(contents(i % 3 == 0 ? 30'000 - i : 10 + i, i));
  for (unsigned seed = 300; seed < 500; ++seed) {
    chance_.seed(seed);
    loss_per_mille_ = 100 + seed % 3 * 100;
    make(2);
    std::vector<std::vector<std::byte>> into(2 * messages, std::vector<std::byte>(30'000));
    for (std::size_t i = 0; i < messages; ++i) {
      for (std::size_t end = 0; end < 2; ++end) send(end, 1 - end, sent[i], 5, i);
      if (seed % 2 == 1) step();
    }
    for (std::size_t i = 0; i < messages; ++i) {
      for (std::size_t end = 0; end < 2; ++end)
        receive(end, into[2 * i + end], {.from = {}, .tag = 5}, i);
      run(Nanoseconds{1'000'000} * static_cast<int>(seed % 5));
    }
    run(Nanoseconds{200'000'000'000});
    for (std::size_t end = 0; end < 2; ++end)
      ASSERT_EQ(done_[end].size(), 2 * messages) << "seed " << seed;
    for (std::size_t i = 0; i < messages; ++i)
      ASSERT_TRUE(std::ranges::equal(sent[i], std::span(into[2 * i]).first(sent[i].size())));
    ends_.clear();
    inboxes_.clear();
    keys_.clear();
    done_.clear();
    flights_.clear();
  }
}

TEST_P(MessengerTest, a_thousand_unexpected_messages_take_bounded_memory_and_none_is_lost) {
  make(2);
  constexpr std::size_t count = 1000;
  std::deque<std::vector<std::byte>> sent;
  for (std::size_t i = 0; i < count; ++i) {
    sent.push_back(contents(1000, static_cast<unsigned>(i)));
    send(0, 1, sent.back(), i, i);
  }
  run();
  EXPECT_LE(ends_[1]->waiting_bytes(), EagerCredit::memory);
  EXPECT_GT(ends_[1]->waiting_bytes(), EagerCredit::memory / 2);
  EXPECT_LT(done_[0].size(), EagerCredit::memory / 1000) << "the others stay at their sender";
  std::vector<std::byte> last(1000);
  receive(1, last, {.from = 0, .tag = count - 1}, count - 1);
  run();
  EXPECT_EQ(last, sent.back()) << "none of those before is in its way";
  std::vector<std::vector<std::byte>> into(count - 1, std::vector<std::byte>(1000));
  for (std::size_t i = 0; i < count - 1; ++i) receive(1, into[i], {.from = {}, .tag = i}, i);
  run();
  for (std::size_t i = 0; i < count - 1; ++i) ASSERT_EQ(into[i], sent[i]);
  EXPECT_EQ(ends_[1]->waiting_bytes(), 0U);
  EXPECT_EQ(done_[0].size(), count);
}

TEST_P(MessengerTest, what_is_longer_than_its_receive_is_cut_and_said_to_be) {
  make(2);
  for (const std::size_t length : {100U, 10'000U, 50'000U}) {
    for (const std::size_t room : {0U, 10U}) {
      done_[1].clear();
      const auto sent = contents(length, 3);
      std::vector<std::byte> into(room);
      std::vector<std::byte> next(length);
      receive(1, into, {.from = {}, .tag = 1});
      receive(1, next, {.from = {}, .tag = 1});
      send(0, 1, sent, 1);
      send(0, 1, sent, 1);
      run();
      ASSERT_EQ(done_[1].size(), 2U);
      EXPECT_EQ(done_[1][0].outcome, Outcome::truncated);
      EXPECT_EQ(done_[1][0].excess, length - room);
      EXPECT_TRUE(std::equal(into.begin(), into.end(), sent.begin()));
      EXPECT_EQ(done_[1][1].outcome, Outcome::success);
      EXPECT_EQ(next, sent);
    }
  }
}

TEST_P(MessengerTest, a_claimed_message_is_its_claimants_alone) {
  make(2);
  for (const std::size_t length : {20U, 10'000U, 30'000U}) {
    const auto first = contents(length, 1);
    const auto second = contents(length, 2);
    send(0, 1, first, 5);
    send(0, 1, second, 5);
    run();
    const Pattern any{.from = {}, .tag = 0, .ignore = any_tag};
    EXPECT_FALSE(ends_[1]->peek(true, {.from = {}, .tag = 6}, nullptr));
    EXPECT_FALSE(ends_[1]->peek(false, any, nullptr)) << "these have no tag";
    ASSERT_TRUE(ends_[1]->peek(true, any, nullptr));
    const auto found = ends_[1]->peek(true, any, pointer(9));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->head.length, length);
    std::vector<std::byte> into_second(length);
    receive(1, into_second, any);
    std::vector<std::byte> into_first(length);
    EXPECT_TRUE(ends_[1]->receive_claimed(
        pointer(9), {.buffer = into_first, .tagged = true, .pattern = any, .report = {}}, now_));
    EXPECT_FALSE(ends_[1]->discard_claimed(pointer(9), now_));
    run();
    EXPECT_EQ(into_first, first);
    EXPECT_EQ(into_second, second);
  }
}

TEST_P(MessengerTest, a_discarded_message_ends_at_its_sender_and_gives_its_memory_back) {
  make(2);
  for (const std::size_t length : {20U, 10'000U, 30'000U}) {
    done_[0].clear();
    const auto sent = contents(length, 1);
    for (int i = 0; i < 2000; ++i) {
      send(0, 1, sent, 5);
      run();
      ASSERT_TRUE(ends_[1]->peek(true, {.from = {}, .tag = 5}, pointer(1)));
      ASSERT_TRUE(ends_[1]->discard_claimed(pointer(1), now_));
      if (length > 1000 && i > 20) break;
    }
    run();
    EXPECT_EQ(ends_[1]->waiting_bytes(), 0U);
    for (const Done& done : done_[0]) EXPECT_EQ(done.outcome, Outcome::success);
    EXPECT_EQ(done_[0].size(), length > 1000 ? 22U : 2000U);
  }
}

TEST_P(MessengerTest, a_canceled_receive_takes_nothing) {
  make(2);
  std::vector<std::byte> into(10);
  receive(1, into, {.from = {}, .tag = 1}, 7);
  EXPECT_FALSE(ends_[1]->cancel(pointer(8)));
  EXPECT_TRUE(ends_[1]->cancel(pointer(7)));
  EXPECT_FALSE(ends_[1]->cancel(pointer(7)));
  std::vector<std::byte> other(10);
  receive(1, other, {.from = {}, .tag = 1}, 8);
  const auto sent = contents(10, 4);
  send(0, 1, sent, 1);
  run();
  EXPECT_EQ(other, sent);
  EXPECT_EQ(done_[1].front().outcome, Outcome::canceled);
  EXPECT_NE(into, sent);
}

TEST_P(MessengerTest, one_receive_takes_many_messages_until_it_has_no_room) {
  make(2);
  std::vector<std::byte> buffer(10'000);
  const ReceiveRequest many{.buffer = buffer,
                            .tagged = false,
                            .pattern = {.from = {}, .tag = 0, .ignore = any_tag},
                            .least_room = 3000,
                            .report = {.context = pointer(3)}};
  ends_[1]->receive(many, now_);
  const std::vector<std::vector<std::byte>> sent{contents(100, 1), contents(5000, 2),
                                                 contents(2500, 3), contents(50, 4)};
  for (const auto& bytes : sent)
    ends_[0]->send({.to = peer(0, 1), .bytes = bytes, .data = {}, .report = {}}, now_);
  run();
  std::size_t at = 0;
  std::size_t releases = 0;
  std::size_t messages = 0;
  for (const Done& done : done_[1]) {
    EXPECT_EQ(done.report.context, pointer(3));
    if (done.releases) {
      ++releases;
      EXPECT_EQ(messages, 3U) << "after all that it took";
      continue;
    }
    ++messages;
    const auto index = static_cast<std::size_t>(
        std::ranges::find(sent, done.length, &std::vector<std::byte>::size) - sent.begin());
    EXPECT_TRUE(std::equal(done.buffer, done.buffer + done.length, sent[index].begin()));
    at += done.length;
  }
  EXPECT_EQ(at, 7600U);
  EXPECT_EQ(releases, 1U);
  done_[1].clear();
  ends_[1]->receive(many, now_);
  run();
  ASSERT_EQ(done_[1].size(), 1U) << "the fourth has waited";
  EXPECT_TRUE(ends_[1]->cancel(pointer(3)));
}

TEST_P(MessengerTest, messages_to_oneself_match_as_all_others) {
  make(1);
  const auto sent = contents(3000, 1);
  send(0, 0, sent, 4, 1);
  run();
  EXPECT_TRUE(done_[0].empty()) << "nobody has received it";
  std::vector<std::byte> into(3000);
  receive(0, into, {.from = peer(0, 0), .tag = 4}, 2);
  run();
  EXPECT_EQ(into, sent);
  EXPECT_EQ(done_[0].size(), 2U);
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto bytes = contents(40, seed);
    const auto copied = bytes;
    std::vector<std::byte> next(40);
    receive(0, next, {.from = {}, .tag = 4});
    ends_[0]->send({.to = peer(0, 0),
                    .bytes = bytes,
                    .tagged = true,
                    .tag = 4,
                    .data = {},
                    .copies = true,
                    .report = {}},
                   now_);
    std::ranges::fill(bytes, std::byte{0});
    run();
    ASSERT_EQ(next, copied);
  }
}

TEST_P(MessengerTest, a_copied_message_is_done_at_once_whatever_its_length) {
  make(2);
  for (const std::size_t length : {100U, 20'000U}) {
    auto bytes = contents(length, 1);
    const auto sent = bytes;
    done_[0].clear();
    ends_[0]->send({.to = peer(0, 1),
                    .bytes = bytes,
                    .tagged = true,
                    .tag = 1,
                    .data = {},
                    .copies = true,
                    .report = {}},
                   now_);
    EXPECT_EQ(ends_[0]->done().size(), 1U);
    std::ranges::fill(bytes, std::byte{0});
    run();
    std::vector<std::byte> into(length);
    receive(1, into, {.from = {}, .tag = 1});
    run();
    EXPECT_EQ(into, sent);
    EXPECT_EQ(done_[0].size(), 1U);
    EXPECT_EQ(ends_[0]->copied_bytes(), 0U);
  }
}

TEST_P(MessengerTest, a_send_until_delivered_waits_for_its_receive) {
  make(2);
  for (const std::size_t length : {0U, 10U}) {
    done_[0].clear();
    const auto sent = contents(length, 1);
    ends_[0]->send({.to = peer(0, 1),
                    .bytes = sent,
                    .tagged = true,
                    .tag = 1,
                    .data = {},
                    .until_delivered = true,
                    .report = {}},
                   now_);
    run();
    EXPECT_TRUE(done_[0].empty());
    std::vector<std::byte> into(length);
    receive(1, into, {.from = {}, .tag = 1});
    run();
    EXPECT_EQ(done_[0].size(), 1U);
    EXPECT_EQ(into, sent);
  }
}

}  // namespace
}  // namespace quadrille::fabric
