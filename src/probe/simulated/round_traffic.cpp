// SPDX-License-Identifier: BSD-3-Clause
// Sources and sinks of a round.
#include "probe/simulated/round_traffic.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kSocketFrames = 4;
constexpr std::uint32_t kFramePayloadBytes = kFullFrameBytes - kFrameOverheadBytes;
constexpr std::int64_t kLongestStallNs = 10'000'000;
constexpr std::int64_t kLeastPatienceNs = 50'000'000;  // before a round trip is given up
constexpr std::uint8_t kTimeToLive = 64;
constexpr double kWrongLowNs = 5e6;
constexpr double kWrongHighNs = 2e9;

std::uint32_t frames_of(std::uint32_t payload_bytes) {
  return std::max(1U, (payload_bytes + kFramePayloadBytes - 1) / kFramePayloadBytes);
}

std::int64_t median_of(std::int64_t* first, std::size_t count) {
  std::nth_element(first, first + count / 2, first + count);
  return first[count / 2];
}

}  // namespace

RoundTraffic::RoundTraffic(const Round& round, const Place& place, std::int64_t start_ns)
    : round_(round),
      place_(place),
      start_ns_(start_ns),
      end_ns_(start_ns + round.duration_ns),
      first_fan_(static_cast<std::uint32_t>(round.streams.size())),
      first_ask_(first_fan_ + static_cast<std::uint32_t>(round.fans.size())),
      first_answer_(first_ask_ + static_cast<std::uint32_t>(round.exchanges.size())),
      first_multicast_(first_answer_ + static_cast<std::uint32_t>(round.exchanges.size())),
      streams_(round.streams.size()),
      multicasts_(round.multicasts.size()),
      fans_(round.fans.size()),
      trips_(round.exchanges.size()) {
  result_.streams.resize(round.streams.size());
  result_.exchanges.resize(round.exchanges.size());
  result_.multicasts.resize(round.multicasts.size());
  for (auto& multicast : result_.multicasts) {
    multicast.received.resize(place.hosts.size());
    multicast.first_arrival_ns.resize(place.hosts.size());
    multicast.last_arrival_ns.resize(place.hosts.size());
  }
  for (std::size_t at = 0; at < fans_.size(); ++at) {
    fans_[at].received.resize(round.fans[at].to.size());
    fans_[at].delays_ns.resize(round.fans[at].to.size() * round.fans[at].passes);
  }
}

std::int64_t RoundTraffic::begin_at(HostIndex host, std::int64_t at_ns) {
  return place_.hosts[host].round_start_ns() + at_ns;
}

void RoundTraffic::schedule_all() {
  const auto begin = [&](std::uint32_t source, HostIndex from, std::int64_t at_ns) {
    const std::int64_t at = begin_at(from, at_ns);
    place_.carrier.schedule(place_.hosts[from].ready_at(at), source);
    return at;
  };
  for (std::uint32_t at = 0; at < streams_.size(); ++at) {
    const Stream& stream = round_.streams[at];
    streams_[at].due_ns = begin(at, stream.from, stream.at_ns);
    streams_[at].delays_ns.reserve(stream.count);
    if (stream.keep_arrivals) result_.streams[at].arrivals.reserve(stream.count);
  }
  for (std::uint32_t at = 0; at < fans_.size(); ++at) {
    begin(first_fan_ + at, round_.fans[at].from, round_.fans[at].at_ns);
  }
  for (std::uint32_t at = 0; at < trips_.size(); ++at) {
    begin(first_ask_ + at, round_.exchanges[at].from, round_.exchanges[at].at_ns);
  }
  for (std::uint32_t at = 0; at < multicasts_.size(); ++at) {
    const MulticastStream& multicast = round_.multicasts[at];
    multicasts_[at].due_ns = begin(first_multicast_ + at, multicast.from, multicast.at_ns);
  }
}

void RoundTraffic::due(std::uint32_t source, std::int64_t now_ns) {
  if (source < first_fan_) {
    const Stream& stream = round_.streams[source];
    send_paced(streams_[source], {stream.from, stream.gap_ns, stream.count},
               {.from = stream.from,
                .to = stream.to,
                .flow = source,
                .bytes = static_cast<std::uint16_t>(stream.frame_bytes),
                .kind = FrameKind::stream},
               now_ns);
  } else if (source < first_ask_) {
    send_light(source - first_fan_, now_ns);
  } else if (source < first_answer_) {
    ask(source - first_ask_, now_ns);
  } else if (source < first_multicast_) {
    answer(source - first_answer_, now_ns);
  } else {
    const std::uint32_t at = source - first_multicast_;
    const MulticastStream& multicast = round_.multicasts[at];
    send_paced(multicasts_[at], {multicast.from, multicast.gap_ns, multicast.count},
               {.from = multicast.from,
                .to = kEverybody,
                .flow = at,
                .bytes = static_cast<std::uint16_t>(multicast.frame_bytes),
                .kind = FrameKind::multicast},
               now_ns);
  }
}

bool RoundTraffic::send(Frame frame, std::int64_t now_ns) {
  frame.round = place_.round_number;
  sent_bytes_ += frame.bytes;
  if (place_.reach.nobody || place_.reach.isolated[frame.from]) return false;
  return place_.carrier.send(frame, now_ns);
}

void RoundTraffic::send_paced(Sending& sending, const Schedule& schedule, Frame frame,
                              std::int64_t now_ns) {
  HostBehaviour& host = place_.hosts[schedule.from];
  if (sending.next == schedule.count) return;
  const std::int64_t cost_ns = host.send_cost_ns();
  if (sending.waiting >= kSocketFrames) {
    if (!sending.blocked) sending.call_began_ns = now_ns - cost_ns;
    sending.blocked = true;
    return;
  }
  frame.sent_ns = sending.blocked ? sending.call_began_ns : now_ns - cost_ns;
  frame.index = sending.next++;
  if (frame.index == 0) sending.first_call_ns = frame.sent_ns;
  if (!sending.blocked && (sending.least_call_ns == 0 || cost_ns < sending.least_call_ns)) {
    sending.least_call_ns = cost_ns;
  }
  sending.blocked = false;
  sending.last_return_ns = now_ns;
  if (send(frame, now_ns)) ++sending.waiting;
  // A sender that was held up catches up, by two datagrams at once at most.
  sending.due_ns = std::max(sending.due_ns + schedule.gap_ns, now_ns - schedule.gap_ns);
  const std::int64_t next = std::max(sending.due_ns, now_ns + host.send_overhead_ns());
  const std::uint32_t source =
      frame.kind == FrameKind::stream ? frame.flow : first_multicast_ + frame.flow;
  place_.carrier.schedule(host.ready_at(next), source);
}

void RoundTraffic::left_interface(const Frame& frame, std::int64_t now_ns) {
  if (frame.round != place_.round_number) return;
  const bool is_stream = frame.kind == FrameKind::stream;
  if (!is_stream && frame.kind != FrameKind::multicast) return;
  Sending& sending = is_stream ? streams_[frame.flow] : multicasts_[frame.flow];
  --sending.waiting;
  if (sending.blocked) due(is_stream ? frame.flow : first_multicast_ + frame.flow, now_ns);
}

void RoundTraffic::send_light(std::uint32_t fan, std::int64_t now_ns) {
  const Fan& plan = round_.fans[fan];
  FanSending& sending = fans_[fan];
  const auto targets = static_cast<std::uint32_t>(plan.to.size());
  if (targets == 0 || sending.next == targets * plan.passes) return;
  HostBehaviour& host = place_.hosts[plan.from];
  send({.sent_ns = now_ns - host.send_cost_ns(),
        .from = plan.from,
        .to = plan.to[sending.next % targets],
        .flow = fan,
        .index = sending.next,
        .bytes = kLightFrameBytes,
        .kind = FrameKind::light},
       now_ns);
  ++sending.next;
  const std::int64_t spread = plan.duration_ns * sending.next / (targets * plan.passes);
  const std::int64_t next =
      std::max(begin_at(plan.from, plan.at_ns) + spread, now_ns + host.send_overhead_ns());
  place_.carrier.schedule(host.ready_at(next), first_fan_ + fan);
}

void RoundTraffic::send_message(Frame frame, std::uint32_t payload_bytes, std::int64_t now_ns) {
  for (std::uint32_t left = frames_of(payload_bytes); left > 0; --left) {
    const std::uint32_t part = std::min(payload_bytes, kFramePayloadBytes);
    frame.bytes = static_cast<std::uint16_t>(part + kFrameOverheadBytes);
    payload_bytes -= part;
    send(frame, now_ns);
  }
}

void RoundTraffic::ask(std::uint32_t exchange, std::int64_t now_ns) {
  const Exchange& plan = round_.exchanges[exchange];
  Trip& trip = trips_[exchange];
  if (trip.under_way && now_ns < trip.give_up_ns) return;
  if (trip.under_way) ++trip.number;
  trip.under_way = false;
  const std::int64_t last =
      plan.limit_ns > 0 ? begin_at(plan.from, plan.at_ns) + plan.limit_ns : end_ns_;
  if (trip.number >= plan.count || now_ns >= last) return;
  trip.under_way = true;
  trip.frames_there = trip.frames_back = 0;
  trip.began_ns = now_ns - place_.hosts[plan.from].send_cost_ns();
  trip.give_up_ns = now_ns + std::max(kLeastPatienceNs, 4 * trip.least_ns);
  place_.carrier.schedule(trip.give_up_ns, first_ask_ + exchange);
  send_message({.from = plan.from,
                .to = plan.to,
                .flow = exchange,
                .index = trip.number,
                .kind = FrameKind::ask},
               plan.there_bytes, now_ns);
}

void RoundTraffic::answer(std::uint32_t exchange, std::int64_t now_ns) {
  const Exchange& plan = round_.exchanges[exchange];
  send_message({.from = plan.to,
                .to = plan.from,
                .flow = exchange,
                .index = trips_[exchange].number,
                .kind = FrameKind::answer},
               plan.back_bytes, now_ns);
}

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
