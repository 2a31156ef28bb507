// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a communicator in one process, through random programs.
#include "planner/agree/call_agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "planner/cost/cost_networks.h"

namespace quadrille {
namespace {

KnownNetwork network_of(Rank ranks, Rank ranks_per_host) {
  TopologyView view = TopologyView::flat(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    view.host_of_rank[static_cast<std::size_t>(rank)] =
        static_cast<std::uint32_t>(rank / ranks_per_host);
  view.segment_of_host.resize(
      static_cast<std::size_t>((ranks + ranks_per_host - 1) / ranks_per_host));
  view.has_wire = view.has_multicast = true;
  view.has_host_memory = true;
  return {view, std::nullopt, {}};
}

KnownNetwork on_two_switches(Rank ranks) {
  KnownNetwork network =
      known_to_every_host(two_switches(static_cast<std::size_t>(ranks), 1e8, 1e8));
  network.view.has_wire = network.view.has_multicast = true;
  return network;
}

struct OneRank {
  OneRank(Rank rank, const KnownNetwork& network)
      : planner({.forced = {}, .trial_rounds = 4}, network, rank),
        agreement(
            planner, [this] { return finding; }, true) {
    planner.begin({.has_host_memory = network.view.has_host_memory, .is_of_all = true});
  }
  std::int64_t finding = -1;
  Planner planner;
  CallAgreement agreement;
};

// As a rank's call does.
std::span<std::int64_t> begin(OneRank& rank, const Shape& shape, bool may_alternate, Bytes share) {
  return rank.agreement.needs_share(shape)
             ? rank.agreement.begin(shape, may_alternate, share)
             : rank.agreement.begin(shape, may_alternate, std::nullopt);
}

struct RandomCall {
  Shape shape;
  bool may_alternate = true;
  std::vector<Bytes> shares;  // by rank
};

class Program {
 public:
  Program(unsigned seed, Rank ranks, Rank ranks_per_host) : random_(seed) {
    const KnownNetwork network =
        seed % 20 == 0 ? on_two_switches(ranks) : network_of(ranks, ranks_per_host);
    for (Rank rank = 0; rank < ranks; ++rank) ranks_.emplace_back(rank, network);
  }

  // A nonblocking call: no rank hears of the others. It is complete some calls later, on each rank
  // when it likes.
  void start() {
    RandomCall call = next_call();
    call.shape.is_nonblocking = true;
    std::vector<CallAgreement::Nonblocking> started;
    for (std::size_t at = 0; at < ranks_.size(); ++at) {
      CallAgreement& agreement = ranks_[at].agreement;
      std::optional<Bytes> share;
      if (agreement.needs_share(call.shape)) share = call.shares[at];
      started.push_back(agreement.start(call.shape, call.may_alternate, share));
      const CallAgreement::Nonblocking& first = started.front();
      const CallAgreement::Nonblocking& one = started.back();
      if (one.chosen->name != first.chosen->name || one.asks != first.asks ||
          (one.sample == nullptr) != (first.sample == nullptr))
        ++differences_;
      if (one.sample != nullptr) open_.emplace_back(one.sample, 1'000'000 + below(2'000'000));
    }
    nonblocking += started.front().chosen->algorithm != nullptr ? 1 : 0;
  }

  // Every rank's decision on the next call; `takes_part`: the last rank has the others' values.
  void call(bool takes_part = true) {
    while (!open_.empty() && below(3) != 0) {
      open_.front().first->duration_ns = open_.front().second;
      open_.pop_front();
    }
    const RandomCall call = next_call();
    std::vector<std::span<std::int64_t>> values;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      values.push_back(begin(ranks_[rank], call.shape, call.may_alternate, call.shares[rank]));
    for (const auto& of_rank : values) {
      if (of_rank.size() != values.front().size()) ++differences_;
    }
    if (differences_ > 0) return;
    exchanges_ += values.front().empty() ? 0 : 1;
    for (std::size_t place = 0; place < values.front().size(); ++place) {
      std::int64_t largest = values.front()[place];
      for (const auto& of_rank : values) largest = std::max(largest, of_rank[place]);
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        if (takes_part || rank + 1 < ranks_.size()) values[rank][place] = largest;
    }
    const Nanoseconds began{now_};
    now_ += 100'000;
    std::vector<AgreedCall> agreed;
    for (OneRank& rank : ranks_)
      // Each rank's clock is its own.
      agreed.push_back(rank.agreement.finish({began.value + skew()}, {now_ + skew()}));
    compare(agreed);
    make(call, agreed);
  }

  int differences() const { return differences_; }
  int exchanges() const { return exchanges_; }
  // How often each of these happened.
  int tried = 0, judged = 0, left_multicast = 0, returned = 0, resized = 0, nonblocking = 0;

 private:
  std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_);
  }
  std::int64_t skew() { return below(50'000); }

  RandomCall next_call() {
    static constexpr std::array collectives = {Collective::alltoall,  Collective::alltoallv,
                                               Collective::bcast,     Collective::allgather,
                                               Collective::allreduce, Collective::gatherv};
    // Programs stay with what they do for a while.
    if (below(12) == 0) {
      collective_ = collectives[static_cast<std::size_t>(below(collectives.size()))];
      size_ = std::int64_t{1} << below(20);
    }
    RandomCall call;
    call.shape.collective = collective_;
    call.shape.ranks = static_cast<Rank>(ranks_.size());
    call.shape.count = needs_shared_size(collective_) ? 0 : static_cast<std::uint64_t>(size_);
    call.may_alternate = collective_ != Collective::allreduce || below(2) == 0;
    if (is_rooted(collective_)) call.shape.root = static_cast<Rank>(below(std::ssize(ranks_)));
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const bool varies = below(10) == 0;
      call.shares.push_back({static_cast<std::uint64_t>(varies ? 1 + below(4 * size_) : size_)});
    }
    for (OneRank& rank : ranks_) rank.finding = below(8) == 0 ? below(1000) : -1;
    return call;
  }

  void compare(const std::vector<AgreedCall>& agreed) {
    for (const AgreedCall& one : agreed) {
      const AgreedCall& first = agreed.front();
      if (one.chosen->name != first.chosen->name || one.size != first.size ||
          one.is_sample != first.is_sample || one.stage != first.stage ||
          one.multicast_news.has_value() != first.multicast_news.has_value() ||
          std::string(one.decision->reason) != first.decision->reason)
        ++differences_;
    }
  }

  void make(const RandomCall& call, const std::vector<AgreedCall>& agreed) {
    const AgreedCall& first = agreed.front();
    tried += first.is_sample ? 1 : 0;
    judged += first.stage.empty() ? 0 : 1;
    if (needs_shared_size(call.shape.collective) && first.size != last_size_) ++resized;
    if (needs_shared_size(call.shape.collective)) last_size_ = first.size;
    if (first.multicast_news) ++(first.multicast_news->reaches_all ? returned : left_multicast);
    std::int64_t longest = 0;
    for (const AgreedCall& one : agreed) {
      const std::int64_t took =
          1'000'000 + below(first.chosen->algorithm == nullptr ? 2'000'000 : 1'000'000);
      if (one.is_sample) one.decision->trial.record(took);
      longest = std::max(longest, took);
    }
    now_ += longest;
  }

  std::mt19937 random_;
  std::deque<OneRank> ranks_;
  std::deque<std::pair<std::shared_ptr<OpenSample>, std::int64_t>> open_;
  Collective collective_ = Collective::alltoall;
  std::int64_t size_ = 32768;
  std::int64_t now_ = 1;
  Bytes last_size_{0};
  int differences_ = 0;
  int exchanges_ = 0;
};

TEST(CallAgreement, ranks_take_the_same_branch_through_random_programs) {
  int tried = 0;
  int judged = 0;
  int left_multicast = 0;
  int returned = 0;
  int resized = 0;
  int nonblocking = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    const auto ranks = static_cast<Rank>(2 + seed % 8);
    Program program(seed, ranks, static_cast<Rank>(1 + seed % 3));
    for (int call = 0; call < 600; ++call) {
      if (call % 3 == 0 && seed % 4 == 0) program.start();
      program.call();
    }
    ASSERT_EQ(program.differences(), 0) << "seed " << seed;
    ASSERT_LT(program.exchanges(), 300) << "seed " << seed << ": most calls need none";
    tried += program.tried;
    judged += program.judged;
    left_multicast += program.left_multicast;
    returned += program.returned;
    resized += program.resized;
    nonblocking += program.nonblocking;
  }
  EXPECT_GT(nonblocking, 1000);
  EXPECT_GT(tried, 2000);
  EXPECT_GT(judged, 200);
  EXPECT_GT(left_multicast, 20);
  EXPECT_GT(returned, 10);
  EXPECT_GT(resized, 200);
}

// The size that the ranks have agreed on at a call's begin is that of another root's segment.
TEST(CallAgreement, stages_are_judged_where_roots_of_two_segments_send_by_turns) {
  constexpr Rank ranks = 6;
  const KnownNetwork network = on_two_switches(ranks);
  std::deque<OneRank> all;
  for (Rank rank = 0; rank < ranks; ++rank) all.emplace_back(rank, network);
  std::array<bool, 2> is_settled = {false, false};
  std::int64_t now = 1;
  for (int call = 0; call < 200; ++call) {
    const Rank root = call % 2;
    const Shape shape = {.collective = Collective::gatherv, .ranks = ranks, .root = root};
    std::array<std::int64_t, 64> largest{};
    std::vector<std::span<std::int64_t>> values;
    for (Rank rank = 0; rank < ranks; ++rank) {
      const Bytes share{rank != root ? 0U : root == 0 ? 65536U : 1048576U};
      values.push_back(begin(all[static_cast<std::size_t>(rank)], shape, true, share));
      ASSERT_EQ(values.back().size(), values.front().size());
      ASSERT_LT(values.back().size(), largest.size());
      for (std::size_t i = 0; i < values.back().size(); ++i)
        largest[i] = std::max(largest[i], values.back()[i]);
    }
    for (const auto& of_rank : values)
      std::copy_n(largest.begin(), of_rank.size(), of_rank.begin());
    now += 1'000'000;
    for (OneRank& rank : all) {
      const AgreedCall agreed = rank.agreement.finish({now}, {now + 1000});
      if (agreed.is_sample) agreed.decision->trial.record(1'000'000);
      is_settled[static_cast<std::size_t>(root)] = agreed.decision->trial.settled();
    }
  }
  EXPECT_TRUE(is_settled[0]);
  EXPECT_TRUE(is_settled[1]);
}

TEST(CallAgreement, a_rank_that_has_not_the_others_values_is_noticed) {
  int noticed = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Program program(seed, 6, 2);
    for (int call = 0; call < 600 && program.differences() == 0; ++call) program.call(false);
    noticed += program.differences() > 0 ? 1 : 0;
  }
  EXPECT_EQ(noticed, 10);
}

// A stage of nonblocking calls is judged by a blocking call's exchange, once all of it are
// complete.
TEST(CallAgreement, nonblocking_calls_are_tried_and_judged_in_blocking_ones) {
  const KnownNetwork network = network_of(4, 1);
  OneRank rank(0, network);
  const Shape blocking = {.collective = Collective::barrier, .ranks = 4};
  Shape shape = {.collective = Collective::alltoall, .ranks = 4, .count = 32768};
  shape.is_nonblocking = true;
  int samples = 0;
  bool is_settled = false;
  for (int call = 0; call < 100 && !is_settled; ++call) {
    const auto started = rank.agreement.start(shape, true, std::nullopt);
    is_settled = started.decision->trial.settled();
    const bool by_library = started.chosen->algorithm == nullptr;
    if (started.sample == nullptr) continue;
    ++samples;
    if (!started.asks) {
      EXPECT_FALSE(rank.agreement.asks_for_nonblocking());
      started.sample->duration_ns = by_library ? 2'000'000 : 1'000'000;
      continue;
    }
    EXPECT_TRUE(rank.agreement.asks_for_nonblocking());
    EXPECT_EQ(rank.agreement.start(shape, true, std::nullopt).sample, nullptr)
        << "until it is judged none is taken";
    EXPECT_FALSE(rank.agreement.begin(blocking, true, std::nullopt).empty());
    rank.agreement.finish({1}, {2});
    EXPECT_TRUE(rank.agreement.asks_for_nonblocking()) << "one of its calls is under way";
    started.sample->duration_ns = by_library ? 2'000'000 : 1'000'000;
    EXPECT_FALSE(rank.agreement.begin(blocking, true, std::nullopt).empty());
    EXPECT_NE(rank.agreement.finish({1}, {2}).stage.find("collective=ialltoall"),
              std::string::npos);
    EXPECT_FALSE(rank.agreement.asks_for_nonblocking());
  }
  EXPECT_GT(samples, 8);
  ASSERT_TRUE(is_settled);
  const auto last = rank.agreement.start(shape, true, std::nullopt);
  EXPECT_NE(last.chosen->algorithm, nullptr);
  EXPECT_EQ(last.sample, nullptr);
  shape.is_nonblocking = false;
  EXPECT_FALSE(rank.planner.decision(shape, true).trial.settled())
      << "blocking calls have their own";
}

TEST(CallAgreement, nonblocking_calls_with_counts_are_tried_once_their_size_is_agreed_on) {
  const KnownNetwork network = network_of(4, 1);
  OneRank one(0, network);
  OneRank other(1, network);
  const Shape blocking = {.collective = Collective::barrier, .ranks = 4};
  const Shape shape = {.collective = Collective::alltoallv, .ranks = 4, .is_nonblocking = true};
  ASSERT_TRUE(one.agreement.needs_share(shape));
  for (OneRank* rank : {&one, &other}) {
    const Bytes share{rank == &one ? 100U : 65536U};
    const auto first = rank->agreement.start(shape, true, share);
    EXPECT_TRUE(first.asks);
    EXPECT_EQ(first.chosen->algorithm, nullptr);
    EXPECT_EQ(first.sample, nullptr);
    ASSERT_EQ(rank->agreement.begin(blocking, true, std::nullopt).size(), 1U);
  }
  EXPECT_EQ(one.agreement.begin(blocking, true, std::nullopt).front(), 100);
  one.agreement.begin(blocking, true, std::nullopt).front() = 65536;
  for (OneRank* rank : {&one, &other}) {
    rank->agreement.finish({1}, {2});
    EXPECT_FALSE(rank->agreement.asks_for_nonblocking());
    const auto next = rank->agreement.start(shape, true, Bytes{100});
    EXPECT_EQ(next.size.value, 65536U);
    EXPECT_NE(next.sample, nullptr) << "it is tried";
  }
}

}  // namespace
}  // namespace quadrille
