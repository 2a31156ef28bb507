// SPDX-License-Identifier: BSD-3-Clause
// Both directions between two endpoints of one host, each by a ring in the inbox of who receives.
// Nothing is lost there, so nothing is acknowledged or authenticated; who sleeps is told by a
// datagram that there is something. Control, messages and bulk come in the order of sending.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/matching.h"
#include "fabric/memory/inbox.h"
#include "fabric/memory/shared_ring.h"

namespace quadrille::fabric {

enum class RecordKind : std::uint32_t { message, control, bulk };

class SharedSender {
 public:
  // The rest of a record is its head.
  static constexpr std::size_t most_payload = std::size_t{16} * 1024;

  explicit SharedSender(ClaimedRing ring) : ring_(std::move(ring)) {}

  // Both are copied. REQUIRES: together no more than a record, and not empty.
  void send(RecordKind kind, std::span<const std::byte> head, std::span<const std::byte> payload);
  // `bytes` live until take_sent() has returned `token`. REQUIRES: not empty.
  void send_bulk(std::span<const std::byte> bytes, Token token);
  // Writes what there is room for by now; returns whether that was something.
  bool write_on();
  // Bulk that is written, one by one.
  std::optional<Token> take_sent();

  // Everything has been read.
  bool is_read() const {
    return waiting_.empty() && ring_.writer().read() == ring_.writer().written();
  }
  bool has_unwritten() const { return !waiting_.empty(); }
  bool has_sent() const { return !sent_.empty(); }
  // Bytes since the start.
  std::uint64_t read() const { return ring_.writer().read(); }
  // The reader sleeps, something is there for it, and it has not been told. Asked once.
  bool is_to_be_told();
  bool reader_is_asleep() const { return ring_.reader_is_asleep(); }

 private:
  struct Unwritten {
    RecordKind kind{};
    std::vector<std::byte> record;     // empty: bulk
    std::span<const std::byte> bytes;  // of bulk, what is left
    Token token = 0;
  };
  bool write(RecordKind kind, std::span<const std::byte> head, std::span<const std::byte> payload);
  bool write_some(Unwritten& first);

  ClaimedRing ring_;
  std::deque<Unwritten> waiting_;  // for room
  std::deque<Token> sent_;
  std::optional<std::uint64_t> told_at_;  // had been read when the reader was told
};

class SharedReceiver {
 public:
  explicit SharedReceiver(RingReader ring) : ring_(ring) {}

  // Bulk comes in the order of these calls. REQUIRES: not empty.
  void receive_bulk(std::span<std::byte> bytes, Token token) { open_.push_back({bytes, token}); }
  bool awaits_bulk() const { return !open_.empty(); }
  bool look() { return ring_.look(); }
  // Records and parts of bulk since the start.
  std::uint64_t taken() const { return taken_; }

  struct Arrived {
    RecordKind kind{};
    std::span<const std::byte> bytes;  // of a message or control, until the next call
    Token token = 0;                   // of bulk, all of which is there
  };
  // Of what look() has seen.
  std::optional<Arrived> next();
  bool is_broken() const { return is_broken_ || ring_.is_broken(); }
  bool writer_waits() const { return ring_.writer_waits(); }
  void told_writer() { ring_.told_writer(); }

 private:
  struct Open {
    std::span<std::byte> left;
    Token token = 0;
  };

  RingReader ring_;
  std::deque<Open> open_;
  std::uint64_t taken_ = 0;
  bool front_taken_ = false;
  bool is_broken_ = false;
};

}  // namespace quadrille::fabric
