// SPDX-License-Identifier: BSD-3-Clause
// Packets of long messages leave as runs: packets of one message in a row, which the kernel or the
// interface cuts out of one message of theirs. The endpoint looks at its lists once for all of
// them. To a receiver they are packets like all others.
#include <algorithm>

#include "wire/endpoint.h"
#include "wire/seal/packet_seal.h"

namespace quadrille::wire {
namespace {

// Fewer leave one by one, in turn with those to other receivers: eight packets of Ethernet's usual
// length.
constexpr std::size_t least_run_bytes = std::size_t{8} * 1440;

}  // namespace

std::uint32_t Endpoint::shortest_run() const {
  return std::max(2U, static_cast<std::uint32_t>(least_run_bytes / settings_.limits.payload));
}

std::uint32_t Endpoint::run_held(std::span<std::byte> room, RunLimit limit) const {
  const std::size_t datagram = settings_.limits.payload + overhead_bytes;
  const std::size_t in_time = std::max(limit.bytes / datagram, RunLimit::few);
  return static_cast<std::uint32_t>(
      std::min({limit.datagrams, in_time, std::min(room.size(), most_run_bytes) / datagram}));
}

std::size_t Endpoint::write_run(const Key& key, Header header, Sequence acknowledged,
                                const SendFlow::Run& run, std::span<std::byte> room) const {
  const std::size_t payload = settings_.limits.payload;
  std::size_t length = 0;
  for (std::uint32_t index = 0; index < run.packets; ++index) {
    const auto rest = run.payload.subspan(index * payload);
    header.last = run.last && index + 1 == run.packets;
    header.sequence = static_cast<std::uint32_t>(lower(run.first + index, sequence_bits));
    header.place = static_cast<std::uint32_t>(lower(run.place + index, place_bits));
    length += seal(key, header, {.number = run.first + index, .acknowledged = acknowledged},
                   rest.first(std::min(payload, rest.size())), room.subspan(length));
  }
  return length;
}

std::optional<Endpoint::Outgoing> Endpoint::next_run(Flow& flow, std::span<std::byte> room,
                                                     RunLimit limit, Nanoseconds now) {
  if (peers_with_receive_loss_.contains(flow.key.first)) return std::nullopt;  // see PeerStreams
  const auto run = flow.by_stream ? flow.out.next_run(2, run_held(room, {.datagrams = longest_run}))
                                  : flow.out.next_run(shortest_run(), run_held(room, limit));
  if (!run) return std::nullopt;
  has_told(flow);
  flow.turn = ++turns_;
  const PacketKind kind = run->repeated ? PacketKind::repeated_data : PacketKind::data;
  const std::size_t length =
      write_run(flow.send_key, reporting_header(kind, flow), flow.in.acknowledged(), *run, room);
  ++counters_.runs_sent;
  count_sent(flow, {run->packets, run->payload.size(), run->repeated, run->repeated});
  note_sent(flow, run->first, run->repeated, now);
  if (flow.by_stream) counters_.stream_sent += run->packets;
  return Outgoing{.peer = flow.key.first,
                  .length = length,
                  .datagram = settings_.limits.payload + overhead_bytes,
                  .by_stream = flow.by_stream,
                  .path = run->path};
}

std::optional<Endpoint::Outgoing> Endpoint::next_run_to_group(const SendGroup& group,
                                                              std::span<std::byte> room,
                                                              RunLimit limit, Nanoseconds now) {
  const std::uint32_t packets = group.run_length(run_held(room, limit));
  if (packets < shortest_run()) return std::nullopt;
  SendFlow::Run run;
  for (Flow* flow : group.flows()) {
    run = flow->out.new_run(packets);
    flow->turn = ++turns_;
  }
  Flow& first = *group.flows().front();
  const Header header = header_of(PacketKind::group_data, first.key.second);
  const std::size_t length = write_run(group.key(), header, 0, run, room);
  ++counters_.runs_sent;
  counters_.group_sent += packets;
  count_sent(first, {.packets = packets, .bytes = run.payload.size()});
  if (run.last) complete_if_kept(run.handle);
  for (Flow* flow : group.flows()) note_sent(*flow, run.first, false, now);
  return Outgoing{to_group, length, false, settings_.limits.payload + overhead_bytes};
}

}  // namespace quadrille::wire
