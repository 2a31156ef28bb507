// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/agent/traffic_sources.h"

#include <algorithm>
#include <cmath>

#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

// Between two looks at what has arrived and at what else is due.
constexpr int most_without_a_look = 8;

std::uint64_t payload_of(std::uint32_t frame_bytes) { return frame_bytes - kFrameOverheadBytes; }

}  // namespace

std::int64_t TrafficSources::Source::scheduled_ns() const {
  return at_ns + std::llround(static_cast<double>(next) * interval_ns);
}

std::int64_t TrafficSources::Source::due_ns() const {
  if (finished()) return never;
  if (next == 0) return at_ns;
  return std::max(scheduled_ns(), last_sent_ns + static_cast<std::int64_t>(interval_ns / 2));
}

TrafficSources::TrafficSources(const RoundPart& part, const NetworkEnd& network,
                               DatagramSender& sender)
    : network_(network), sender_(sender) {
  for (const OutgoingStream& stream : part.streams_out) add_stream(stream);
  for (const OutgoingFan& fan : part.fans_out) add_fan(fan);
  for (const OutgoingMulticast& multicast : part.multicasts_out) add_multicast(multicast);
}

void TrafficSources::add_stream(const OutgoingStream& stream) {
  Source source;
  source.kind = DatagramKind::stream;
  source.id = stream.id;
  source.targets = {stream.to};
  source.at_ns = stream.at_ns;
  source.interval_ns = static_cast<double>(stream.gap_ns);
  source.total = stream.count;
  source.payload_bytes = payload_of(stream.frame_bytes);
  sources_.push_back(std::move(source));
}

void TrafficSources::add_fan(const OutgoingFan& fan) {
  Source source;
  source.kind = DatagramKind::fan;
  source.id = fan.id;
  source.targets = fan.to;
  source.at_ns = fan.at_ns;
  source.total = std::uint64_t{fan.passes} * fan.to.size();
  source.interval_ns =
      source.total == 0 ? 0
                        : static_cast<double>(fan.duration_ns) / static_cast<double>(source.total);
  source.payload_bytes = payload_of(kLightFrameBytes);
  sources_.push_back(std::move(source));
}

void TrafficSources::add_multicast(const OutgoingMulticast& multicast) {
  Source source;
  source.kind = DatagramKind::multicast;
  source.id = multicast.id;
  source.at_ns = multicast.at_ns;
  source.interval_ns = static_cast<double>(multicast.gap_ns);
  source.total = multicast.count;
  source.payload_bytes = payload_of(multicast.frame_bytes);
  sources_.push_back(std::move(source));
}

bool TrafficSources::send_one(Source& source) {
  const std::uint64_t targets = std::max<std::uint64_t>(1, source.targets.size());
  Datagram header;
  header.kind = source.kind;
  header.id = source.id;
  header.index = static_cast<std::uint32_t>(source.next / targets);
  const Endpoint to = source.targets.empty()
                          ? network_.multicast
                          : network_.peers[source.targets[source.next % targets]];
  const bool light = source.kind == DatagramKind::fan;
  const std::int64_t before = steady_ns();
  const auto outcome =
      sender_.send(light ? network_.light : network_.bulk, to, header, source.payload_bytes);
  const std::int64_t took = steady_ns() - before;
  source.blocked = false;
  if (outcome == UdpSocket::Outcome::queue_full) {
    waits_for_interface_ = source.blocked = true;
    return false;
  }
  if (outcome == UdpSocket::Outcome::failed && !light) {
    source.total = source.next;  // no way there; a fan may still reach its other targets
    return false;
  }
  if (light || source.next == 0)
    most_lag_ns_ = std::max(most_lag_ns_, sender_.last_sent_ns() - source.scheduled_ns());
  if (source.next == 0) source.first_sent_ns = sender_.last_sent_ns();
  source.last_sent_ns = sender_.last_sent_ns();
  source.after_last_ns = source.last_sent_ns + took;
  if (source.send_call_ns == 0 || took < source.send_call_ns) source.send_call_ns = took;
  ++source.next;
  return true;
}

void TrafficSources::send_due(std::int64_t now_ns) {
  waits_for_interface_ = false;
  bool unpaced = false;
  for (Source& source : sources_) {
    if (source.due_ns() > now_ns) continue;
    unpaced |= send_one(source) && source.interval_ns == 0;
  }
  for (int turn = 1; unpaced && turn < most_without_a_look; ++turn) {
    unpaced = false;
    for (Source& source : sources_) {
      if (source.interval_ns > 0 || source.due_ns() > now_ns) continue;
      unpaced |= send_one(source);
    }
  }
}

std::int64_t TrafficSources::next_due_ns() const {
  std::int64_t next = never;
  for (const Source& source : sources_) {
    if (!source.blocked) next = std::min(next, source.due_ns());
  }
  return next;
}

void TrafficSources::report(PartResult& result) const {
  for (const Source& source : sources_) {
    if (source.kind != DatagramKind::stream) continue;
    Sent sent;
    sent.id = source.id;
    sent.sent = static_cast<std::uint32_t>(source.next);
    sent.send_time_ns = source.after_last_ns - source.first_sent_ns;
    sent.send_call_ns = source.send_call_ns;
    result.streams_out.push_back(sent);
  }
}

}  // namespace quadrille::probe
