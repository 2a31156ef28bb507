// SPDX-License-Identifier: BSD-3-Clause
// Trains over synthetic links: others' frames arrive at random, time stamps are late, some share
// one, some are nonsense.
#include "probe/rates/capacity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

namespace quadrille::probe {
namespace {

struct Link {
  double bit_s = 0;
  double ambient = 0;
  double bucket_frames = 0;  // 0: every frame takes its time, as on a wire
  double late = 0;           // share of frames that a bucket lets go up to a frame's time late
};

struct Clock {
  double late_ns = 20e3;           // typical
  double between_holds_ns = 25e6;  // the receiver is held up for up to 1 ms that often
  double wrong = 0.05;
};

// One link: frames leave in order of arrival.
class Queue {
 public:
  Queue(const Link& link, double from_ns, std::mt19937_64& chance)
      : link_(link), chance_(chance), clock_ns_(from_ns), tokens_(bucket()) {
    next_ambient_ns_ = from_ns + gap();
  }
  // When a frame that comes at `at_ns` has left.
  double pass(double at_ns, double bytes) {
    while (next_ambient_ns_ <= at_ns) {
      leave(next_ambient_ns_, 1000);
      next_ambient_ns_ += gap();
    }
    return leave(at_ns, bytes);
  }

 private:
  double bucket() const { return link_.bucket_frames * kFullFrameBytes; }
  double gap() {
    if (link_.ambient <= 0) return 1e18;
    std::exponential_distribution<double> draw(link_.ambient * link_.bit_s / 8000 / 1e9);
    return draw(chance_);
  }
  double leave(double at_ns, double bytes) {
    const double start = std::max(at_ns, clock_ns_);
    if (bucket() <= 0) return clock_ns_ = start + bytes * 8e9 / link_.bit_s;
    tokens_ = std::min(bucket(), tokens_ + (start - clock_ns_) * link_.bit_s / 8e9);
    const double wait = std::max(0.0, bytes - tokens_) * 8e9 / link_.bit_s;
    const double late = wait > 0 ? lateness(bytes) : 0;
    tokens_ = std::min(bucket(), std::max(0.0, tokens_ - bytes) + late * link_.bit_s / 8e9);
    return clock_ns_ = start + wait + late;
  }
  double lateness(double bytes) {
    std::uniform_real_distribution<double> draw(0, 1);
    return link_.late > 0 && draw(chance_) < link_.late ? draw(chance_) * bytes * 8e9 / link_.bit_s
                                                        : 0;
  }
  Link link_;
  std::mt19937_64& chance_;
  double clock_ns_;
  double tokens_;
  double next_ambient_ns_ = 0;
};

std::vector<Arrival> stamped(const std::vector<double>& sent, const std::vector<double>& left,
                             const Clock& clock, std::mt19937_64& chance) {
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<Arrival> arrivals;
  double held_until = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    double at = left[i] + share(chance) * 2 * clock.late_ns;
    const double since = i == 0 ? 0 : left[i] - left[i - 1];
    if (share(chance) < since / clock.between_holds_ns) held_until = at + share(chance) * 1e6;
    at = std::max(at, held_until);
    if (!arrivals.empty()) at = std::max(at, static_cast<double>(arrivals.back().at_ns));
    arrivals.push_back(
        {static_cast<std::uint32_t>(i), std::llround(at), std::llround(at - sent[i])});
  }
  for (Arrival& arrival : arrivals)
    if (share(chance) < clock.wrong) {
      const auto off = std::llround(share(chance) * 1e9);
      arrival.at_ns += off;
      arrival.delay_ns += off;
    }
  return arrivals;
}

// A train from a blocking sender, whose socket holds four frames, through all `links`.
Train train_over(const std::vector<Link>& links, std::size_t frames, const Clock& clock,
                 std::mt19937_64& chance) {
  std::vector<Queue> queues;
  // Others have been there for a while.
  queues.reserve(links.size());
  for (const Link& link : links) queues.emplace_back(link, -50e6, chance);
  std::vector<double> sent;
  std::vector<double> left;
  std::deque<double> under_way;
  for (std::size_t i = 0; i < frames; ++i) {
    double at = sent.empty() ? 0 : sent.back();
    if (under_way.size() == 4) {
      at = std::max(at, under_way.front());
      under_way.pop_front();
    }
    sent.push_back(at);
    for (std::size_t hop = 0; hop < queues.size(); ++hop) {
      at = queues[hop].pass(at, kFullFrameBytes);
      if (hop == 0) under_way.push_back(at);
    }
    left.push_back(at);
  }
  return {.streams = {stamped(sent, left, clock, chance)}};
}

struct Score {
  int within = 0;
  int covered = 0;
  double worst = 0;
};

constexpr int kSeeds = 300;

Score score(const std::vector<Link>& links, std::size_t frames, std::size_t repeats,
            double tolerance) {
  const double truth =
      std::min_element(links.begin(), links.end(), [](const Link& one, const Link& other) {
        return one.bit_s < other.bit_s;
      })->bit_s;
  Score result;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed) + 1);
    std::vector<Train> trains;
    for (std::size_t at = 0; at < repeats; ++at)
      trains.push_back(train_over(links, frames, {}, chance));
    const auto found = capacity_of(trains);
    if (!found) continue;
    const double error = std::abs(found->bit_s.value / truth - 1);
    result.worst = std::max(result.worst, error);
    if (error <= tolerance) ++result.within;
    if (found->bit_s.low <= truth && truth <= found->bit_s.high) ++result.covered;
  }
  return result;
}

// A sender's own cable and a switch port of the same rate, both with others on them, on wires and
// through token buckets of two frames.
Score both_kinds(double mbit_s, double ambient, std::size_t frames, std::size_t repeats,
                 double tolerance) {
  Score worse{kSeeds, kSeeds, 0};
  for (const double bucket : {0.0, 2.0}) {
    const Link link{mbit_s * 1e6, ambient, bucket};
    const Score found = score({link, link}, frames, repeats, tolerance);
    worse.within = std::min(worse.within, found.within);
    worse.covered = std::min(worse.covered, found.covered);
    worse.worst = std::max(worse.worst, found.worst);
  }
  return worse;
}

constexpr int kNearlyAll = kSeeds * 99 / 100;

TEST(Capacity, of_a_link_without_others_is_within_a_twentieth) {
  EXPECT_GE(both_kinds(10, 0, 28, 2, 0.05).within, kNearlyAll);
  EXPECT_GE(both_kinds(25, 0, 28, 2, 0.05).within, kNearlyAll);
  EXPECT_GE(both_kinds(50, 0, 40, 2, 0.05).within, kNearlyAll);
  EXPECT_GE(both_kinds(100, 0, 100, 2, 0.05).within, kNearlyAll);
  EXPECT_GE(both_kinds(1000, 0, 400, 3, 0.05).within, kNearlyAll);
}

TEST(Capacity, is_found_where_others_take_a_third_of_both_links) {
  for (const double mbit_s : {10.0, 25.0, 50.0}) {
    const Score found = both_kinds(mbit_s, 0.3, mbit_s < 50 ? 28 : 40, 2, 0.08);
    EXPECT_GE(found.within, kNearlyAll) << mbit_s;
    EXPECT_GE(found.covered, kSeeds * 17 / 20) << mbit_s;
  }
  EXPECT_GE(both_kinds(100, 0.3, 400, 2, 0.08).within, kNearlyAll);
}

TEST(Capacity, is_found_where_others_take_half_of_both_links) {
  EXPECT_GE(both_kinds(10, 0.5, 40, 2, 0.08).within, kNearlyAll);
  EXPECT_GE(both_kinds(25, 0.5, 40, 2, 0.08).within, kNearlyAll);
}

TEST(Capacity, where_time_stamps_are_coarser_than_a_frame_says_only_between_what_it_lies) {
  const Score found = both_kinds(1000, 0.3, 400, 3, 0.08);
  EXPECT_GE(found.covered, kNearlyAll);
  std::mt19937_64 chance(1);
  const Train train = train_over({{1e9, 0.3, 0}}, 400, {}, chance);
  EXPECT_FALSE(capacity_of(std::vector{train})->resolved);
}

TEST(Capacity, of_the_narrower_of_two_links_though_its_bucket_drains_slowly) {
  EXPECT_GE(score({{30e6, 0, 2}, {25e6, 0, 2}}, 40, 2, 0.05).within, kNearlyAll);
  EXPECT_GE(score({{100e6, 0, 2}, {10e6, 0, 2}}, 20, 2, 0.05).within, kNearlyAll);
}

// As a machine emulates it whose processors are busy. What makes up for a late frame comes sooner.
TEST(Capacity, of_links_that_let_each_tenth_frame_go_late) {
  for (const double mbit_s : {10.0, 20.0, 30.0, 50.0, 100.0}) {
    const Link link{mbit_s * 1e6, 0, 2, 0.1};
    const std::size_t frames = mbit_s < 50 ? 28 : mbit_s < 100 ? 40 : 100;
    EXPECT_GE(score({link, link}, frames, 2, 0.08).within, kNearlyAll) << mbit_s;
  }
}

// Others come to the link in the middle of a train: each half of it is even, the whole is not.
TEST(Capacity, of_a_train_that_others_joined_in_its_middle) {
  Train train{.streams = {{}}};
  std::int64_t at_ns = 0;
  for (std::uint32_t index = 0; index < 70; ++index) {
    train.streams[0].push_back({index, at_ns, 0});
    at_ns += index < 36 ? 403'000 : 606'000;
  }
  const double bit_s = kFullFrameBytes * 8e9 / 403e3;
  EXPECT_NEAR(capacity_of(std::vector{train})->bit_s.value, bit_s, 0.05 * bit_s);
}

TEST(Capacity, the_mean_is_what_others_leave_to_a_blocking_sender) {
  double sum = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const std::vector<Train> trains{train_over({{25e6, 0.3, 2}}, 60, {}, chance)};
    sum += capacity_of(trains)->mean_bit_s;
    EXPECT_NEAR(*sending_bit_s(trains[0].streams[0], kFullFrameBytes), 17.5e6, 8e6) << seed;
  }
  EXPECT_NEAR(sum / kSeeds, 17.5e6, 0.7e6);
}

TEST(Capacity, is_unknown_of_fewer_than_five_frames) {
  Train train{.streams = {{{0, 0, 0}, {1, 480000, 0}, {2, 960000, 0}, {3, 1440000, 0}}}};
  EXPECT_FALSE(capacity_of(std::vector{train}).has_value());
  EXPECT_FALSE(capacity_of({}).has_value());
}

// A sender's cable lets a frame through each 120 us, to two hosts in turn, and the way to one of
// them is 40 us longer: frames arrive 40 and 200 us apart.
TEST(Capacity, of_what_ends_at_several_hosts_gaps_tell_nothing) {
  Train train{.streams = {{}, {}}};
  for (std::uint32_t frame = 0; frame < 40; ++frame) {
    const std::int64_t at_ns = 120'000 * static_cast<std::int64_t>(frame);
    train.streams[frame % 2].push_back({frame / 2, at_ns + (frame % 2 == 0 ? 80'000 : 0), 0});
  }
  const double cable_bit_s = kFullFrameBytes * 8e9 / 120e3;
  EXPECT_GT(capacity_of(std::vector{train})->bit_s.value, 1.5 * cable_bit_s);
  train.scattered = true;
  EXPECT_NEAR(capacity_of(std::vector{train})->bit_s.value, cable_bit_s, 0.03 * cable_bit_s);
}

TEST(Capacity, of_frames_that_hardly_waited_for_it_is_unknown) {
  Train train{.streams = {{}}, .at_once = 5};
  const auto add = [&](std::uint32_t index, std::int64_t at_ns) {
    train.streams[0].push_back({index, at_ns, 0});
  };
  for (std::uint32_t index = 0; index < 5; ++index) add(index, 1'000 * std::int64_t{index});
  for (std::uint32_t index = 5; index < 7; ++index) add(index, 1'000'000 * std::int64_t{index});
  EXPECT_FALSE(capacity_of(std::vector{train}).has_value());
  add(7, 7'000'000);
  EXPECT_TRUE(capacity_of(std::vector{train}).has_value());
}

TEST(Capacity, what_contradicts_its_neighbours_is_left_out) {
  const std::vector<Arrival> kept = in_order({{0, 10, 0}, {1, 900, 0}, {2, 30, 0}, {3, 40, 0}});
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[1].index, 2U);
  EXPECT_TRUE(in_order({}).empty());
}

}  // namespace
}  // namespace quadrille::probe
