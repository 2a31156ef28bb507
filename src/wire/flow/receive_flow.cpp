// SPDX-License-Identifier: BSD-3-Clause
// A packet's number says in which message it belongs; its place and mark of the last one are
// checked against it, so that ends that disagree about a length find out.
#include "wire/flow/receive_flow.h"

#include <algorithm>

#include "base/copy_bytes.h"

namespace quadrille::wire {

void ReceiveFlow::expect(std::span<std::byte> buffer, Handle handle) { add(buffer, handle, false); }

void ReceiveFlow::expect_up_to(std::span<std::byte> buffer, Handle handle) {
  add(buffer, handle, true);
}

void ReceiveFlow::add(std::span<std::byte> buffer, Handle handle, bool open) {
  const Sequence first = expected_end_;
  expected_end_ += open ? 1 : packets_of(buffer.size(), limits_.payload);
  messages_.push_back({.first = first,
                       .end = expected_end_,
                       .buffer = buffer,
                       .handle = handle,
                       .open = open,
                       .length = buffer.size()});
  if (open) ++open_;
  while (!early_.empty() && early_.begin()->first < expected_end_) {
    const auto& [sequence, early] = *early_.begin();
    early_bytes_ -= early.payload.size();
    place({sequence, early.place, early.last, early.payload});
    granted_ = std::max(granted_, sequence + 1);
    early_.erase(early_.begin());
  }
  complete_arrived();
}

ReceiveFlow::Arrival ReceiveFlow::on_packet(const Packet& packet) {
  if (is_here(packet.sequence)) return Arrival::duplicate;
  if (packet.sequence >= acknowledged_ + limits_.most_open) return Arrival::refused;
  on_announcement(packet.sequence + 1);
  if (packet.sequence >= expected_end_) {
    if (!keep_early(packet)) return Arrival::refused;
  } else {
    place(packet);
    granted_ = std::max(granted_, packet.sequence + 1);
  }
  mark(packet.sequence);
  granted_ = std::max(granted_, acknowledged_);
  complete_arrived();
  return Arrival::fresh;
}

bool ReceiveFlow::keep_early(const Packet& packet) {
  const std::size_t most =
      std::max(limits_.most_unscheduled * (limits_.eager ? eager_growth : 1), limits_.group_ahead);
  if (early_bytes_ + packet.payload.size() > most_early_bytes_ || early_.size() >= most)
    return false;
  early_[packet.sequence] = {
      packet.place, packet.last, {packet.payload.begin(), packet.payload.end()}};
  early_bytes_ += packet.payload.size();
  return true;
}

void ReceiveFlow::mark(Sequence sequence) {
  if (sequence != acknowledged_) {
    here_.add(sequence);
    ++arrived_beyond_;
    return;
  }
  ++acknowledged_;
  if (arrived_beyond_ == 0) return;
  const Sequence end = here_.take_row(acknowledged_);
  arrived_beyond_ -= end - acknowledged_;
  acknowledged_ = end;
}

bool ReceiveFlow::is_its_place(Sequence index, const Packet& packet, bool last) {
  return lower(packet.place, place_bits) == lower(index, place_bits) && packet.last == last;
}

bool ReceiveFlow::fits(const Message& message, Sequence index, const Packet& packet,
                       std::size_t payload) {
  if (message.open) return packet.payload.size() <= message.buffer.size();
  return packet.payload.size() == std::min(payload, message.buffer.size() - index * payload);
}

const ReceiveFlow::Message* ReceiveFlow::message_of(Sequence sequence) const {
  const auto found =
      std::ranges::find_if(messages_, [&](const Message& m) { return sequence < m.end; });
  return found == messages_.end() || sequence < found->first ? nullptr : &*found;
}

std::byte* ReceiveFlow::room_for(const Packet& packet) const {
  if (packet.sequence >= expected_end_ || is_here(packet.sequence)) return nullptr;
  const Message* message = message_of(packet.sequence);
  if (message == nullptr || !message->matches) return nullptr;
  const Sequence index = packet.sequence - message->first;
  const bool is_its = is_its_place(index, packet, packet.sequence + 1 == message->end) &&
                      fits(*message, index, packet, limits_.payload);
  return is_its ? message->buffer.data() + index * limits_.payload : nullptr;
}

void ReceiveFlow::place(const Packet& packet) {
  Message* const message = message_of(packet.sequence);
  if (message == nullptr) return;
  const Sequence index = packet.sequence - message->first;
  const std::size_t offset = index * limits_.payload;
  const bool last = packet.sequence + 1 == message->end;
  const bool in_step = is_its_place(index, packet, last);
  if (!in_step || !fits(*message, index, packet, limits_.payload)) {
    // One of several packets may be the first piece of more than is expected here.
    out_of_step_ = out_of_step_ || !in_step || message->end > message->first + 1;
    message->matches = false;
    return;
  }
  if (message->open) message->length = packet.payload.size();
  const auto room = message->buffer.subspan(offset);
  if (packet.payload.data() != room.data()) copy_bytes(packet.payload, room);
}

void ReceiveFlow::complete_arrived() {
  while (!messages_.empty() &&
         (messages_.front().end <= acknowledged_ || !messages_.front().matches)) {
    const Message& done = messages_.front();
    completed_.push_back({done.handle, done.matches, done.length});
    if (done.open) --open_;
    messages_.pop_front();
  }
}

void ReceiveFlow::fail() {
  for (Message& message : messages_) message.matches = false;
  complete_arrived();
  early_.clear();
  early_bytes_ = 0;
  here_.clear();
  arrived_beyond_ = 0;
  acknowledged_ = announced_ = granted_ = std::max({expected_end_, granted_, announced_});
  expected_end_ = acknowledged_;
}

void ReceiveFlow::on_announcement(Sequence end) { announced_ = std::max(announced_, end); }

std::uint64_t ReceiveFlow::wanted() const {
  if (messages_.empty()) return 0;
  const Sequence end = std::min(
      {std::max(announced_, counted_on_), expected_end_, acknowledged_ + limits_.most_open});
  return end > granted_ ? end - granted_ : 0;
}

std::uint64_t ReceiveFlow::outstanding() const {
  // What was kept early is behind all that was granted.
  return granted_ == acknowledged_ ? 0
                                   : granted_ - acknowledged_ - (arrived_beyond_ - early_.size());
}

std::size_t ReceiveFlow::arrived(std::span<std::uint64_t> words) const {
  std::ranges::fill(words, 0);
  if (!has_gap()) return 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < std::min(words.size(), ArrivalBits::window / 64); ++i) {
    words[i] = here_.from(acknowledged_ + 1 + 64 * i);
    if (words[i] != 0) used = i + 1;
  }
  return used;
}

std::optional<ReceiveFlow::Completed> ReceiveFlow::next_completed() {
  if (completed_.empty()) return std::nullopt;
  const Completed completed = completed_.front();
  completed_.pop_front();
  return completed;
}

}  // namespace quadrille::wire
