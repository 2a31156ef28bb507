// SPDX-License-Identifier: BSD-3-Clause
// The packets that an endpoint writes for one other, and which of those that it is sent are
// authentic.
#include <algorithm>
#include <utility>

#include "wire/endpoint.h"
#include "wire/seal/packet_seal.h"

namespace quadrille::wire {

bool Endpoint::open(Parsed& parsed, const Flow* flow, std::uint64_t number,
                    std::span<std::byte> datagram) const {
  const Header& header = parsed.header;
  const bool is_ack = header.kind == PacketKind::ack;
  WholeNumbers numbers{.number = number};
  if (!is_ack && !header.is_to_group()) {
    const Sequence sent = flow == nullptr ? 0 : flow->out.acknowledged();
    numbers.acknowledged = widen(sent, header.acknowledged, acknowledged_bits);
  }
  std::byte* to = nullptr;
  if (flow != nullptr && !is_ack)
    to = flow->in.room_for({number, header.place, header.last, parsed.body});
  if (to == nullptr) to = datagram.data() + header_bytes;
  parsed.body = {to, parsed.body.size()};
  if (header.is_to_group()) return unseal(*flow->group_key, header, numbers, datagram, to);
  if (flow != nullptr) return unseal(flow->receive_key, header, numbers, datagram, to);
  const Key key = key_between(settings_.secret, header.sender, settings_.self);
  return unseal(key, header, numbers, datagram, to);
}

Header Endpoint::header_of(PacketKind kind, Channel channel) const {
  Header header;
  header.kind = kind;
  header.sender = settings_.self;
  header.channel = channel;
  return header;
}

Header Endpoint::reporting_header(PacketKind kind, const Flow& flow) const {
  Header header = header_of(kind, flow.key.second);
  header.acknowledged =
      static_cast<std::uint16_t>(lower(flow.in.acknowledged(), acknowledged_bits));
  header.granted = static_cast<std::uint16_t>(lower(flow.in.granted(), acknowledged_bits));
  return header;
}

Endpoint::Outgoing Endpoint::write_data(Flow& flow, std::span<std::byte> room, Nanoseconds now) {
  const SendFlow::Packet packet = flow.out.next();
  has_told(flow);
  flow.turn = ++turns_;
  Header header =
      reporting_header(packet.repeated ? PacketKind::repeated_data : PacketKind::data, flow);
  header.last = packet.last;
  header.sequence = static_cast<std::uint32_t>(lower(packet.sequence, sequence_bits));
  header.place = packet.place;
  const std::size_t length = seal(
      flow.send_key, header, {.number = packet.sequence, .acknowledged = flow.in.acknowledged()},
      packet.payload, room);
  count_sent(flow, {1, packet.payload.size(), packet.repeated, packet.again});
  note_sent(flow, packet.sequence, packet.repeated, now);
  if (flow.by_stream) ++counters_.stream_sent;
  return {
      .peer = flow.key.first, .length = length, .by_stream = flow.by_stream, .path = packet.path};
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

Endpoint::Outgoing Endpoint::write_ack(Flow& flow, std::span<std::byte> room, Nanoseconds now) {
  Ack ack = next_ack(flow);
  ack.words = static_cast<std::uint8_t>(flow.in.arrived(ack.arrived));
  Header header = reporting_header(PacketKind::ack, flow);
  header.sequence = static_cast<std::uint32_t>(lower(flow.own_number, sequence_bits));
  const auto body = room.subspan(header_bytes);
  const std::size_t written = quadrille::wire::write_ack(ack, body);
  const std::size_t length =
      seal(flow.send_key, header, {.number = flow.own_number}, body.first(written), room);
  ++counters_.acks_sent;
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
  doze_if_settled(flow);
  return {flow.key.first, length, true};
}

}  // namespace quadrille::wire
