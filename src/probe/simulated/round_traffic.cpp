// SPDX-License-Identifier: BSD-3-Clause
// What a round's hosts send, and when.
#include "probe/simulated/round_traffic.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr std::uint32_t kSocketFrames = 4;
constexpr std::int64_t kLeastPatienceNs = 50'000'000;  // before a round trip is given up

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
    place_.carrier.schedule(at, source);
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

HostIndex RoundTraffic::host_of(std::uint32_t source) const {
  if (source < first_fan_) return round_.streams[source].from;
  if (source < first_ask_) return round_.fans[source - first_fan_].from;
  if (source < first_answer_) return round_.exchanges[source - first_ask_].from;
  if (source < first_multicast_) return round_.exchanges[source - first_answer_].to;
  return round_.multicasts[source - first_multicast_].from;
}

void RoundTraffic::due(std::uint32_t source, std::int64_t now_ns) {
  // A host that is held up sends as soon as it is not.
  if (const auto ready = place_.hosts[host_of(source)].ready_at(now_ns); ready > now_ns) {
    place_.carrier.schedule(ready, source);
    return;
  }
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
  sending.waking = false;
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
  place_.carrier.schedule(next, source);
}

void RoundTraffic::left_interface(const Frame& frame, std::int64_t now_ns) {
  if (frame.round != place_.round_number) return;
  const bool is_stream = frame.kind == FrameKind::stream;
  if (!is_stream && frame.kind != FrameKind::multicast) return;
  Sending& sending = is_stream ? streams_[frame.flow] : multicasts_[frame.flow];
  --sending.waiting;
  if (!sending.blocked || sending.waking) return;
  sending.waking = true;
  due(is_stream ? frame.flow : first_multicast_ + frame.flow, now_ns);
}

void RoundTraffic::send_light(std::uint32_t fan, std::int64_t now_ns) {
  const Fan& plan = round_.fans[fan];
  FanSending& sending = fans_[fan];
  const auto targets = static_cast<std::uint32_t>(plan.to.size());
  const std::int64_t datagrams = std::int64_t{targets} * plan.passes;
  if (sending.next == datagrams) return;
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
  const std::int64_t spread = plan.duration_ns * sending.next / datagrams;
  const std::int64_t next =
      std::max(begin_at(plan.from, plan.at_ns) + spread, now_ns + host.send_overhead_ns());
  place_.carrier.schedule(next, first_fan_ + fan);
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

}  // namespace quadrille::probe
