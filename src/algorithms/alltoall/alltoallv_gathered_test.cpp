// SPDX-License-Identifier: BSD-3-Clause
// Lengths of every kind on random clusters: what travels between hosts, and that it arrives.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/alltoall/count_exchange.h"
#include "algorithms/checked_case.h"
#include "algorithms/random_view.h"

namespace quadrille {
namespace {

constexpr std::uint64_t largest = 65536;  // that is gathered, by default

// A call of random lengths: nothing, something small, about as much as is gathered at most, or much
// more; one call in four has one rank that sends all there is.
class RandomCall {
 public:
  RandomCall(std::uint32_t seed, Rank ranks)
      : random_(seed), ranks_(ranks), view_(RandomView(seed).of_ranks(ranks)) {
    const Rank only = random_() % 4 == 0 ? static_cast<Rank>(random_() % count()) : -1;
    for (Rank source = 0; source < ranks; ++source) {
      for (Rank target = 0; target < ranks; ++target)
        lengths_.push_back(only == -1 || only == source ? some_length() : 0);
    }
    for (Rank rank = 0; rank < ranks; ++rank)
      counts_.push_back(counts_of(shape(), rank, lengths(), random_() % 3));
    tell_neighbours(view_, counts_);
  }

  const TopologyView& view() const { return view_; }
  std::uint32_t host(Rank rank) const { return view_.host_of_rank[static_cast<std::size_t>(rank)]; }
  std::uint64_t length(Rank source, Rank target) const {
    return lengths_[static_cast<std::size_t>(source) * count() + static_cast<std::size_t>(target)];
  }

  std::vector<Schedule> schedules() const {
    const Algorithm& algorithm = *algorithm_named("alltoallv_gathered");
    std::vector<Schedule> schedules;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const LocalCounts known = counts_[static_cast<std::size_t>(rank)].view();
      schedules.push_back(algorithm.generate({shape(), view_, algorithm.parameters, rank, known}));
    }
    return schedules;
  }
  Findings check(const std::vector<Schedule>& schedules) const {
    std::vector<LocalCounts> known;
    for (const StoredCounts& one : counts_) known.push_back(one.view());
    return quadrille::check(shape(), schedules, known);
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(ranks_); }
  Shape shape() const { return {.collective = Collective::alltoallv, .ranks = ranks_}; }
  BlockLengths lengths() const {
    return [this](Rank source, Rank target) { return length(source, target); };
  }
  std::uint64_t some_length() {
    switch (random_() % 4) {
      case 0:
        return 0;
      case 1:
        return random_() % 50;
      case 2:
        return largest - 1 + random_() % 3;
      default:
        return random_() % 1'000'000'000;
    }
  }

  std::mt19937 random_;
  Rank ranks_;
  TopologyView view_;
  std::vector<std::uint64_t> lengths_;  // [source][target]
  std::vector<StoredCounts> counts_;
};

constexpr std::uint32_t calls_a_size = 20;

TEST(AlltoallvGathered, is_correct_for_random_lengths) {
  for (Rank ranks = 1; ranks <= 24; ++ranks) {
    for (std::uint32_t seed = 0; seed < calls_a_size; ++seed) {
      const RandomCall call(seed * 100 + static_cast<std::uint32_t>(ranks), ranks);
      const Findings findings = call.check(call.schedules());
      ASSERT_TRUE(findings.empty())
          << ranks << " ranks, seed " << seed << ": " << text_of(findings.front());
    }
  }
}

// That a neighbour's lengths are other than what it tells now would not go unnoticed.
TEST(AlltoallvGathered, needs_lengths_of_this_call) {
  TopologyView view = TopologyView::flat(4);
  view.host_of_rank = {0, 0, 1, 1};
  view.segment_of_host = {0, 0};
  const Shape shape{.collective = Collective::alltoallv, .ranks = 4};
  const auto told_in_a_call_of = [&](std::uint64_t length) {
    std::vector<StoredCounts> counts;
    for (Rank rank = 0; rank < 4; ++rank)
      counts.push_back(counts_of(shape, rank, [&](Rank, Rank) { return length; }));
    tell_neighbours(view, counts);
    return counts;
  };
  std::vector<StoredCounts> counts = told_in_a_call_of(8);
  counts[0].told = told_in_a_call_of(9)[0].told;
  const Algorithm& algorithm = *algorithm_named("alltoallv_gathered");
  std::vector<Schedule> schedules;
  std::vector<LocalCounts> known;
  for (Rank rank = 0; rank < 4; ++rank) {
    known.push_back(counts[static_cast<std::size_t>(rank)].view());
    schedules.push_back(
        algorithm.generate({shape, view, algorithm.parameters, rank, known.back()}));
  }
  EXPECT_FALSE(check(shape, schedules, known).empty());
}

TEST(AlltoallvGathered, small_blocks_between_two_hosts_are_one_message_and_large_ones_their_own) {
  for (Rank ranks = 2; ranks <= 24; ++ranks) {
    const RandomCall call(static_cast<std::uint32_t>(ranks), ranks);
    using Hosts = std::pair<std::uint32_t, std::uint32_t>;
    std::map<Hosts, std::uint64_t> small;
    std::multiset<std::pair<Hosts, std::uint64_t>> expected;
    std::multiset<std::pair<Hosts, std::uint64_t>> found;
    for (Rank source = 0; source < ranks; ++source) {
      for (Rank target = 0; target < ranks; ++target) {
        const Hosts hosts{call.host(source), call.host(target)};
        const std::uint64_t length = call.length(source, target);
        if (hosts.first == hosts.second) continue;
        if (length > largest) {
          expected.emplace(hosts, length);
        } else {
          small[hosts] += length;
        }
      }
    }
    for (const auto& [hosts, length] : small) {
      if (length > 0) expected.emplace(hosts, length);
    }
    const std::vector<Schedule> schedules = call.schedules();
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (const Step& step : schedules[static_cast<std::size_t>(rank)].steps) {
        if (step.kind == StepKind::send && call.host(step.peer) != call.host(rank))
          found.emplace(Hosts{call.host(rank), call.host(step.peer)}, step.from.length);
      }
    }
    EXPECT_EQ(found, expected) << ranks << " ranks";
  }
}

// Whose lengths go to whom: a message each way between the ranks of a host, as long at both ends,
// together no more than two vectors of lengths a rank and neighbour.
TEST(ToldLengths, travel_within_hosts_and_are_as_long_as_both_ends_expect) {
  for (Rank ranks = 2; ranks <= 33; ++ranks) {
    const TopologyView view = RandomView(static_cast<std::uint32_t>(ranks)).of_ranks(ranks);
    std::map<std::pair<Rank, Rank>, std::uint64_t> sent;
    std::map<std::pair<Rank, Rank>, std::uint64_t> received;
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::uint64_t all = 0;
      for (const Step& step : exchange_counts(CarriedHosts(view, rank)).steps) {
        ASSERT_EQ(view.host_of_rank[static_cast<std::size_t>(rank)],
                  view.host_of_rank[static_cast<std::size_t>(step.peer)]);
        if (step.kind == StepKind::receive) {
          EXPECT_TRUE(received.emplace(std::pair{step.peer, rank}, step.into.length).second);
        } else {
          EXPECT_TRUE(sent.emplace(std::pair{rank, step.peer}, step.from.length).second);
          all += step.from.length;
        }
      }
      EXPECT_LE(all, 2U * static_cast<std::uint64_t>(ranks));
    }
    EXPECT_EQ(sent, received);
  }
}

}  // namespace
}  // namespace quadrille
