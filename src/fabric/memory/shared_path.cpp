// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory/shared_path.h"

#include <algorithm>

#include "base/copy_bytes.h"
#include "fabric/message_format.h"

namespace quadrille::fabric {
namespace {

static_assert(SharedSender::most_payload + largest_head <= largest_record(Inbox::ring_bytes));
static_assert(largest_control <= largest_record(Inbox::ring_bytes));

}  // namespace

void SharedSender::send(RecordKind kind, std::span<const std::byte> head,
                        std::span<const std::byte> payload) {
  if (waiting_.empty() && write(kind, head, payload)) return;
  std::vector<std::byte> record(head.begin(), head.end());
  record.insert(record.end(), payload.begin(), payload.end());
  waiting_.push_back({.kind = kind, .record = std::move(record), .bytes = {}});
  write_on();
}

void SharedSender::send_bulk(std::span<const std::byte> bytes, Token token) {
  waiting_.push_back({.kind = RecordKind::bulk, .record = {}, .bytes = bytes, .token = token});
  write_on();
}

bool SharedSender::write(RecordKind kind, std::span<const std::byte> head,
                         std::span<const std::byte> payload) {
  const auto room = ring_.writer().room(head.size() + payload.size());
  if (room.empty()) return false;
  copy_bytes(payload, copy_bytes(head, room));
  ring_.writer().publish(static_cast<std::uint32_t>(kind));
  return true;
}

bool SharedSender::write_some(Unwritten& first) {
  if (first.kind != RecordKind::bulk) return write(first.kind, first.record, {});
  const auto piece = first.bytes.first(std::min(first.bytes.size(), most_payload));
  if (!write(first.kind, piece, {})) return false;
  first.bytes = first.bytes.subspan(piece.size());
  return true;
}

bool SharedSender::write_on() {
  bool wrote = false;
  bool has_asked = false;
  while (!waiting_.empty()) {
    Unwritten& first = waiting_.front();
    if (write_some(first)) {
      wrote = true;
      if (first.kind == RecordKind::bulk && !first.bytes.empty()) continue;
      if (first.kind == RecordKind::bulk) sent_.push_back(first.token);
      waiting_.pop_front();
    } else if (!std::exchange(has_asked, true)) {
      // Room that is made from here on is told; that which was made before is seen now.
      ring_.writer().wait_for_room();
    } else {
      break;
    }
  }
  return wrote;
}

std::optional<Token> SharedSender::take_sent() {
  if (sent_.empty()) return std::nullopt;
  const Token token = sent_.front();
  sent_.pop_front();
  return token;
}

bool SharedSender::is_to_be_told() {
  if (!ring_.reader_is_asleep()) return false;
  const std::uint64_t read = ring_.writer().read();
  if (read == ring_.writer().written() || told_at_ == read) return false;
  told_at_ = read;
  return true;
}

std::optional<SharedReceiver::Arrived> SharedReceiver::next() {
  if (std::exchange(front_taken_, false)) ring_.release();
  while (const auto record = ring_.front()) {
    ++taken_;
    const auto kind = static_cast<RecordKind>(record->kind);
    if (kind == RecordKind::message || kind == RecordKind::control) {
      front_taken_ = true;
      return Arrived{.kind = kind, .bytes = record->bytes};
    }
    if (kind != RecordKind::bulk || open_.empty() ||
        record->bytes.size() > open_.front().left.size()) {
      is_broken_ = true;
      return std::nullopt;
    }
    Open& open = open_.front();
    copy_bytes(record->bytes, open.left);
    open.left = open.left.subspan(record->bytes.size());
    ring_.release();
    if (!open.left.empty()) continue;
    const Arrived arrived{.kind = kind, .bytes = {}, .token = open.token};
    open_.pop_front();
    return arrived;
  }
  return std::nullopt;
}

}  // namespace quadrille::fabric
