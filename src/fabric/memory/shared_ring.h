// SPDX-License-Identifier: BSD-3-Clause
// Records in memory that two processes share, written by one and read by the other in order.
//
// A record is eight bytes of header, its bytes, and what rounds it up to eight; it does not run
// over the end of the memory. `written` and `read` count bytes since the start; the memory of both
// is zero at first. All is in one order (seq_cst): who writes and then sees the other awake, or
// falls asleep and then sees nothing written, may rely on it.
//
// Thread rule: one thread at a time on each side.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace quadrille::fabric {

// In the shared memory. Each side writes a cache line of its own.
struct RingState {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
  std::atomic<std::uint32_t> writer_waits;  // for room
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// The largest record, for a ring of so much memory.
constexpr std::size_t largest_record(std::size_t memory) { return memory / 4; }

class RingWriter {
 public:
  // REQUIRES: the size of `memory` is a power of two.
  RingWriter(RingState& state, std::span<std::byte> memory);

  // Memory for a record's bytes; empty where there is no room now.
  // REQUIRES: `length` is 1 to largest_record().
  std::span<std::byte> room(std::size_t length);
  // What room() gave is the next record.
  void publish(std::uint32_t kind);

  std::uint64_t written() const { return written_; }
  // How far the reader has come.
  std::uint64_t read() const { return state_->read.load(std::memory_order_seq_cst); }
  // The reader may tell when it has made room.
  void wait_for_room() { state_->writer_waits.store(1, std::memory_order_seq_cst); }

 private:
  RingState* state_;
  std::span<std::byte> memory_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;  // as last seen
  std::size_t skipped_ = 0;
  std::size_t length_ = 0;
};

class RingReader {
 public:
  RingReader(RingState& state, std::span<const std::byte> memory);

  struct Record {
    std::uint32_t kind = 0;
    std::span<const std::byte> bytes;
  };
  // Looks how far the writer has come; returns whether there is a record.
  bool look();
  // The next of what look() has seen, valid until release(). Nothing where there is none, or where
  // what is there is no record.
  std::optional<Record> front();
  void release();
  // Something is there that is no record, as only a writer can make it that has gone wild.
  bool is_broken() const { return is_broken_; }
  // Whether the writer waits for room, since it was last told.
  bool writer_waits() const { return state_->writer_waits.load(std::memory_order_seq_cst) != 0; }
  void told_writer() { state_->writer_waits.store(0, std::memory_order_seq_cst); }

 private:
  RingState* state_;
  std::span<const std::byte> memory_;
  std::uint64_t written_ = 0;  // as last seen
  std::uint64_t read_ = 0;
  std::size_t length_ = 0;  // of the record in front, with its header
  bool is_broken_ = false;
};

}  // namespace quadrille::fabric
