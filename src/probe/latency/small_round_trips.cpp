// SPDX-License-Identifier: BSD-3-Clause
// A pilot, all pairs, then those that did not answer or look far.
#include "probe/latency/small_round_trips.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "probe/quantile.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kAllAtOnce = std::numeric_limits<std::uint32_t>::max();

constexpr std::int64_t kShortestSlotNs = 700'000;
constexpr std::int64_t kLongestSlotNs = 5 * kMillisecond;
constexpr std::int64_t kPilotSlotNs = 2'500'000;
constexpr std::size_t kPilotPairs = 8;
// Pairs farther apart than four slots get these; at such distances sharing a core does not matter.
struct FarSlots {
  std::int64_t slot_ns;
  std::size_t most;  // hosts that never answer must not cost a slot for each of their pairs
};
constexpr std::array kFarSlots{FarSlots{25 * kMillisecond, 8}, FarSlots{250 * kMillisecond, 2}};

constexpr double kLooksFarther = 1.15;     // than its hosts' nearest
constexpr double kConfirmed = 1.10;        // a least time that a second one is so near to
constexpr double kHarm = 1.15;             // parallel over alone
constexpr std::int64_t kHarmNs = 5'000;    // below, time stamps differ by chance
constexpr std::uint32_t kFewerAtOnce = 8;  // times, where many at once do harm

// How long each part may take, and how often a pair is exchanged with.
struct Budget {
  std::int64_t small_ns;
  std::int64_t again_ns;
  std::uint32_t repeats;        // that a slot holds of most pairs
  std::uint32_t fewer_repeats;  // where else not all pairs could be measured
  std::uint32_t most_repeats;   // of a pair that is done sooner
};
constexpr Budget kFull{1500 * kMillisecond, 80 * kMillisecond, 6, 3, 24};
constexpr Budget kQuick{40 * kMillisecond, 0, 3, 2, 3};
// Of all pairs together: results have to be sent.
constexpr std::size_t kMostRoundTrips = 10'000;

// Of the least of all pairs that answered, the one that three quarters are below.
std::int64_t usual_round_trip(const std::vector<HostPair>& pairs, const TripTable& samples) {
  std::vector<std::int64_t> leasts;
  for (const auto& [from, to] : pairs) {
    const PairLatency latency = latency_of(samples.at(from, to));
    if (latency.answered > 0) leasts.push_back(latency.least_round_trip_ns);
  }
  return quantile(std::move(leasts), 3, 4);
}

// The pairs of the first `most` slots of disjoint ones.
std::vector<HostPair> pairs_in_slots(const std::vector<HostPair>& pairs, std::size_t most) {
  std::vector<HostPair> kept;
  const auto slots = slots_of(pairs, kAllAtOnce);
  for (std::size_t slot = 0; slot < std::min(most, slots.size()); ++slot) {
    kept.insert(kept.end(), slots[slot].begin(), slots[slot].end());
  }
  return kept;
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
             .count = repeats_within_slot(budget.repeats),
             .there_bytes = kSmallBytes,
             .back_bytes = kSmallBytes,
             .slot_ns = kPilotSlotNs,
             .at_once = setting.exchanges_at_once()};
  }

  std::optional<Error> measure() {
    const auto pilot = first_of(all_, kPilotPairs);
    SlotPlan alone = plan_;
    alone.at_once = 1;
    if (auto error = exchange(pilot, alone)) return error;
    usual_ns_ = usual_round_trip(pilot, samples_);
    choose_pairs();
    while (plan_.at_once > 1) {
      const auto harm = at_once_does_harm(pilot);
      if (!harm.ok()) return harm.error();
      if (!harm.value()) break;
      plan_.at_once = std::max(1U, plan_.at_once / kFewerAtOnce);
      choose_pairs();
    }
    if (auto error = exchange(pairs_, plan_)) return error;
    if (auto error = ask_the_silent()) return error;
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

  // A slot is as long as most pairs need. Of near ones, whose least time a busy processor
  // lengthens, more fit in.
  std::uint32_t repeats_within_slot(std::uint32_t repeats) const {
    const auto most =
        static_cast<std::uint32_t>(kMostRoundTrips / std::max<std::size_t>(1, all_.size()));
    return std::max(repeats, std::min(most, budget_.most_repeats));
  }

  // All pairs where the time allows, if need be with fewer repeats; else as many as it allows.
  void choose_pairs() {
    for (const std::uint32_t repeats : {budget_.repeats, budget_.fewer_repeats}) {
      plan_.count = repeats_within_slot(repeats);
      plan_.slot_ns = usual_ns_ == 0 ? kLongestSlotNs
                                     : std::clamp(slot_for(usual_ns_, repeats), kShortestSlotNs,
                                                  kLongestSlotNs);
      pairs_ = first_of(all_, pairs_within(budget_.small_ns, plan_.slot_ns, plan_.at_once,
                                           setting_.hosts.size()));
      if (measured_all()) return;
    }
  }

  std::optional<Error> ask_the_silent() {
    // A host may have been held up for a slot; or the pair is farther apart than the others.
    SlotPlan longer = plan_;
    longer.slot_ns = 4 * plan_.slot_ns;
    const auto silent = first_of(
        silent_pairs(),
        pairs_within(budget_.small_ns / 4, longer.slot_ns, plan_.at_once, setting_.hosts.size()));
    if (auto error = exchange(silent, longer)) return error;
    longer.purpose = "round trips of distant pairs";
    longer.at_once = kAllAtOnce;
    for (const FarSlots& far : kFarSlots) {
      longer.slot_ns = far.slot_ns;
      longer.count = 3;
      const auto distant = pairs_in_slots(silent_pairs(), far.most);
      if (auto error = exchange(distant, longer)) return error;
      if (setting_.depth == Depth::quick) break;
    }
    return std::nullopt;
  }

  std::vector<HostPair> silent_pairs() const {
    std::vector<HostPair> silent;
    std::ranges::copy_if(pairs_, std::back_inserter(silent), [&](const HostPair& pair) {
      return samples_.at(pair.first, pair.second).round_trips_ns.empty();
    });
    return silent;
  }

  // Whether most of `pilot`, measured alone before, are slower with as many others as are planned.
  Result<bool> at_once_does_harm(const std::vector<HostPair>& pilot) {
    TripTable together(samples_.hosts());
    SlotPlan plan = plan_;
    plan.purpose = "round trips at once";
    const auto crowd = first_of(all_, std::max<std::size_t>(pilot.size(), plan.at_once));
    if (auto error = exchange_in_slots(setting_, crowd, plan, together)) return *error;
    const auto harmed = std::ranges::count_if(pilot, [&](const HostPair& pair) {
      const auto crowded = latency_of(together.at(pair.first, pair.second)).least_round_trip_ns;
      const auto single = latency_of(samples_.at(pair.first, pair.second)).least_round_trip_ns;
      return single > 0 && crowded > single + kHarmNs &&
             static_cast<double>(crowded) > kHarm * static_cast<double>(single);
    });
    return 2 * static_cast<std::size_t>(harmed) > pilot.size();
  }

  // Other traffic makes a pair look farther than it is, and is seldom there twice: what looks far
  // and was seen only once is measured again.
  std::optional<Error> look_again() {
    std::vector<std::int64_t> nearest(samples_.hosts(), std::numeric_limits<std::int64_t>::max());
    for (const auto& [from, to] : pairs_) {
      const auto least = latency_of(samples_.at(from, to)).least_round_trip_ns;
      if (least == 0) continue;
      nearest[from] = std::min(nearest[from], least);
      nearest[to] = std::min(nearest[to], least);
    }
    std::vector<HostPair> doubtful;
    const auto least_of = [&](const HostPair& pair) {
      return latency_of(samples_.at(pair.first, pair.second)).least_round_trip_ns;
    };
    std::ranges::copy_if(pairs_, std::back_inserter(doubtful), [&](const HostPair& pair) {
      auto trips = samples_.at(pair.first, pair.second).round_trips_ns;
      if (trips.empty()) return false;
      std::ranges::sort(trips);
      const auto least = static_cast<double>(trips.front());
      const auto expected =
          static_cast<double>(std::max(nearest[pair.first], nearest[pair.second]));
      const bool confirmed = trips.size() > 1 && static_cast<double>(trips[1]) < kConfirmed * least;
      return least > kLooksFarther * expected && !confirmed;
    });
    std::ranges::sort(doubtful, std::ranges::greater(), least_of);
    return exchange(first_of(doubtful, pairs_within(budget_.again_ns, plan_.slot_ns, plan_.at_once,
                                                    setting_.hosts.size())),
                    plan_);
  }

  Setting& setting_;
  const Budget& budget_;
  TripTable samples_;
  std::vector<HostPair> all_;    // in an order of which any beginning treats all hosts alike
  std::vector<HostPair> pairs_;  // the beginning that is measured
  SlotPlan plan_;
  std::int64_t usual_ns_ = 0;  // round trip
};

}  // namespace

Result<SmallRoundTrips> measure_small_round_trips(Setting& setting) {
  SmallMessages small(setting, setting.depth == Depth::quick ? kQuick : kFull);
  if (auto error = small.measure()) return *error;
  return SmallRoundTrips{small.latencies(), small.all_pairs(), small.at_once(),
                         small.measured_all()};
}

}  // namespace quadrille::probe
