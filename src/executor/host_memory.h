// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a host share for small collectives: each rank has a cell for each of the
// first communicators, which it alone writes and all others of its host read.
//
// It is a memfd(2) for each rank, found by process and descriptor (wire/budget/sealed_memory.h).
// Its pages are taken when they are first written to.
//
// Thread rule: open_mates() by one thread; afterwards any, each in the cells of its communicator.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "wire/budget/sealed_memory.h"
#include "wire/links/descriptor.h"

namespace quadrille {

// Of one rank and communicator. What it writes has a number, one more each time that the group
// moves data; number n lies in slot n % slots until all of the group have done with n.
struct HostCell {
  struct Slot {
    static constexpr std::size_t capacity = 8192 - 2 * sizeof(std::uint64_t);
    alignas(64) std::atomic<std::uint64_t> number;  // what lies here; 0: nothing yet
    std::uint64_t bytes;
    std::array<std::byte, capacity> data;
  };
  static constexpr std::uint64_t slots = 4;

  // This rank has done with this number and all before.
  alignas(64) std::atomic<std::uint64_t> done;
  std::array<Slot, slots> slot;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class HostMemory {
 public:
  // Of the job's first ones: their context numbers are below.
  static constexpr std::uint32_t communicators = 64;

  // Where a rank's memory is found by others of its host.
  struct Place {
    std::int32_t process = 0;  // 0: it has none
    std::int32_t descriptor = -1;
    // What stands in it: the numbers of another container's process may lead to something else
    // here.
    std::array<std::uint64_t, 2> mark{};
  };

  // Null where the system gives none.
  static std::unique_ptr<HostMemory> make();

  const Place& place() const { return place_; }
  // Of all ranks of the host, ascending, this one's own included. False where some of them are not
  // to be had: other ranks' processes are hidden from this one, or have none.
  bool open_mates(std::span<const int> world_ranks, std::span<const Place> places);
  // REQUIRES: open_mates() has returned true; `world_rank` is on the host; context < communicators.
  HostCell& cell(int world_rank, std::uint32_t context) const;

 private:
  HostMemory(wire::Descriptor descriptor, const Place& place);

  wire::Descriptor descriptor_;  // others find the memory by it
  Place place_;
  std::vector<int> world_ranks_;
  std::vector<wire::SharedMemory> mates_;  // [world_ranks_]
};

}  // namespace quadrille
