// SPDX-License-Identifier: BSD-3-Clause
// The part of a conversation that goes by memory of the host.
#include <utility>

#include "fabric/conversation.h"

namespace quadrille::fabric {

SharedSender* Conversation::out() {
  if (out_) return &*out_;
  if (!claim_ || uses_wire_) return nullptr;
  if (auto ring = claim_()) {
    out_.emplace(std::move(*ring));
    return &*out_;
  }
  uses_wire_ = true;
  return nullptr;
}

void Conversation::wake_reader() {
  ++records_;
  wakes_ |= out_->is_to_be_told();
}

void Conversation::wake_writer() {
  if (!in_->writer_waits() || (out_ && !out_->reader_is_asleep())) return;
  in_->told_writer();
  wakes_ = true;
}

bool Conversation::look_at_memory() {
  bool moved = in_ && in_->look();
  if (out_ && out_->has_unwritten() && out_->write_on()) {
    moved = true;
    wake_reader();
  }
  // What was sent later may have written the end of what waited for room.
  return moved || (out_ && out_->has_sent());
}

bool Conversation::probe_memory() {
  const std::uint64_t moved = (out_ ? out_->read() : 0) + (in_ ? in_->taken() : 0);
  const bool has_moved = std::exchange(moved_, moved) != moved;
  probes_ = has_moved ? 0 : probes_ + 1;
  wakes_ |= !has_moved;
  return has_moved;
}

bool Conversation::was_read() {
  was_read_ = was_read_ || (out_ && out_->read() > 0);
  return was_read_;
}

std::optional<Conversation::Happened> Conversation::from_memory() {
  if (out_) {
    if (const auto token = out_->take_sent())
      return Happened{.event = Event::bulk_sent, .token = *token, .bytes = {}};
  }
  if (!in_) return std::nullopt;
  const auto arrived = in_->next();
  if (!arrived) {
    if (in_->is_broken()) return Happened{.event = Event::broken, .bytes = {}};
    wake_writer();
    return std::nullopt;
  }
  ++records_;
  switch (arrived->kind) {
    case RecordKind::message:
      return Happened{.event = Event::message, .bytes = arrived->bytes};
    case RecordKind::control:
      return Happened{.event = Event::control, .bytes = arrived->bytes};
    case RecordKind::bulk:
      break;
  }
  return Happened{.event = Event::bulk_received, .token = arrived->token, .bytes = {}};
}

}  // namespace quadrille::fabric
