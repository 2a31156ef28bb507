// SPDX-License-Identifier: BSD-3-Clause
// What a round's hosts see of it.
#include <algorithm>

#include "probe/simulated/round_traffic.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t kLongestStallNs = 10'000'000;
constexpr std::uint8_t kTimeToLive = 64;
constexpr double kWrongLowNs = 5e6;
constexpr double kWrongHighNs = 2e9;

std::int64_t median_of(std::int64_t* first, std::size_t count) {
  std::nth_element(first, first + count / 2, first + count);
  return first[count / 2];
}

}  // namespace

std::int64_t RoundTraffic::perhaps_wrong(HostIndex host, std::int64_t value_ns) {
  Chance& chance = place_.hosts[host].chance();
  if (!chance.happens(place_.wrong_samples)) return value_ns;
  return value_ns + static_cast<std::int64_t>(chance.between(kWrongLowNs, kWrongHighNs));
}

void RoundTraffic::delivered(const Frame& frame, HostIndex host, std::int64_t now_ns) {
  if (frame.round != place_.round_number || !place_.reach.gets_through(frame.from, host)) return;
  HostBehaviour& receiver = place_.hosts[host];
  const std::int64_t stamp = receiver.ready_at(now_ns) + receiver.stamp_cost_ns();
  if (stamp >= end_ns_) return;
  const std::int64_t stamp_here = stamp + receiver.clock_error_ns(stamp);
  const std::int64_t sent_there =
      frame.sent_ns + place_.hosts[frame.from].clock_error_ns(frame.sent_ns);
  switch (frame.kind) {
    case FrameKind::stream:
      keep_stream(frame, stamp_here - sent_there, stamp_here - start_ns_);
      break;
    case FrameKind::light:
      keep_light(frame, host, perhaps_wrong(host, stamp_here - sent_there));
      break;
    case FrameKind::ask:
      keep_ask(frame, stamp);
      break;
    case FrameKind::answer:
      keep_answer(frame, stamp);
      break;
    case FrameKind::multicast:
      keep_multicast(frame, host, stamp_here - start_ns_);
      break;
  }
}

void RoundTraffic::keep_stream(const Frame& frame, std::int64_t delay_ns, std::int64_t at_ns) {
  StreamResult& seen = result_.streams[frame.flow];
  if (seen.received++ == 0) seen.first_arrival_ns = at_ns;
  seen.last_arrival_ns = std::max(seen.last_arrival_ns, at_ns);
  const std::int64_t measured = perhaps_wrong(frame.to, delay_ns);
  streams_[frame.flow].delays_ns.push_back(measured);
  if (!round_.streams[frame.flow].keep_arrivals) return;
  seen.arrivals.push_back({frame.index, at_ns + measured - delay_ns, measured});
}

void RoundTraffic::keep_light(const Frame& frame, HostIndex host, std::int64_t delay_ns) {
  const Fan& plan = round_.fans[frame.flow];
  FanSending& sending = fans_[frame.flow];
  const std::size_t target = frame.index % plan.to.size();
  if (plan.to[target] != host) return;
  sending.delays_ns[target * plan.passes + sending.received[target]++] = delay_ns;
}

void RoundTraffic::keep_multicast(const Frame& frame, HostIndex host, std::int64_t at_ns) {
  MulticastResult& seen = result_.multicasts[frame.flow];
  if (seen.received[host]++ == 0) seen.first_arrival_ns[host] = at_ns;
  seen.last_arrival_ns[host] = std::max(seen.last_arrival_ns[host], at_ns);
}

void RoundTraffic::keep_ask(const Frame& frame, std::int64_t now_ns) {
  const Exchange& plan = round_.exchanges[frame.flow];
  Trip& trip = trips_[frame.flow];
  if (!trip.under_way || frame.index != trip.number) return;
  if (++trip.frames_there < frames_of(plan.there_bytes)) return;
  HostBehaviour& host = place_.hosts[plan.to];
  place_.carrier.schedule(now_ns + host.receive_overhead_ns() + host.send_cost_ns(),
                          first_answer_ + frame.flow);
}

void RoundTraffic::keep_answer(const Frame& frame, std::int64_t stamp_ns) {
  const Exchange& plan = round_.exchanges[frame.flow];
  Trip& trip = trips_[frame.flow];
  if (!trip.under_way || frame.index != trip.number) return;
  if (++trip.frames_back < frames_of(plan.back_bytes)) return;
  HostBehaviour& host = place_.hosts[plan.from];
  const std::int64_t over = stamp_ns + host.receive_overhead_ns();
  const std::int64_t least = over - trip.began_ns;
  trip.least_ns = trip.least_ns == 0 ? least : std::min(trip.least_ns, least);
  result_.exchanges[frame.flow].round_trips_ns.push_back(perhaps_wrong(plan.from, least));
  result_.exchanges[frame.flow].time_to_live = static_cast<std::uint8_t>(
      kTimeToLive - place_.carrier.fabric().routers_between(plan.to, plan.from));
  trip.under_way = false;
  ++trip.number;
  place_.carrier.schedule(over + host.send_cost_ns(), first_ask_ + frame.flow);
}

RoundResult RoundTraffic::result() {
  for (std::size_t at = 0; at < streams_.size(); ++at) {
    Sending& sending = streams_[at];
    StreamResult& seen = result_.streams[at];
    seen.sent = sending.next;
    seen.send_time_ns = sending.last_return_ns - sending.first_call_ns;
    seen.send_call_ns = sending.least_call_ns;
    if (seen.received == 0) continue;
    seen.receive_call_ns = place_.hosts[round_.streams[at].to].receive_overhead_ns();
    auto& delays = sending.delays_ns;
    seen.least_delay_ns = *std::min_element(delays.begin(), delays.end());
    seen.median_delay_ns = median_of(delays.data(), delays.size());
  }
  result_.fans.resize(fans_.size());
  for (std::size_t at = 0; at < fans_.size(); ++at) {
    FanSending& sending = fans_[at];
    result_.fans[at].resize(sending.received.size());
    for (std::size_t target = 0; target < sending.received.size(); ++target) {
      const std::size_t count = sending.received[target];
      if (count == 0) continue;
      std::int64_t* first = sending.delays_ns.data() + target * round_.fans[at].passes;
      result_.fans[at][target] = {.received = static_cast<std::uint32_t>(count),
                                  .least_delay_ns = *std::min_element(first, first + count),
                                  .median_delay_ns = median_of(first, count)};
    }
  }
  for (HostIndex host = 0; host < place_.hosts.size(); ++host) {
    const HostBehaviour& behaviour = place_.hosts[host];
    const bool late = behaviour.began_late();
    if (late || behaviour.longest_stall_ns() > kLongestStallNs) result_.unpunctual.push_back(host);
  }
  return std::move(result_);
}

}  // namespace quadrille::probe
