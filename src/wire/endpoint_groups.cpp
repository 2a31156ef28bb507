// SPDX-License-Identifier: BSD-3-Clause
// The part of an endpoint that speaks to several others at once.
#include <algorithm>

#include "wire/endpoint.h"
#include "wire/seal/packet_seal.h"

namespace quadrille::wire {
namespace {

// Of such a message its sender keeps a copy, so that its caller need not wait for all receivers.
constexpr std::size_t most_kept = 65'536;

}  // namespace

SendGroup& Endpoint::group_with(const Group& group, Channel channel, Nanoseconds now) {
  const Key key = key_of_group(settings_.secret, settings_.self, group.members);
  auto& found = groups_[channel];
  if (found && found->key() == key) return *found;
  if (found) dissolve(*found, now);
  hearing_.resize(settings_.peers);
  std::vector<Flow*> flows;
  for (const EndpointId peer : group.members) {
    if (peer != settings_.self) flows.push_back(&use(peer, channel));
  }
  found = std::make_unique<SendGroup>(std::move(flows), key);
  return *found;
}

// What its members have not been sent yet goes to each alone.
void Endpoint::dissolve(SendGroup& group, Nanoseconds now) {
  group.part();
  for (Flow* flow : group.flows()) {
    settle(*flow, now);
    owe_ack(*flow);
  }
}

void Endpoint::watch_group(Flow& flow, Nanoseconds now) {
  const EndpointId peer = flow.key.first;
  const std::uint64_t missed = flow.out.missed();
  GroupHearing& hearing = hearing_[peer];
  if (missed == 0) flow.missing_since.reset();
  if (missed > 0 && !flow.missing_since) flow.missing_since = hearing.since(now);
  if (missed == 0 || hearing.probe_at()) return;
  const auto verdict = hearing.judge(missed, *flow.missing_since, now);
  if (verdict == GroupHearing::Verdict::is_late && !late_) late_ = {peer, hearing.late()};
  if (verdict != GroupHearing::Verdict::does_not_hear) return;
  hearing.lost(now);
  missing_.insert(peer);
  for (const auto& [channel, group] : groups_) {
    if (group->has(peer)) dissolve(*group, now);
  }
}

void Endpoint::hears_groups(Flow& flow, Nanoseconds now) {
  flow.out.hears_groups();
  if (hearing_.empty() || !hearing_[flow.key.first].heard(now)) return;
  missing_.erase(flow.key.first);
}

// An announcement of nothing new to a group that has the peer; the probe follows with the next
// datagram.
std::optional<Endpoint::Outgoing> Endpoint::next_probe(std::span<std::byte> room, Nanoseconds now) {
  for (const EndpointId peer : missing_) {
    GroupHearing& hearing = hearing_[peer];
    if (*hearing.probe_at() > now) continue;
    const auto group = std::ranges::find_if(
        groups_, [peer](const auto& entry) { return entry.second->has(peer); });
    if (!hearing.probe(now, group != groups_.end())) continue;
    Flow& flow = *flows_.at({peer, group->first});
    flow.asks = true;
    owe_ack(flow);
    return write_announcement(*group->second, room);
  }
  return std::nullopt;
}

void Endpoint::send_to_group(const Group& group, Channel channel,
                             std::span<const std::byte> message, Handle handle, Nanoseconds now) {
  SendGroup& receivers = group_with(group, channel, now);
  const bool to_all =
      receivers.is_even() && !receivers.has_failed() &&
      std::ranges::none_of(missing_, [&](const EndpointId peer) { return receivers.has(peer); });
  receivers.begin();
  receivers.share_with(group.senders, ahead(group));
  if (to_all) {
    receivers.join();
  } else {
    dissolve(receivers, now);
  }
  if (to_all && group.senders > 1) receivers.announce();
  GroupSend& all = group_sends_[handle];
  all.channel = channel;
  all.receivers = receivers.flows().size();
  all.is_long = packets_of(message.size(), settings_.limits.payload) > 1;
  if (to_all && message.size() <= most_kept)
    message = all.kept.emplace(message.begin(), message.end());
  for (Flow* flow : receivers.flows()) {
    flow->out.add(message, handle);
    if (flow->failed) fail(*flow, now);
    flow->timer.began(Side::out, now);
    settle(*flow, now);
    if (!to_all) owe_ack(*flow);
  }
}

void Endpoint::receive_from_group(EndpointId sender, const Group& group, Channel channel,
                                  std::span<std::byte> message, Handle handle, Nanoseconds now) {
  Flow& flow = use(sender, channel);
  flow.group_key = key_of_group(settings_.secret, sender, group.members);
  flow.ahead = ahead(group);
  flow.in.expect_of_group(message, handle, flow.ahead, group.senders > 1);
  accept(flow, now);
}

// Of what waits for all of them: it takes one datagram, not one for each.
Endpoint::Outgoing Endpoint::write_announcement(const SendGroup& group, std::span<std::byte> room) {
  const Sequence end = group.announced();
  Header header = header_of(PacketKind::group_announcement, group.flows().front()->key.second);
  header.sequence = static_cast<std::uint32_t>(lower(end, sequence_bits));
  const std::size_t length = seal(group.key(), header, {.number = end}, {}, room);
  ++counters_.acks_sent;
  return {to_group, length, true};
}

void Endpoint::on_announcement(Flow& flow, std::uint64_t end, Nanoseconds now) {
  ++counters_.acks_received;
  if (end <= flow.in.heard()) return;
  flow.in.on_announcement(end);
  heard(flow, now);
  flow.news(Side::in, now);
}

void Endpoint::complete_if_kept(Handle handle) {
  GroupSend& send = group_sends_.at(handle);
  if (!send.kept) return;
  send.complete = true;
  completed_.push_back({handle, true, true});
}

// The same packet for all `receivers`; it carries nothing that is one's alone.
Endpoint::Outgoing Endpoint::write_to_group(const SendGroup& group,
                                            std::span<Flow* const> receivers, bool again,
                                            std::span<std::byte> room, Nanoseconds now) {
  SendFlow::Packet packet;
  for (Flow* flow : receivers) {
    const bool repeated = packet.repeated;
    packet = again ? flow->out.next() : flow->out.next_new();
    packet.repeated |= repeated;
    flow->turn = ++turns_;
  }
  Header header =
      header_of(packet.repeated ? PacketKind::repeated_group_data : PacketKind::group_data,
                receivers.front()->key.second);
  header.last = packet.last;
  header.sequence = static_cast<std::uint32_t>(lower(packet.sequence, sequence_bits));
  header.place = packet.place;
  const std::size_t length =
      seal(group.key(), header, {.number = packet.sequence}, packet.payload, room);
  ++counters_.group_sent;
  count_sent(*receivers.front(), {1, packet.payload.size(), packet.repeated, again});
  if (packet.last && !again) complete_if_kept(packet.handle);
  for (Flow* flow : receivers) note_sent(*flow, packet.sequence, packet.repeated, now);
  return {to_group, length, false};
}

}  // namespace quadrille::wire
