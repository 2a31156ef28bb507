// SPDX-License-Identifier: BSD-3-Clause
// The last bits of a handle say what of; handles rise, as the wire wants them to.
#include "fabric/conversation.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quadrille::fabric {
namespace {

// Receives that are open at a time: as many packets may be granted before this end comes to it.
constexpr std::size_t open_messages = 16;
constexpr std::size_t open_controls = 8;
// Where packets are larger, as on the loopback, memory for them is not.
constexpr std::size_t most_open_bytes = 4096;
// A datagram that tells of memory is this: shorter than any of the wire's.
constexpr std::byte wakes{0xf2};

wire::EndpointSettings endpoint_settings(const ConversationSettings& settings) {
  wire::EndpointSettings made;
  made.self = settings.is_first ? 0 : 1;
  made.peers = 2;
  made.secret = settings.secret;
  made.limits.payload = settings.payload;
  made.limits.unscheduled = settings.unscheduled;
  made.limits.most_unscheduled = open_messages / 2;
  made.eager = rests_channel;
  made.most_eager = settings.most_eager;
  made.paths = settings.paths;
  if (!settings.flow_control) made.window = wire::CreditBudget::unlimited;
  // Grants for bulk are used when its call has come.
  made.outside_budget = control_channel;
  return made;
}

}  // namespace

Conversation::Conversation(const ConversationSettings& settings, wire::CreditBudget& budget,
                           Nanoseconds now)
    : peer_(settings.is_first ? 1 : 0),
      open_bytes_(std::min(settings.payload, most_open_bytes)),
      endpoint_(endpoint_settings(settings), budget),
      claim_(settings.claim) {
  for (std::size_t i = 0; i < open_messages; ++i)
    open(messages_channel, message, messages_, std::vector<std::byte>(open_bytes_), now);
  for (std::size_t i = 0; i < open_controls; ++i)
    open(control_channel, control, controls_, std::vector<std::byte>(largest_control), now);
}

void Conversation::open(wire::Channel channel, Kind kind, OpenReceives& receives,
                        std::vector<std::byte> buffer, Nanoseconds now) {
  receives.buffers.push_back(std::move(buffer));
  endpoint_.receive_up_to(peer_, channel, receives.buffers.back(), handle(kind), now);
}

void Conversation::give_up() {
  for (const wire::Channel channel :
       {messages_channel, control_channel, bulk_channel, rests_channel})
    endpoint_.abandon(channel);
}

void Conversation::depart(wire::Channel channel, std::vector<std::byte> bytes, Nanoseconds now) {
  const wire::Handle handle = this->handle(departing);
  const auto& kept = departing_[handle] = std::move(bytes);
  endpoint_.send(peer_, channel, kept, handle, now);
}

void Conversation::send_message(const Head& head, std::span<const std::byte> payload,
                                Nanoseconds now) {
  std::array<std::byte, largest_head> head_bytes{};
  std::size_t written = write_head(head, payload.size(), head_bytes);
  if (SharedSender* memory = out()) {
    memory->send(RecordKind::message, std::span(head_bytes).first(written), payload);
    return wake_reader();
  }
  // The first of several packets is full, as those of the rest are but the last.
  std::size_t first = payload.size();
  if (written + first > open_bytes_) {
    written = write_head(head, 0, head_bytes);
    first = open_bytes_ - written;
  }
  std::vector<std::byte> bytes;
  bytes.reserve(written + first);
  bytes.assign(head_bytes.begin(), head_bytes.begin() + static_cast<std::ptrdiff_t>(written));
  bytes.insert(bytes.end(), payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(first));
  depart(messages_channel, std::move(bytes), now);
  const auto rest = payload.subspan(first);
  if (!rest.empty()) depart(rests_channel, {rest.begin(), rest.end()}, now);
}

// A long one only where all of it may leave at once: else it might as well stay where it is until
// it is called for.
std::size_t Conversation::most_eager() const {
  return !out_ && endpoint_.has_eager_room(peer_) ? longest_eager : usual_eager;
}

void Conversation::receive_rest(std::span<std::byte> bytes, Nanoseconds now) {
  endpoint_.receive(peer_, rests_channel, bytes, handle(rest), now);
}

void Conversation::send_control(const Control& control, Nanoseconds now) {
  std::vector<std::byte> bytes(largest_control);
  bytes.resize(write_control(control, bytes));
  if (SharedSender* memory = out()) {
    memory->send(RecordKind::control, bytes, {});
    return wake_reader();
  }
  depart(control_channel, std::move(bytes), now);
}

void Conversation::send_bulk(std::span<const std::byte> bytes, Token token, Nanoseconds now) {
  if (SharedSender* memory = out()) {
    memory->send_bulk(bytes, token);
    return wake_reader();
  }
  const wire::Handle handle = this->handle(bulk);
  bulk_[handle] = token;
  endpoint_.send(peer_, bulk_channel, bytes, handle, now);
}

void Conversation::receive_bulk(std::span<std::byte> bytes, Token token, Nanoseconds now) {
  // Its offer has come that way.
  if (in_) return in_->receive_bulk(bytes, token);
  const wire::Handle handle = this->handle(bulk);
  bulk_[handle] = token;
  endpoint_.receive_certain(peer_, bulk_channel, bytes, handle, now);
}

std::optional<wire::Endpoint::Heard> Conversation::on_datagram(std::span<std::byte> datagram,
                                                               Nanoseconds now) {
  if (claim_ && datagram.size() == 1 && datagram.front() == wakes)
    return wire::Endpoint::Heard{.from = peer_};
  uses_wire_ = true;
  return endpoint_.on_datagram(datagram, now);
}

std::optional<wire::Endpoint::Outgoing> Conversation::next_datagram(std::span<std::byte> room,
                                                                    Nanoseconds now,
                                                                    wire::RunLimit limit) {
  if (std::exchange(wakes_, false)) {
    room.front() = wakes;
    return wire::Endpoint::Outgoing{.peer = peer_, .length = 1};
  }
  return endpoint_.next_datagram(room, now, limit);
}

void Conversation::reopen(Nanoseconds now) {
  const auto again = [&](OpenReceives& receives, wire::Channel channel, Kind kind) {
    if (!std::exchange(receives.front_taken, false)) return;
    auto buffer = std::move(receives.buffers.front());
    receives.buffers.pop_front();
    open(channel, kind, receives, std::move(buffer), now);
  };
  again(messages_, messages_channel, message);
  again(controls_, control_channel, control);
}

Conversation::Happened Conversation::opened(OpenReceives& receives, Event event,
                                            std::size_t length) {
  receives.front_taken = true;
  return {.event = event, .bytes = std::span(receives.buffers.front()).first(length)};
}

std::optional<Conversation::Happened> Conversation::next(Nanoseconds now) {
  if (auto happened = from_memory()) return happened;
  reopen(now);
  while (const auto completion = endpoint_.next_completion()) {
    const auto kind = static_cast<Kind>(completion->handle % kinds);
    if (kind == departing) {
      departing_.erase(completion->handle);
      continue;
    }
    if (!completion->matches) return Happened{.event = Event::broken, .bytes = {}};
    if (kind == message) return opened(messages_, Event::message, completion->length);
    if (kind == control) return opened(controls_, Event::control, completion->length);
    if (kind == rest) return Happened{.event = Event::rest_received, .bytes = {}};
    const Token token = bulk_.extract(completion->handle).mapped();
    return Happened{.event = completion->sent ? Event::bulk_sent : Event::bulk_received,
                    .token = token,
                    .bytes = {}};
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Conversation::unanswered() const {
  if (awaits_by_memory()) return probes_;
  const auto awaited = endpoint_.awaited();
  return awaited.empty() ? std::nullopt : std::optional(awaited.front().second);
}

}  // namespace quadrille::fabric
