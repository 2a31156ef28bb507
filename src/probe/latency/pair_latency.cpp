// SPDX-License-Identifier: BSD-3-Clause
// The longer messages, between pairs of which the small ones said how many may run at once.
#include "probe/latency/pair_latency.h"

#include <algorithm>
#include <utility>

namespace quadrille::probe {
namespace {

constexpr std::int64_t kLongerNs = 80 * kMillisecond;  // of each longer size and direction
constexpr std::uint32_t kLongerRepeats = 2;            // one of them may be grossly wrong
constexpr std::size_t kPartnersForLonger = 4;

// A slot for the exchanges of `plan`, from what the first of `pairs` needed; that of
// `plan` where it did not answer.
Result<std::int64_t> slot_of_longer(Setting& setting, const std::vector<HostPair>& pairs,
                                    SlotPlan plan, TripTable& samples) {
  const std::uint32_t repeats = std::exchange(plan.count, 1U);
  const auto tried = first_of(pairs, 1);
  if (auto error = exchange_in_slots(setting, tried, plan, samples)) return *error;
  const std::int64_t needed =
      latency_of(samples.at(tried.front().first, tried.front().second)).most_ns;
  return needed == 0 ? plan.slot_ns : std::min(plan.slot_ns, slot_for(needed, repeats));
}

// The first pairs of a tournament, as many as the budget and kPartnersForLonger allow.
std::vector<HostPair> pairs_for_longer(const Setting& setting, const std::vector<HostPair>& pairs,
                                       const SlotPlan& plan, std::int64_t budget_ns) {
  const std::size_t hosts = setting.hosts.size();
  return first_of(pairs, std::min(pairs_within(budget_ns, plan.slot_ns, plan.at_once, hosts),
                                  std::max<std::size_t>(1, kPartnersForLonger * hosts / 2)));
}

std::vector<HostPair> reversed(const std::vector<HostPair>& pairs) {
  std::vector<HostPair> other_way;
  other_way.reserve(pairs.size());
  for (const auto& [from, to] : pairs) other_way.emplace_back(to, from);
  return other_way;
}

}  // namespace

Result<PairLatencies> measure_pair_latency(Setting& setting) {
  auto measured = measure_small_round_trips(setting);
  if (!measured.ok()) return measured.error();
  SmallRoundTrips& small = measured.value();
  PairLatencies found;
  found.small = std::move(small.latencies);
  found.at_once = small.at_once;
  found.all_pairs = small.all_pairs;
  const std::size_t hosts = setting.network.hosts().size();
  TripTable full_frame(hosts);
  TripTable large(hosts);
  const auto& pairs = small.order;
  if (setting.depth == Depth::full) {
    SlotPlan plan{.purpose = "round trips of full frames",
                  .count = kLongerRepeats,
                  .there_bytes = kFullPayloadBytes,
                  .back_bytes = kFullPayloadBytes,
                  .slot_ns = 16 * kMillisecond,
                  .at_once = small.at_once};
    auto slot_ns = slot_of_longer(setting, pairs, plan, full_frame);
    if (!slot_ns.ok()) return slot_ns.error();
    plan.slot_ns = slot_ns.value();
    const auto some = pairs_for_longer(setting, pairs, plan, kLongerNs);
    if (auto error = exchange_in_slots(setting, some, plan, full_frame)) return *error;
    plan.purpose = "messages in one direction";
    plan.there_bytes = kLargeBytes;
    plan.back_bytes = kSmallBytes;
    plan.slot_ns = 40 * kMillisecond;
    slot_ns = slot_of_longer(setting, pairs, plan, large);
    if (!slot_ns.ok()) return slot_ns.error();
    plan.slot_ns = slot_ns.value();
    const auto there = pairs_for_longer(setting, pairs, plan, kLongerNs);
    if (auto error = exchange_in_slots(setting, there, plan, large)) return *error;
    if (auto error = exchange_in_slots(setting, reversed(there), plan, large)) return *error;
  }
  found.full_frame = latencies_of(full_frame, true);
  found.large = latencies_of(large, false);
  return found;
}

}  // namespace quadrille::probe
