// SPDX-License-Identifier: BSD-3-Clause
// Calibrate a slot, measure all pairs, go back to those that did not answer or look far, sample the
// longer messages.
#include "probe/pair_latency.h"

#include <algorithm>
#include <limits>

namespace quadrille::probe {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::uint32_t kAllAtOnce = std::numeric_limits<std::uint32_t>::max();

// Waking up for a slot, and clocks that differ by some tens of microseconds.
constexpr std::int64_t kSlotOverheadNs = 350'000;
constexpr std::int64_t kShortestSlotNs = 700'000;
constexpr std::int64_t kLongestSlotNs = 5 * kMillisecond;
constexpr std::int64_t kCalibrationSlotNs = 2'500'000;
constexpr std::size_t kCalibrationPairs = 8;
// Pairs farther apart than a slot get these; at such times sharing a core does not matter.
constexpr std::int64_t kFarSlotsNs[] = {25 * kMillisecond, 250 * kMillisecond};

constexpr double kMargin = 1.5;          // of a slot over the time that most pairs need
constexpr double kLooksFarther = 1.15;   // than its hosts' nearest
constexpr double kHarm = 1.15;           // parallel over alone
constexpr std::int64_t kHarmNs = 5'000;  // below, time stamps differ by chance
constexpr std::size_t kPairsCheckedAlone = 8;

// How long each part may take, and how often a pair is exchanged with.
struct Budget {
  std::int64_t small_ns;
  std::int64_t again_ns;
  std::int64_t full_frame_ns;  // 0: not measured
  std::int64_t large_ns;
  std::uint32_t repeats;
};
constexpr Budget kFull{1600 * kMillisecond, 100 * kMillisecond, 100 * kMillisecond,
                       150 * kMillisecond, 6};
constexpr Budget kQuick{40 * kMillisecond, 0, 0, 0, 3};

std::int64_t slot_for(std::int64_t round_trip_ns, std::uint32_t repeats) {
  const double needed = static_cast<double>(round_trip_ns) * repeats * kMargin;
  return static_cast<std::int64_t>(needed) + kSlotOverheadNs;
}

// Of the medians of all pairs that answered, the one that three quarters are below.
std::int64_t usual_round_trip(const std::vector<HostPair>& pairs, const TripTable& samples) {
  std::vector<std::int64_t> medians;
  for (const auto& [from, to] : pairs) {
    const PairLatency latency = latency_of(samples.at(from, to));
    if (latency.answered > 0) medians.push_back(latency.median_ns);
  }
  if (medians.empty()) return 0;
  std::ranges::sort(medians);
  return medians[medians.size() * 3 / 4];
}

std::vector<HostPair> first_of(std::vector<HostPair> pairs, std::size_t count) {
  if (pairs.size() > count) pairs.resize(count);
  return pairs;
}

// As many pairs as slots of `slot_ns` hold within `budget_ns`, at least one.
std::size_t pairs_within(std::int64_t budget_ns, std::int64_t slot_ns, std::uint32_t at_once,
                         std::size_t hosts) {
  const auto slots = static_cast<std::size_t>(std::max<std::int64_t>(1, budget_ns / slot_ns));
  return slots * std::min<std::size_t>(at_once, std::max<std::size_t>(1, hosts / 2));
}

// The small messages of one investigation, and the decisions between its rounds.
class SmallMessages {
 public:
  SmallMessages(Setting& setting, const Budget& budget)
      : setting_(setting), budget_(budget), samples_(setting.network.hosts().size()) {
    auto order = setting.hosts;
    std::ranges::shuffle(order, setting.chance);
    all_ = tournament(order);
    plan_ = {.purpose = "round trips",
             .count = budget.repeats,
             .there_bytes = kSmallBytes,
             .back_bytes = kSmallBytes,
             .slot_ns = kCalibrationSlotNs,
             .at_once = setting.exchanges_at_once()};
  }

  std::optional<Error> measure() {
    if (auto error = calibrate()) return error;
    if (auto error = exchange(pairs_, plan_)) return error;
    if (auto error = ask_the_silent()) return error;
    if (plan_.at_once > 1) {
      if (auto error = check_alone()) return error;
    }
    return budget_.again_ns > 0 ? look_again() : std::nullopt;
  }

  const std::vector<HostPair>& all_pairs() const { return all_; }
  bool measured_all() const { return pairs_.size() == all_.size(); }
  std::uint32_t at_once() const { return plan_.at_once; }
  PairTable<PairLatency> latencies() const { return latencies_of(samples_, true); }

 private:
  std::optional<Error> exchange(const std::vector<HostPair>& pairs, const SlotPlan& plan) {
    return pairs.empty() ? std::nullopt : exchange_in_slots(setting_, pairs, plan, samples_);
  }

  std::optional<Error> calibrate() {
    const auto pairs = first_of(all_, kCalibrationPairs);
    if (auto error = exchange(pairs, plan_)) return error;
    const std::int64_t usual = usual_round_trip(pairs, samples_);
    plan_.slot_ns = usual == 0
                        ? kLongestSlotNs
                        : std::clamp(slot_for(usual, plan_.count), kShortestSlotNs, kLongestSlotNs);
    pairs_ = first_of(
        all_, pairs_within(budget_.small_ns, plan_.slot_ns, plan_.at_once, setting_.hosts.size()));
    return std::nullopt;
  }

  std::optional<Error> ask_the_silent() {
    for (const std::int64_t slot_ns : kFarSlotsNs) {
      std::vector<HostPair> silent;
      for (const HostPair& pair : pairs_) {
        if (samples_.at(pair.first, pair.second).round_trips_ns.empty()) silent.push_back(pair);
      }
      SlotPlan longer = plan_;
      longer.purpose = "round trips of distant pairs";
      longer.slot_ns = slot_ns;
      longer.at_once = kAllAtOnce;
      longer.count = 3;
      // Hosts that do not answer at all must not cost a slot for each of their pairs.
      silent =
          first_of(silent, pairs_within(20 * slot_ns, slot_ns, kAllAtOnce, setting_.hosts.size()));
      if (auto error = exchange(silent, longer)) return error;
      if (budget_.again_ns == 0) break;
    }
    return std::nullopt;
  }

  // Measures a few pairs alone; where they are faster than they were with others, all are measured
  // again alone, as far as the time goes.
  std::optional<Error> check_alone() {
    TripTable alone(samples_.hosts());
    SlotPlan plan = plan_;
    plan.purpose = "round trips of single pairs";
    plan.at_once = 1;
    std::vector<HostPair> checked = pairs_;
    std::ranges::shuffle(checked, setting_.chance);
    checked = first_of(checked, kPairsCheckedAlone);
    if (auto error = exchange_in_slots(setting_, checked, plan, alone)) return error;
    std::size_t harmed = 0;
    for (const auto& [from, to] : checked) {
      const auto with_others = latency_of(samples_.at(from, to)).least_round_trip_ns;
      const auto single = latency_of(alone.at(from, to)).least_round_trip_ns;
      if (single == 0 || with_others == 0) continue;
      if (static_cast<double>(with_others) > kHarm * static_cast<double>(single) &&
          with_others > single + kHarmNs) {
        ++harmed;
      }
    }
    if (2 * harmed <= checked.size()) return std::nullopt;
    plan_.at_once = 1;
    plan_.purpose = plan.purpose;
    samples_ = TripTable(samples_.hosts());
    pairs_ =
        first_of(all_, pairs_within(budget_.small_ns, plan_.slot_ns, 1, setting_.hosts.size()));
    if (auto error = exchange(pairs_, plan_)) return error;
    return ask_the_silent();
  }

  // Other traffic makes a pair look farther than it is, and is seldom there twice.
  std::optional<Error> look_again() {
    std::vector<std::int64_t> nearest(samples_.hosts(), std::numeric_limits<std::int64_t>::max());
    for (const auto& [from, to] : pairs_) {
      const auto least = latency_of(samples_.at(from, to)).least_round_trip_ns;
      if (least == 0) continue;
      nearest[from] = std::min(nearest[from], least);
      nearest[to] = std::min(nearest[to], least);
    }
    std::vector<HostPair> farther;
    for (const auto& [from, to] : pairs_) {
      const auto least = latency_of(samples_.at(from, to)).least_round_trip_ns;
      const auto expected = static_cast<double>(std::max(nearest[from], nearest[to]));
      if (static_cast<double>(least) > kLooksFarther * expected) farther.push_back({from, to});
    }
    farther = first_of(farther, pairs_within(budget_.again_ns, plan_.slot_ns, plan_.at_once,
                                             setting_.hosts.size()));
    return exchange(farther, plan_);
  }

  Setting& setting_;
  const Budget& budget_;
  TripTable samples_;
  std::vector<HostPair> all_;    // in an order of which any beginning treats all hosts alike
  std::vector<HostPair> pairs_;  // the beginning that is measured
  SlotPlan plan_;
};

// Twice what the slowest of a few pairs needed for one exchange with messages of `plan`.
Result<std::int64_t> slot_of_longer(Setting& setting, const std::vector<HostPair>& pairs,
                                    SlotPlan plan, TripTable& samples) {
  plan.count = 1;
  const auto tried = first_of(pairs, 2);
  if (auto error = exchange_in_slots(setting, tried, plan, samples)) return *error;
  std::int64_t slowest = 0;
  for (const auto& [from, to] : tried) {
    slowest = std::max(slowest, latency_of(samples.at(from, to)).most_ns);
  }
  return slowest == 0 ? plan.slot_ns : std::min(plan.slot_ns, slot_for(slowest, 1));
}

// Longer messages between as many pairs as `budget_ns` allows.
std::optional<Error> sample_longer(Setting& setting, const std::vector<HostPair>& pairs,
                                   SlotPlan plan, std::int64_t budget_ns, TripTable& samples) {
  const auto slot_ns = slot_of_longer(setting, pairs, plan, samples);
  if (!slot_ns.ok()) return slot_ns.error();
  plan.slot_ns = slot_ns.value();
  const auto some =
      first_of(pairs, pairs_within(budget_ns, plan.slot_ns, plan.at_once, setting.hosts.size()));
  return exchange_in_slots(setting, some, plan, samples);
}

std::vector<HostPair> reversed(const std::vector<HostPair>& pairs) {
  std::vector<HostPair> other_way;
  for (const auto& [from, to] : pairs) other_way.emplace_back(to, from);
  return other_way;
}

}  // namespace

Result<PairLatencies> measure_pair_latency(Setting& setting) {
  const Budget& budget = setting.depth == Depth::quick ? kQuick : kFull;
  SmallMessages small(setting, budget);
  if (auto error = small.measure()) return *error;
  PairLatencies found;
  found.small = small.latencies();
  found.at_once = small.at_once();
  found.all_pairs = small.measured_all();
  const std::size_t hosts = setting.network.hosts().size();
  TripTable full_frame(hosts);
  TripTable large(hosts);
  if (budget.full_frame_ns > 0) {
    SlotPlan plan{.purpose = "round trips of full frames",
                  .count = 1,
                  .there_bytes = kFullPayloadBytes,
                  .back_bytes = kFullPayloadBytes,
                  .slot_ns = 12 * kMillisecond,
                  .at_once = small.at_once()};
    if (auto error =
            sample_longer(setting, small.all_pairs(), plan, budget.full_frame_ns, full_frame)) {
      return *error;
    }
    // Both ways between the same pairs, each host's own view of its own direction.
    plan.purpose = "messages in one direction";
    plan.there_bytes = kLargeBytes;
    plan.back_bytes = kSmallBytes;
    plan.slot_ns = 25 * kMillisecond;
    for (const auto& pairs : {small.all_pairs(), reversed(small.all_pairs())}) {
      if (auto error = sample_longer(setting, pairs, plan, budget.large_ns, large)) return *error;
    }
  }
  found.full_frame = latencies_of(full_frame, true);
  found.large = latencies_of(large, false);
  return found;
}

Result<PairTable<PairLatency>> measure_messages(Setting& setting, std::uint32_t bytes,
                                                std::uint32_t repeats) {
  TripTable samples(setting.network.hosts().size());
  const auto pairs = tournament(setting.hosts);
  SlotPlan plan{.purpose = "messages of " + std::to_string(bytes) + " bytes",
                .count = repeats,
                .there_bytes = bytes,
                .back_bytes = bytes,
                .slot_ns = 400 * kMillisecond,
                .at_once = 1};
  const auto slot_ns = slot_of_longer(setting, pairs, plan, samples);
  if (!slot_ns.ok()) return slot_ns.error();
  plan.slot_ns = slot_ns.value() * repeats;
  if (auto error = exchange_in_slots(setting, pairs, plan, samples)) return *error;
  // The slowest segment's pairs need longer than the pairs that were tried first.
  std::vector<HostPair> short_of;
  for (const HostPair& pair : pairs) {
    if (samples.at(pair.first, pair.second).round_trips_ns.size() < repeats) {
      short_of.push_back(pair);
    }
  }
  plan.slot_ns *= 4;
  if (!short_of.empty()) {
    if (auto error = exchange_in_slots(setting, short_of, plan, samples)) return *error;
  }
  return latencies_of(samples, true);
}

}  // namespace quadrille::probe
