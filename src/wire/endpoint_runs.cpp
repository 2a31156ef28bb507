// SPDX-License-Identifier: BSD-3-Clause
// Packets of long messages leave, and are taken, as runs: one tag, one report and one look at the
// endpoint's lists for all of them.
#include <algorithm>
#include <array>

#include "base/big_endian.h"
#include "base/copy_bytes.h"
#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

// Each takes 0.7 kB; groups come and go.
constexpr std::size_t most_seals = 4096;

// Less is not worth a trailer: eight packets of Ethernet's usual length.
constexpr std::size_t least_run_bytes = std::size_t{8} * 1448;
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

// The datagrams of a run, one behind the other.
class RunWriter {
 public:
  // `header`: what is the same in all packets. `payload`: bytes of a full packet.
  RunWriter(const Header& header, const Key& key, const SendFlow::Run& run, std::size_t payload,
            std::span<std::byte> room)
      : header_(header), key_(key), run_(run), payload_(payload), room_(room) {}

  // Returns their bytes. `ack`: its body; of a run to a group: empty.
  std::size_t write(RunSeal& seal, std::uint64_t number, std::span<const std::byte> ack) {
    TaggedParts parts(run_.first, run_.place, run_.packets, run_.last, ack);
    const std::size_t of_last = run_.payload.size() - (run_.packets - 1) * payload_;
    const bool fits_last = of_last + ack.size() + run_tag_bytes <= payload_;
    const std::uint32_t before = fits_last ? run_.packets - 1 : run_.packets;
    for (std::uint32_t index = 0; index < before; ++index)
      end(index, put(begin(index), index, parts));
    header_.kind = PacketKind::run_end;
    header_.last = run_.last;
    const auto body = begin(before);
    std::size_t used = fits_last ? put(body, before, parts) : 0;
    std::ranges::copy(ack, body.subspan(used).begin());
    used += ack.size();
    std::ranges::copy(seal.tag(header_.channel, number, parts.all()), body.subspan(used).begin());
    end(before, used + run_tag_bytes);
    return length_;
  }

 private:
  std::span<std::byte> begin(std::uint32_t index) {
    header_.index = static_cast<std::uint8_t>(index);
    header_.sequence = static_cast<std::uint32_t>(lower(run_.first + index, sequence_bits));
    header_.place = static_cast<std::uint32_t>(lower(run_.place + index, place_bits));
    return write_header(header_, room_.subspan(length_));
  }
  std::size_t put(std::span<std::byte> body, std::uint32_t index, TaggedParts& parts) const {
    const auto rest = run_.payload.subspan(index * payload_);
    const auto piece = rest.first(std::min(payload_, rest.size()));
    copy_bytes(piece, body);
    parts.add(body.first(piece.size()));
    return piece.size();
  }
  void end(std::uint32_t index, std::size_t body) {
    const std::size_t bytes = overhead_bytes + body;
    seal_header(key_, run_.first + index, room_.subspan(length_, bytes));
    length_ += bytes;
  }

  Header header_;
  const Key& key_;
  const SendFlow::Run& run_;
  std::size_t payload_;
  std::span<std::byte> room_;
  std::size_t length_ = 0;
};

// Of a run to a group, under which its tag is: there is no other one from the same packet on, as
// what goes again to several goes as single packets.
std::uint64_t number_to_group(Sequence first) { return first + 1; }

}  // namespace

RunSeal& Endpoint::run_seal(const Key& key) {
  const auto found = run_seals_.find(key);
  if (found != run_seals_.end()) return found->second;
  if (run_seals_.size() >= most_seals) run_seals_.clear();
  return run_seals_.try_emplace(key, run_key(settings_.secret, key)).first->second;
}

std::uint32_t Endpoint::shortest_run() const {
  return std::max(2U, static_cast<std::uint32_t>(least_run_bytes / settings_.limits.payload));
}

std::uint32_t Endpoint::run_held(std::span<std::byte> room, std::size_t most) const {
  const std::size_t datagram = settings_.limits.payload + overhead_bytes;
  // Its end may be a datagram of its own.
  const std::size_t held = std::min(most, std::min(room.size(), most_run_bytes) / datagram);
  return held <= shortest_run() ? 0 : static_cast<std::uint32_t>(std::min(held - 1, longest_run));
}

std::optional<Endpoint::Outgoing> Endpoint::next_run(Flow& flow, std::span<std::byte> room,
                                                     std::size_t most, Nanoseconds now) {
  const std::uint32_t held = run_held(room, most);
  if (held == 0) return std::nullopt;
  if (peers_with_receive_loss_.contains(flow.key.first)) return std::nullopt;  // see TcpFallback
  const auto run = flow.out.next_run(shortest_run(), held);
  if (!run) return std::nullopt;

  const Ack ack = next_ack(flow);
  std::array<std::byte, ack_body_bytes> ack_body{};
  quadrille::wire::write_ack(ack, ack_body);
  Header header;
  header.kind = PacketKind::run_data;
  header.sender = settings_.self;
  header.channel = flow.key.second;
  header.repeated = run->repeated;
  header.run = static_cast<std::uint32_t>(lower(flow.own_number, sequence_bits));
  const std::size_t length = RunWriter(header, flow.send_key, *run, settings_.limits.payload, room)
                                 .write(run_seal(flow.send_key), flow.own_number, ack_body);

  count_sent(flow, {run->packets, run->payload.size(), run->repeated, run->repeated});
  ++counters_.runs_sent;
  flow.sent_since_arrival = true;
  flow.turn = ++turns_;
  has_acked(flow, ack, now);
  note_sent(flow, run->first, run->repeated, now);
  return Outgoing{flow.key.first, length, false, settings_.limits.payload + overhead_bytes};
}

std::optional<Endpoint::Outgoing> Endpoint::next_run_to_group(const SendGroup& group,
                                                              std::span<std::byte> room,
                                                              std::size_t most, Nanoseconds now) {
  const std::uint32_t packets = group.run_length(run_held(room, most));
  if (packets < shortest_run()) return std::nullopt;
  SendFlow::Run run;
  for (Flow* flow : group.flows()) {
    run = flow->out.new_run(packets);
    flow->turn = ++turns_;
  }
  Flow& first = *group.flows().front();
  Header header;
  header.kind = PacketKind::run_data;
  header.sender = settings_.self;
  header.channel = first.key.second;
  header.run_to_group = true;
  const std::size_t length = RunWriter(header, group.key(), run, settings_.limits.payload, room)
                                 .write(run_seal(group.key()), number_to_group(run.first), {});

  count_sent(first, {.packets = packets, .bytes = run.payload.size()});
  counters_.group_sent += packets;
  ++counters_.runs_sent;
  if (run.last) complete_if_kept(run.handle);
  for (Flow* flow : group.flows()) note_sent(*flow, run.first, false, now);
  return Outgoing{to_group, length, false, settings_.limits.payload + overhead_bytes};
}

void Endpoint::on_run_packet(Flow& flow, const Parsed& parsed, Sequence sequence, Nanoseconds now) {
  const bool to_group = parsed.header.run_to_group;
  auto& newest = to_group ? flow.group_run : flow.run;
  if (sequence < parsed.header.index) return;
  const std::uint64_t number = to_group
                                   ? number_to_group(sequence - parsed.header.index)
                                   : widen(flow.heard_number, parsed.header.run, sequence_bits);
  // An ACK may have overtaken it. One that was here already brings only packets that are, too.
  if (newest && number < newest->number()) return;
  if (!newest) newest = std::make_unique<RunAssembly>(settings_.limits.payload);
  RunAssembly& run = *newest;
  if (run.number() != number) run.begin(number);
  if (borrowing_.empty() || borrowing_.back() != &run) borrowing_.push_back(&run);
  run.add(parsed, sequence);
  if (!run.is_whole()) return;
  const auto payloads = run.payloads();
  TaggedParts parts(run.first(), run.place(), payloads.size(), run.ends_message(), run.ack());
  for (const auto payload : payloads) parts.add(payload);
  RunTag claimed{};
  std::ranges::copy(run.tag(), claimed.begin());
  RunSeal& seal = run_seal(to_group ? *flow.group_key : flow.receive_key);
  if (seal.is_tag(claimed, flow.key.second, number, parts.all())) {
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
  const bool to_group = run.ack().empty();
  if (!to_group) on_ack(flow, run.ack(), run.number(), now);
  if (fresh == 0) return;
  if (to_group) {
    heard(flow, now);
    counters_.group_received += fresh;
  }
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
  for (RunAssembly* run : borrowing_) run->keep();
  borrowing_.clear();
}

}  // namespace quadrille::wire
