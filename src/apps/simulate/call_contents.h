// SPDX-License-Identifier: BSD-3-Clause
// The memory of a simulated call's ranks. Where it is small each rank has its own, filled with what
// tells rank and place, and what a collective means is looked for afterwards; a reduction adds
// bytes. Where it would be large all ranks send from the same few pages and receive into the same
// others, so that only addresses, lengths and times are right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "executor/executor.h"
#include "schedule/blocks.h"
#include "schedule/shape.h"

namespace quadrille::simulate {

// The same pages again and again, as much address space as is asked for.
class RepeatedPages {
 public:
  explicit RepeatedPages(std::size_t bytes);
  RepeatedPages(const RepeatedPages&) = delete;
  RepeatedPages& operator=(const RepeatedPages&) = delete;
  ~RepeatedPages();
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class CallContents {
 public:
  // Of the ranks' memory together; more is shared.
  static constexpr std::uint64_t most_checked_bytes = std::uint64_t{256} << 20U;

  // `counts` of vector collectives, [ranks]; `scratch`: elements of each rank. All outlive it.
  CallContents(const Shape& shape, const std::vector<StoredCounts>& counts,
               const std::vector<std::uint64_t>& scratch);

  bool is_checked() const { return checked_; }
  // What is in the buffers before a call.
  void fill(std::uint32_t call);
  // The rank's memory; what an executor does with it is told to `work`, in bytes.
  CallMemory memory_of(Rank rank,
                       const std::function<void(std::uint64_t bytes, bool reduces)>& work);
  // Whether all that was to be received is there. REQUIRES: is_checked().
  bool is_right();

 private:
  struct RankMemory {
    std::vector<std::byte> send;
    std::vector<std::byte> receive;
    std::vector<std::byte> scratch;
  };
  LocalCounts counts_of_rank(Rank rank) const;
  std::byte sent(Rank rank, std::uint64_t place) const;
  // What the rank has before the call, `place` counted in its contribution.
  void write_contribution(Rank rank);
  std::vector<std::byte> expected(Rank rank);

  const Shape& shape_;
  const std::vector<StoredCounts>& counts_;
  bool checked_ = false;
  std::uint32_t call_ = 0;
  std::vector<RankMemory> ranks_;
  std::vector<std::byte> sum_;  // of all ranks' contributions
  std::unique_ptr<RepeatedPages> read_;
  std::unique_ptr<RepeatedPages> written_;
  std::uint64_t most_receive_ = 0;
};

}  // namespace quadrille::simulate
