// SPDX-License-Identifier: BSD-3-Clause
// Composes the round of a load and reads the waits out of its result.
#include "probe/loaded_view.h"

#include <algorithm>
#include <array>
#include <limits>

namespace quadrille::probe {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kQuietNs = 30 * kMillisecond;  // light datagrams alone, before the load
constexpr std::uint32_t kPasses = 3;  // in the quiet part, and in each half of the load
// The load has filled its queues when the light datagrams begin.
constexpr double kFillShare = 0.35;
constexpr std::int64_t kLongestDrainNs = 1500 * kMillisecond;
constexpr std::int64_t kLeastFloorNs = 150'000;  // scheduling noise of a busy host
constexpr std::int64_t kUnseen = std::numeric_limits<std::int64_t>::max();

HostSet targets_of(HostIndex host, const Load& load, const HostSet& all) {
  const bool everybody = load.landmarks.empty() ||
                         std::binary_search(load.landmarks.begin(), load.landmarks.end(), host);
  HostSet targets = everybody ? all : load.landmarks;
  targets.erase(std::remove(targets.begin(), targets.end(), host), targets.end());
  return targets;
}

// Not the largest: some samples are grossly wrong.
std::int64_t high_quantile(std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 19 / 20);
  std::nth_element(values.begin(), at, values.end());
  return std::max<std::int64_t>(*at, 0);
}

Stream stream_of(const Flow& flow, std::int64_t at_ns, std::int64_t duration_ns,
                 bool keep_arrivals) {
  const double gap_ns = kFullFrameBytes * 8e9 / flow.rate_bit_s;
  return {
      .from = flow.from,
      .to = flow.to,
      .at_ns = at_ns,
      .count = std::max(1U, static_cast<std::uint32_t>(static_cast<double>(duration_ns) / gap_ns)),
      .frame_bytes = kFullFrameBytes,
      .gap_ns = static_cast<std::int64_t>(gap_ns),
      .keep_arrivals = keep_arrivals};
}

}  // namespace

LoadedViews::LoadedViews(Setting& setting, const std::vector<HostRates>& rates)
    : setting_(setting), rates_(rates), idle_delay_ns_(rates.size(), kUnseen) {}

std::int64_t LoadedViews::floor_ns(HostIndex from, HostIndex to) const {
  const double out = rates_[from].out_bit_s ? rates_[from].out_bit_s->value : 0;
  const double in = rates_[to].in_bit_s ? rates_[to].in_bit_s->value : 0;
  const double slower = out > 0 && in > 0 ? std::min(out, in) : std::max(out, in);
  const double frame_ns = slower > 0 ? kFullFrameBytes * 8e9 / slower : 0;
  return std::max(kLeastFloorNs, static_cast<std::int64_t>(1.1 * frame_ns));
}

bool LoadedViews::standing(const LoadedView& view, HostIndex from, HostIndex to) const {
  const Wait& wait = view.waits.at(from, to);
  const auto longest = std::max(wait.first_half_ns, wait.second_half_ns);
  return wait.known && wait.least_ns() > floor_ns(from, to) && wait.least_ns() * 3 > longest;
}

Round LoadedViews::compose(const Load& load) const {
  const auto start = std::min(backlog_ns_, kLongestDrainNs);
  const auto begin = start + kQuietNs + 10 * kMillisecond;
  const auto fill = static_cast<std::int64_t>(kFillShare * static_cast<double>(load.duration_ns));
  const auto half = (load.duration_ns - fill) / 2;
  Round round;
  round.purpose = load.purpose;
  round.network = setting_.network_index;
  for (const auto& flow : load.flows) {
    if (flow.rate_bit_s > 0)
      round.streams.push_back(stream_of(flow, begin, load.duration_ns, load.keep_arrivals));
  }
  for (const auto& [at, duration] : {std::pair{start, kQuietNs}, std::pair{begin + fill, half},
                                     std::pair{begin + fill + half, half}}) {
    for (const HostIndex host : setting_.hosts) {
      round.fans.push_back({host, targets_of(host, load, setting_.hosts), at, duration, kPasses});
    }
  }
  round.duration_ns = begin + load.duration_ns + 20 * kMillisecond;
  return round;
}

LoadedView LoadedViews::read(const Load& load, const Round& round, const RoundResult& result) {
  LoadedView view{PairTable<Wait>(rates_.size()),
                  load.landmarks.empty() ? setting_.hosts : load.landmarks,
                  {},
                  0};
  const std::size_t hosts = setting_.hosts.size();
  std::vector<std::int64_t> last_waits;
  for (std::size_t sender = 0; sender < hosts; ++sender) {
    const auto& targets = round.fans[sender].to;
    for (std::size_t at = 0; at < targets.size(); ++at) {
      auto& idle = idle_delay_ns_.at(round.fans[sender].from, targets[at]);
      const std::array<const FanResult*, 3> seen{&result.fans[sender][at],
                                                 &result.fans[hosts + sender][at],
                                                 &result.fans[2 * hosts + sender][at]};
      for (const auto* fan : seen) {
        if (fan->received > 0) idle = std::min(idle, fan->least_delay_ns);
      }
      // A queue that lets nothing through is as full as one can be: the wait of the other half
      // stands for both.
      if (idle == kUnseen || (seen[1]->received == 0 && seen[2]->received == 0)) continue;
      const auto wait = [&](std::size_t own, std::size_t other) {
        return (seen[own]->received > 0 ? seen[own] : seen[other])->least_delay_ns - idle;
      };
      view.waits.at(round.fans[sender].from, targets[at]) = {true, wait(1, 2), wait(2, 1)};
      last_waits.push_back(wait(2, 1));
    }
  }
  view.backlog_ns = high_quantile(last_waits);
  for (std::size_t at = 0; at < round.streams.size(); ++at) {
    const StreamResult& stream = result.streams[at];
    const Stream& sent = round.streams[at];
    FlowOutcome outcome{
        {sent.from, sent.to, kFullFrameBytes * 8e9 / static_cast<double>(sent.gap_ns)},
        stream.sent,
        stream.received,
        0,
        stream.arrivals};
    if (stream.received > 1) {
      const auto spread =
          std::max<std::int64_t>(stream.last_arrival_ns - stream.first_arrival_ns, 1);
      outcome.arrived_bit_s =
          (stream.received - 1) * kFullFrameBytes * 8e9 / static_cast<double>(spread);
    }
    view.flows.push_back(std::move(outcome));
  }
  backlog_ns_ = view.backlog_ns + view.backlog_ns / 3;
  return view;
}

Result<LoadedView> LoadedViews::observe(const Load& load) {
  const Round round = compose(load);
  auto result = setting_.network.perform(round);
  if (!result.ok()) return result.error();
  ++observations_;
  return read(load, round, result.value());
}

}  // namespace quadrille::probe
