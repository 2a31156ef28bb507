// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/call_contents.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "schedule/collective.h"

namespace quadrille::simulate {
namespace {

constexpr std::size_t page_bytes = std::size_t{1} << 20U;

}  // namespace

RepeatedPages::RepeatedPages(std::size_t bytes)
    : bytes_((bytes + page_bytes) / page_bytes * page_bytes) {
  const int memory = memfd_create("quadrille-simulate", MFD_CLOEXEC);
  void* const reserved =
      mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory < 0 || reserved == MAP_FAILED || ftruncate(memory, page_bytes) != 0)
    throw std::bad_alloc();
  data_ = static_cast<std::byte*>(reserved);
  for (std::size_t offset = 0; offset < bytes_; offset += page_bytes) {
    if (mmap(data_ + offset, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
             0) == MAP_FAILED)
      throw std::bad_alloc();
  }
  close(memory);
}

RepeatedPages::~RepeatedPages() { munmap(data_, bytes_); }

CallContents::CallContents(const Shape& shape, const std::vector<StoredCounts>& counts,
                           const std::vector<std::uint64_t>& scratch)
    : shape_(shape), counts_(counts) {
  std::uint64_t all = 0;
  std::uint64_t most_send = 0;
  std::uint64_t most_scratch = 0;
  for (Rank rank = 0; rank < shape.ranks; ++rank) {
    const BufferLengths lengths = buffer_lengths(shape, rank, counts_of_rank(rank));
    all += lengths.send + lengths.receive + scratch[static_cast<std::size_t>(rank)];
    most_send = std::max(most_send, lengths.send);
    most_receive_ = std::max(most_receive_, lengths.receive);
    most_scratch = std::max(most_scratch, scratch[static_cast<std::size_t>(rank)]);
  }
  checked_ = all * shape.element_bytes <= most_checked_bytes;
  if (!checked_) {
    read_ = std::make_unique<RepeatedPages>(most_send * shape.element_bytes);
    written_ =
        std::make_unique<RepeatedPages>((most_receive_ + most_scratch) * shape.element_bytes);
    return;
  }
  for (Rank rank = 0; rank < shape.ranks; ++rank) {
    const BufferLengths lengths = buffer_lengths(shape, rank, counts_of_rank(rank));
    const auto room = [&](std::uint64_t elements) {
      return std::vector<std::byte>(elements * shape.element_bytes + 1);
    };
    ranks_.push_back(
        {room(lengths.send), room(lengths.receive), room(scratch[static_cast<std::size_t>(rank)])});
  }
}

LocalCounts CallContents::counts_of_rank(Rank rank) const {
  return counts_.empty() ? LocalCounts{} : counts_[static_cast<std::size_t>(rank)].view();
}

std::byte CallContents::sent(Rank rank, std::uint64_t place) const {
  const auto number = static_cast<std::uint64_t>(rank);
  return static_cast<std::byte>(
      (number * 131 + place * 7 + place / 251 + std::uint64_t{call_} * 17) & 0xffU);
}

void CallContents::write_contribution(Rank rank) {
  if (shape_.collective == Collective::barrier) return;
  const Region region = initial_data(shape_, rank, counts_of_rank(rank));
  RankMemory& memory = ranks_[static_cast<std::size_t>(rank)];
  std::byte* const into = (region.buffer == Buffer::send ? memory.send : memory.receive).data() +
                          region.offset * shape_.element_bytes;
  const std::uint64_t bytes = region.length * shape_.element_bytes;
  for (std::uint64_t i = 0; i < bytes; ++i) into[i] = sent(rank, i);
  if (!is_reducing(shape_.collective)) return;
  if (sum_.size() < bytes) sum_.resize(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i)
    sum_[i] = static_cast<std::byte>(std::to_integer<unsigned>(sum_[i]) +
                                     std::to_integer<unsigned>(into[i]));
}

void CallContents::fill(std::uint32_t call) {
  if (!checked_) return;
  call_ = call;
  std::ranges::fill(sum_, std::byte{0});
  for (Rank rank = 0; rank < shape_.ranks; ++rank) {
    RankMemory& memory = ranks_[static_cast<std::size_t>(rank)];
    std::ranges::fill(memory.receive, std::byte{0});
    write_contribution(rank);
  }
}

CallMemory CallContents::memory_of(
    Rank rank, const std::function<void(std::uint64_t bytes, bool reduces)>& work) {
  CallMemory memory;
  const std::uint32_t element = shape_.element_bytes;
  if (checked_) {
    RankMemory& own = ranks_[static_cast<std::size_t>(rank)];
    memory.send = own.send.data();
    memory.receive = own.receive.data();
    memory.scratch = own.scratch.data();
  } else {
    memory.send = read_->data();
    memory.receive = written_->data();
    memory.scratch = written_->data() + most_receive_ * element;
  }
  memory.element_stride = element;
  memory.copy = [this, work, element](const std::byte* from, std::byte* into,
                                      std::uint64_t length) {
    if (checked_ && length > 0) std::memmove(into, from, length * element);
    work(length * element, false);
  };
  memory.reduce = [this, work, element](const std::byte* from, std::byte* into,
                                        std::uint64_t length) {
    for (std::uint64_t i = 0; checked_ && i < length * element; ++i)
      into[i] = static_cast<std::byte>(std::to_integer<unsigned>(from[i]) +
                                       std::to_integer<unsigned>(into[i]));
    work(length * element, true);
  };
  return memory;
}

// Byte for byte what the rank's receive buffer has to hold; empty where anything may be.
std::vector<std::byte> CallContents::expected(Rank rank) {
  const std::uint64_t block = shape_.count * shape_.element_bytes;
  const auto at = [&](Rank number) { return static_cast<std::uint64_t>(number) * block; };
  std::vector<std::byte> bytes;
  const auto add = [&](Rank from, std::uint64_t first, std::uint64_t length) {
    for (std::uint64_t i = 0; i < length; ++i) bytes.push_back(sent(from, first + i));
  };
  switch (shape_.collective) {
    case Collective::bcast:
      add(shape_.root, 0, block);
      break;
    case Collective::reduce:
      if (rank == shape_.root)
        bytes.assign(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(block));
      break;
    case Collective::allreduce:
      bytes.assign(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(block));
      break;
    case Collective::gather:
      if (rank != shape_.root) break;
      [[fallthrough]];
    case Collective::allgather:
      for (Rank from = 0; from < shape_.ranks; ++from) add(from, 0, block);
      break;
    case Collective::alltoall:
      for (Rank from = 0; from < shape_.ranks; ++from) add(from, at(rank), block);
      break;
    case Collective::scatter:
      add(shape_.root, at(rank), block);
      break;
    case Collective::reduce_scatter_block: {
      const auto first = sum_.begin() + static_cast<std::ptrdiff_t>(at(rank));
      bytes.assign(first, first + static_cast<std::ptrdiff_t>(block));
      break;
    }
    case Collective::scan:
    case Collective::exscan: {
      const Rank end = shape_.collective == Collective::scan ? rank + 1 : rank;
      if (end == 0) break;
      bytes.assign(block, std::byte{0});
      for (Rank from = 0; from < end; ++from) {
        for (std::uint64_t i = 0; i < block; ++i)
          bytes[i] = static_cast<std::byte>(std::to_integer<unsigned>(bytes[i]) +
                                            std::to_integer<unsigned>(sent(from, i)));
      }
      break;
    }
    case Collective::alltoallv: {
      const auto own = static_cast<std::size_t>(rank);
      for (Rank from = 0; from < shape_.ranks; ++from) {
        const StoredBlocks& blocks = counts_[static_cast<std::size_t>(from)].send;
        add(from, blocks.offsets[own] * shape_.element_bytes,
            blocks.lengths[own] * shape_.element_bytes);
      }
      break;
    }
    default:
      break;
  }
  return bytes;
}

bool CallContents::is_right() {
  for (Rank rank = 0; rank < shape_.ranks; ++rank) {
    const std::vector<std::byte> wanted = expected(rank);
    const std::vector<std::byte>& got = ranks_[static_cast<std::size_t>(rank)].receive;
    if (!std::equal(wanted.begin(), wanted.end(), got.begin())) return false;
  }
  return true;
}

}  // namespace quadrille::simulate
