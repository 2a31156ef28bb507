// SPDX-License-Identifier: BSD-3-Clause
// Each host sends and receives a few bursts, as many hosts at once as have a processor for it.
#include "probe/rates/host_overheads.h"

#include <algorithm>

#include "probe/latency/exchange_slots.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kBurst = 24;  // light datagrams: 2.4 KB, in no port's way
constexpr double kSlowestBitS = 10e6;
constexpr std::int64_t kTurnOverheadNs = 500'000;
constexpr std::size_t kBursts = 5;
constexpr std::size_t kQuickBursts = 2;
constexpr std::int64_t kOverheadSettleNs = 5 * kMillisecond;

// What the bursts of one host showed.
struct Seen {
  std::vector<std::int64_t> send_ns;
  std::vector<std::int64_t> receive_ns;
  std::vector<std::int64_t> gap_ns;
};

MaybeMeasured least_of(std::vector<std::int64_t> values) {
  std::erase_if(values, [](std::int64_t value) { return value <= 0; });
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const auto least = static_cast<double>(values.front());
  return Measured{least, least, static_cast<double>(values[values.size() / 2])};
}

// Long enough for a burst at the slowest host's rate.
std::int64_t turn_ns(const Setting& setting, const std::vector<HostRates>& rates) {
  double slowest = 0;
  for (const HostIndex host : setting.hosts) {
    for (const double free : {rates.at(host).free_out_bit_s(), rates.at(host).free_in_bit_s()}) {
      const double rate = free > 0 ? free : kSlowestBitS;
      slowest = slowest == 0 ? rate : std::min(slowest, rate);
    }
  }
  return kTurnOverheadNs +
         static_cast<std::int64_t>(1.5 * kBurst * kLightFrameBytes * 8e9 / slowest);
}

// Every host sends once and receives once: each to the next in a random order, in slots of disjoint
// pairs.
Round burst_round(Setting& setting, std::int64_t turn_ns) {
  auto order = setting.hosts;
  std::ranges::shuffle(order, setting.chance);
  std::vector<HostPair> pairs;
  // First all at even places, then all at odd ones, so that neighbours in the list are disjoint.
  for (const std::size_t first : {0U, 1U}) {
    for (std::size_t i = first; i < order.size(); i += 2) {
      pairs.emplace_back(order[i], order[(i + 1) % order.size()]);
    }
  }
  Round round;
  round.purpose = "overhead of a send";
  round.network = setting.network_index;
  std::int64_t at_ns = 0;
  for (const auto& slot : slots_of(pairs, setting.exchanges_at_once())) {
    for (const auto& [from, to] : slot) {
      Stream burst{.from = from, .to = to, .at_ns = at_ns, .count = kBurst};
      burst.frame_bytes = kLightFrameBytes;
      round.streams.push_back(burst);
    }
    at_ns += turn_ns;
  }
  round.duration_ns = at_ns + kOverheadSettleNs;
  return round;
}

MaybeMeasured middle_of(const std::vector<HostOverheads>& hosts,
                        MaybeMeasured HostOverheads::*which) {
  std::vector<double> values;
  for (const HostOverheads& host : hosts) {
    if (host.*which) values.push_back((host.*which)->value);
  }
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const auto at = [&](std::size_t quarters) { return values[(values.size() - 1) * quarters / 4]; };
  return Measured{at(2), at(1), at(3)};
}

}  // namespace

HostOverheads usual_of(const std::vector<HostOverheads>& hosts) {
  return {middle_of(hosts, &HostOverheads::send_ns), middle_of(hosts, &HostOverheads::receive_ns),
          middle_of(hosts, &HostOverheads::gap_ns)};
}

Result<Overheads> measure_host_overheads(Setting& setting, const std::vector<HostRates>& rates) {
  std::vector<Seen> seen(setting.network.hosts().size());
  const std::int64_t turn = turn_ns(setting, rates);
  const std::size_t bursts = setting.depth == Depth::quick ? kQuickBursts : kBursts;
  for (std::size_t repeat = 0; repeat < bursts; ++repeat) {
    const Round round = burst_round(setting, turn);
    const auto performed = setting.network.perform(round);
    if (!performed.ok()) return performed.error();
    for (std::size_t i = 0; i < round.streams.size(); ++i) {
      const StreamResult& burst = performed.value().streams[i];
      if (burst.sent > 0) {
        Seen& sender = seen[round.streams[i].from];
        sender.send_ns.push_back(burst.send_call_ns);
        sender.gap_ns.push_back(burst.send_time_ns / burst.sent);
      }
      if (burst.received > 0) seen[round.streams[i].to].receive_ns.push_back(burst.receive_call_ns);
    }
  }
  Overheads overheads;
  for (Seen& host : seen) {
    overheads.hosts.push_back({least_of(std::move(host.send_ns)),
                               least_of(std::move(host.receive_ns)),
                               least_of(std::move(host.gap_ns))});
  }
  overheads.usual = usual_of(overheads.hosts);
  return overheads;
}

}  // namespace quadrille::probe
