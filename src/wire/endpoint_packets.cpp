// SPDX-License-Identifier: BSD-3-Clause
// The packets that an endpoint writes for one other, and which of those that it is sent are
// authentic.
#include <algorithm>
#include <utility>

#include "base/copy_bytes.h"
#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

// What a data packet is sealed under: its number, and of what it acknowledges the bits that are not
// in the header, so that one that was held up for long acknowledges nothing it did not mean.
std::uint64_t sealed_number(Sequence sequence, Sequence acknowledged) {
  constexpr unsigned sequence_room = 40;
  return sequence ^ acknowledged >> acknowledged_bits << sequence_room;
}

}  // namespace

bool Endpoint::is_authentic(const Header& header, const Flow* flow, std::uint64_t number,
                            std::span<std::byte> datagram) const {
  const bool to_group = header.is_to_group();
  const Key key = to_group          ? *flow->group_key
                  : flow != nullptr ? flow->receive_key
                                    : key_between(settings_.secret, header.sender, settings_.self);
  if (is_of_run(header.kind)) return is_header_sealed(key, number, datagram);
  if (to_group || header.kind == PacketKind::ack) return is_sealed(key, number, datagram);
  const Sequence sent = flow == nullptr ? 0 : flow->out.acknowledged();
  const Sequence acknowledged = widen(sent, header.acknowledged, acknowledged_bits);
  return is_sealed(key, sealed_number(number, acknowledged), datagram);
}

Endpoint::Outgoing Endpoint::write_data(Flow& flow, std::span<std::byte> room, Nanoseconds now) {
  const SendFlow::Packet packet = flow.out.next();
  has_told(flow);
  flow.sent_since_arrival = true;
  flow.turn = ++turns_;
  Header header;
  header.kind = packet.repeated ? PacketKind::repeated_data : PacketKind::data;
  header.last = packet.last;
  header.sender = settings_.self;
  header.channel = flow.key.second;
  header.sequence = static_cast<std::uint32_t>(lower(packet.sequence, sequence_bits));
  header.place = packet.place;
  header.acknowledged =
      static_cast<std::uint16_t>(lower(flow.in.acknowledged(), acknowledged_bits));
  header.granted = static_cast<std::uint16_t>(lower(flow.in.granted(), acknowledged_bits));
  const auto body = write_header(header, room);
  copy_bytes(packet.payload, body);
  const std::size_t length = overhead_bytes + packet.payload.size();
  seal(flow.send_key, sealed_number(packet.sequence, flow.in.acknowledged()), room.first(length));
  count_sent(flow, {1, packet.payload.size(), packet.repeated, packet.again});
  note_sent(flow, packet.sequence, packet.repeated, now);
  return {flow.key.first, length, false};
}

void Endpoint::count_sent(Flow& flow, const Sent& sent) {
  counters_.data_sent += sent.packets;
  counters_.bytes_sent += sent.bytes;
  flow.statistics.sent(sent.packets, sent.bytes, sent.repeated);
  if (sent.repeated) counters_.data_resent += sent.packets;
  if (sent.again) counters_.data_again += sent.packets;
}

void Endpoint::note_sent(Flow& flow, Sequence sequence, bool repeated, Nanoseconds now) {
  if (repeated) {
    flow.timed.reset();  // whose arrival would it be (P. Karn, C. Partridge, SIGCOMM 1987)
  } else if (!flow.timed) {
    flow.timed = {sequence, now};
  }
  flow.timer.began(Side::out, now);
  settle(flow, now);
  if (flow.group != nullptr) watch_group(flow, now);
}

Ack Endpoint::next_ack(Flow& flow) {
  ++flow.own_number;
  Ack ack;
  ack.acknowledged = static_cast<std::uint32_t>(lower(flow.in.acknowledged(), ack_bits));
  ack.granted = static_cast<std::uint32_t>(lower(flow.in.granted(), ack_bits));
  ack.heard = static_cast<std::uint32_t>(lower(flow.in.heard(), ack_bits));
  // What leaves right behind it is not to be granted: that would take an answer.
  const bool all_leave = flow.group == nullptr && flow.out.may_send_all();
  const Sequence announced = all_leave ? flow.out.sent() : flow.out.announced();
  ack.announced = static_cast<std::uint32_t>(lower(announced, ack_bits));
  ack.answers = static_cast<std::uint32_t>(lower(flow.answers, sequence_bits));
  ack.asks = flow.asks;
  ack.receive_loss = unheard_.contains(flow.key.first);
  ack.eager_room = leaves_eager_room();
  ack.hears_groups = flow.says_it_hears > 0;
  if (ack.hears_groups) --flow.says_it_hears;
  return ack;
}

void Endpoint::has_acked(Flow& flow, const Ack& ack, Nanoseconds now) {
  if (flow.asks) {
    ++counters_.probes;
    flow.out.asked(flow.own_number);
    if (!flow.probe) flow.probe = {flow.own_number, now};
    flow.timed.reset();  // its report may have been lost
    flow.asks = false;
  }
  flow.ack_owed = false;
  flow.announced_there = widen(flow.out.announced(), ack.announced, ack_bits);
  has_told(flow);
}

Endpoint::Outgoing Endpoint::write_ack(Flow& flow, std::span<std::byte> room, Nanoseconds now) {
  Ack ack = next_ack(flow);
  ack.words = static_cast<std::uint8_t>(flow.in.arrived(ack.arrived));
  Header header;
  header.kind = PacketKind::ack;
  header.sender = settings_.self;
  header.channel = flow.key.second;
  header.sequence = static_cast<std::uint32_t>(lower(flow.own_number, sequence_bits));
  header.acknowledged =
      static_cast<std::uint16_t>(lower(flow.in.acknowledged(), acknowledged_bits));
  header.granted = static_cast<std::uint16_t>(lower(flow.in.granted(), acknowledged_bits));
  const auto body = write_header(header, room);
  const std::size_t length = overhead_bytes + quadrille::wire::write_ack(ack, body);
  seal(flow.send_key, flow.own_number, room.first(length));
  ++counters_.acks_sent;
  has_acked(flow, ack, now);
  doze_if_settled(flow);
  return {flow.key.first, length, true};
}

}  // namespace quadrille::wire
