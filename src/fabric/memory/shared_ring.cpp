// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory/shared_ring.h"

#include <algorithm>
#include <cstring>

namespace quadrille::fabric {
namespace {

struct Header {
  std::uint32_t length = 0;  // 0: go on at the start of the memory
  std::uint32_t kind = 0;
};
static_assert(sizeof(Header) == 8);

constexpr std::size_t round_up(std::size_t length) { return (length + 7) / 8 * 8; }

}  // namespace

RingWriter::RingWriter(RingState& state, std::span<std::byte> memory)
    : state_(&state), memory_(memory) {}

std::span<std::byte> RingWriter::room(std::size_t length) {
  const std::size_t at = written_ & (memory_.size() - 1);
  const std::size_t to_end = memory_.size() - at;
  const std::size_t needed = sizeof(Header) + round_up(length);
  skipped_ = needed <= to_end ? 0 : to_end;
  if (memory_.size() - (written_ - read_) < skipped_ + needed) {
    read_ = read();
    if (memory_.size() - (written_ - read_) < skipped_ + needed) return {};
  }
  length_ = length;
  return memory_.subspan(skipped_ == 0 ? at + sizeof(Header) : sizeof(Header), length);
}

void RingWriter::publish(std::uint32_t kind) {
  const auto put = [&](std::uint64_t where, Header header) {
    std::memcpy(&memory_[where & (memory_.size() - 1)], &header, sizeof header);
  };
  if (skipped_ > 0) put(written_, {});
  written_ += skipped_;
  put(written_, {static_cast<std::uint32_t>(length_), kind});
  written_ += sizeof(Header) + round_up(length_);
  state_->written.store(written_, std::memory_order_seq_cst);
}

RingReader::RingReader(RingState& state, std::span<const std::byte> memory)
    : state_(&state), memory_(memory) {}

bool RingReader::look() {
  written_ = state_->written.load(std::memory_order_seq_cst);
  // No writer is further on than there is memory, and none goes back.
  is_broken_ = is_broken_ || written_ - read_ > memory_.size();
  return written_ != read_;
}

std::optional<RingReader::Record> RingReader::front() {
  while (written_ != read_ && !is_broken_) {
    const std::size_t at = read_ & (memory_.size() - 1);
    Header header;
    std::memcpy(&header, &memory_[at], sizeof header);
    const std::size_t most = std::min<std::uint64_t>(memory_.size() - at, written_ - read_);
    if (header.length == 0) {
      is_broken_ = memory_.size() - at > written_ - read_;
      read_ += memory_.size() - at;
      continue;
    }
    length_ = sizeof(Header) + round_up(header.length);
    is_broken_ = header.length > largest_record(memory_.size()) || length_ > most;
    if (!is_broken_) return Record{header.kind, memory_.subspan(at + sizeof header, header.length)};
  }
  return std::nullopt;
}

void RingReader::release() {
  read_ += length_;
  state_->read.store(read_, std::memory_order_seq_cst);
}

}  // namespace quadrille::fabric
