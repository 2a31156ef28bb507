// SPDX-License-Identifier: BSD-3-Clause
// Packets of long messages leave, and are taken, as runs: one tag, one report and one look at the
// endpoint's lists for all of them.
#include <algorithm>
#include <array>

#include "base/big_endian.h"
#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

// Fewer are not worth a trailer.
constexpr std::uint32_t shortest_run = 8;
constexpr std::size_t most_run_bytes = longest_message - ip_udp_bytes;

// What the tag is over: where the run belongs, its ACK, and its payloads.
class TaggedParts {
 public:
  TaggedParts(Sequence first, std::uint32_t place, std::size_t packets, bool last,
              std::span<const std::byte> ack) {
    const auto bytes = std::span(where_);
    put_big_endian(bytes.subspan(0, 8), first);
    put_big_endian(bytes.subspan(8, 4), place);
    put_big_endian(bytes.subspan(12, 2), packets);
    put_big_endian(bytes.subspan(14, 1), last ? 1 : 0);
    add(where_);
    add(ack);
  }
  TaggedParts(const TaggedParts&) = delete;
  TaggedParts& operator=(const TaggedParts&) = delete;
  void add(std::span<const std::byte> part) { parts_[count_++] = part; }
  std::span<const std::span<const std::byte>> all() const { return {parts_.data(), count_}; }

 private:
  std::array<std::byte, 15> where_{};
  std::array<std::span<const std::byte>, longest_run + 2> parts_{};
  std::size_t count_ = 0;
};

}  // namespace

Endpoint::RunSeals& Endpoint::run_seals(EndpointId peer) {
  const auto found = run_seals_.find(peer);
  if (found != run_seals_.end()) return found->second;
  const auto key = [&](EndpointId from, EndpointId to) {
    return RunSeal(run_key_between(settings_.secret, from, to));
  };
  return run_seals_
      .try_emplace(peer, RunSeals{key(settings_.self, peer), key(peer, settings_.self)})
      .first->second;
}

std::optional<Endpoint::Outgoing> Endpoint::next_run(Flow& flow, std::span<std::byte> room,
                                                     std::size_t most, Nanoseconds now) {
  const std::size_t datagram = settings_.limits.payload + overhead_bytes;
  // Its end may be a datagram of its own.
  const std::size_t held = std::min(most, std::min(room.size(), most_run_bytes) / datagram);
  if (held <= shortest_run || flow.group != nullptr) return std::nullopt;
  if (peers_with_receive_loss_.contains(flow.key.first)) return std::nullopt;  // see TcpFallback
  const auto run =
      flow.out.next_run(shortest_run, static_cast<std::uint32_t>(std::min(held - 1, longest_run)));
  if (!run) return std::nullopt;
  return write_run(flow, *run, room, now);
}

Endpoint::Outgoing Endpoint::write_run(Flow& flow, const SendFlow::Run& run,
                                       std::span<std::byte> room, Nanoseconds now) {
  const std::size_t payload = settings_.limits.payload;
  const Ack ack = next_ack(flow);
  Header header;
  header.kind = PacketKind::run_data;
  header.sender = settings_.self;
  header.channel = flow.key.second;
  header.repeated = run.repeated;
  header.run = static_cast<std::uint32_t>(lower(flow.own_number, sequence_bits));
  std::array<std::byte, ack_body_bytes> ack_body{};
  quadrille::wire::write_ack(ack, ack_body);
  TaggedParts parts(run.first, run.place, run.packets, run.last, ack_body);
  std::size_t length = 0;
  const auto begin = [&](std::uint32_t index) {
    header.index = static_cast<std::uint8_t>(index);
    header.sequence = static_cast<std::uint32_t>(lower(run.first + index, sequence_bits));
    header.place = static_cast<std::uint32_t>(lower(run.place + index, place_bits));
    return write_header(header, room.subspan(length));
  };
  const auto end = [&](std::uint32_t index, std::size_t body) {
    seal_header(flow.send_key, run.first + index,
                room.subspan(length, header_bytes + body + tag_bytes));
    length += header_bytes + body + tag_bytes;
  };
  const auto put = [&](std::span<std::byte> body, std::uint32_t index) {
    const auto piece = run.payload.subspan(index * payload)
                           .first(std::min(payload, run.payload.size() - index * payload));
    std::copy_n(piece.data(), piece.size(), body.data());
    parts.add(body.first(piece.size()));
    return piece.size();
  };
  const std::size_t of_last = run.payload.size() - (run.packets - 1) * payload;
  const bool fits_last = of_last + run_trailer_bytes <= payload;
  const std::uint32_t before = fits_last ? run.packets - 1 : run.packets;
  for (std::uint32_t index = 0; index < before; ++index) end(index, put(begin(index), index));
  header.kind = PacketKind::run_end;
  header.last = run.last;
  const auto body = begin(before);
  std::size_t used = fits_last ? put(body, before) : 0;
  std::ranges::copy(ack_body, body.subspan(used).begin());
  used += ack_body.size();
  const RunTag tag =
      run_seals(flow.key.first).sent.tag(flow.key.second, flow.own_number, parts.all());
  std::ranges::copy(tag, body.subspan(used).begin());
  end(before, used + tag.size());

  count_sent(flow, run.packets, run.payload.size(), run.repeated);
  ++counters_.runs_sent;
  flow.sent_since_arrival = true;
  flow.turn = ++turns_;
  has_acked(flow, ack, now);
  note_sent(flow, run.first, run.repeated, now);
  return {flow.key.first, length, false, payload + overhead_bytes};
}

void Endpoint::on_run_packet(Flow& flow, const Parsed& parsed, Sequence sequence, Nanoseconds now) {
  // An ACK may have overtaken it. One that was here already brings only packets that are, too.
  const std::uint64_t number = widen(flow.heard_number, parsed.header.run, sequence_bits);
  if (flow.run && number < flow.run->number()) return;
  if (!flow.run) flow.run = std::make_unique<RunAssembly>(settings_.limits.payload);
  RunAssembly& run = *flow.run;
  if (run.number() != number) run.begin(number);
  if (borrowing_.empty() || borrowing_.back() != &flow) borrowing_.push_back(&flow);
  run.add(parsed, sequence);
  if (!run.is_whole()) return;
  const auto payloads = run.payloads();
  TaggedParts parts(run.first(), run.place(), payloads.size(), run.ends_message(), run.ack());
  for (const auto payload : payloads) parts.add(payload);
  RunTag claimed{};
  std::ranges::copy(run.tag(), claimed.begin());
  if (run_seals(flow.key.first).received.is_tag(claimed, flow.key.second, number, parts.all())) {
    on_run(flow, run, now);
  } else {
    ++counters_.forged;
  }
  run.begin(0);
}

void Endpoint::on_run(Flow& flow, const RunAssembly& run, Nanoseconds now) {
  const auto payloads = run.payloads();
  std::uint32_t fresh = 0;
  std::size_t bytes = 0;
  for (std::size_t index = 0; index < payloads.size(); ++index) {
    const auto arrival = flow.in.on_packet(
        {.sequence = run.first() + index,
         .place = static_cast<std::uint32_t>(lower(run.place() + index, place_bits)),
         .last = run.ends_message() && index + 1 == payloads.size(),
         .payload = payloads[index]});
    if (arrival == ReceiveFlow::Arrival::refused) ++counters_.refused;
    if (arrival == ReceiveFlow::Arrival::duplicate) ++counters_.duplicates;
    if (arrival != ReceiveFlow::Arrival::fresh) continue;
    ++fresh;
    bytes += payloads[index].size() + packet_framing_bytes;
    counters_.bytes_received += payloads[index].size();
  }
  on_ack(flow, run.ack(), run.number(), now);
  if (fresh == 0) return;
  flow.news(Side::in, now);
  counters_.data_received += fresh;
  budget_.arrived(fresh);
  if (run.repeats()) {
    counters_.losses += fresh;
    budget_.lost(now);
  }
  flow.untold_bytes += bytes;
  flow.sent_since_arrival = false;
  note_arrived(flow, run.ends_message(), false, now);
}

void Endpoint::keep_borrowed() {
  for (Flow* flow : borrowing_) flow->run->keep();
  borrowing_.clear();
}

}  // namespace quadrille::wire
