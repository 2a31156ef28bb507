// SPDX-License-Identifier: BSD-3-Clause
#include "executor/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace quadrille {
namespace {

constexpr const char* file_name = "quadrille-host";
// What lies in the file. The cells are zero at first.
struct HostCells {
  alignas(64) std::array<std::uint64_t, 2> mark;
  std::array<HostCell, HostMemory::communicators> cells;
};

HostCells& cells_of(const wire::SharedMemory& memory) {
  return *reinterpret_cast<HostCells*>(memory.bytes().data());
}

}  // namespace

std::unique_ptr<HostMemory> HostMemory::make() {
  wire::Descriptor descriptor = wire::make_sealed_memory(file_name, sizeof(HostCells));
  if (!descriptor) return nullptr;
  Place place{getpid(), descriptor.get()};
  const auto memory = wire::SharedMemory::map(descriptor.get(), 0, sizeof(HostCells));
  if (!memory || getentropy(place.mark.data(), sizeof place.mark) != 0) return nullptr;
  cells_of(*memory).mark = place.mark;
  return std::unique_ptr<HostMemory>(new HostMemory(std::move(descriptor), place));
}

HostMemory::HostMemory(wire::Descriptor descriptor, const Place& place)
    : descriptor_(std::move(descriptor)), place_(place) {}

bool HostMemory::open_mates(std::span<const int> world_ranks, std::span<const Place> places) {
  world_ranks_.assign(world_ranks.begin(), world_ranks.end());
  for (const Place& place : places) {
    if (place.process <= 0) return false;
    const wire::Descriptor opened = wire::open_sealed_memory(
        wire::place_of_descriptor(place.process, place.descriptor), file_name, sizeof(HostCells));
    if (!opened) return false;
    auto memory = wire::SharedMemory::map(opened.get(), 0, sizeof(HostCells));
    if (!memory || cells_of(*memory).mark != place.mark) return false;
    mates_.push_back(std::move(*memory));
  }
  return true;
}

HostCell& HostMemory::cell(int world_rank, std::uint32_t context) const {
  const auto found = std::ranges::lower_bound(world_ranks_, world_rank);
  const auto index = static_cast<std::size_t>(found - world_ranks_.begin());
  return cells_of(mates_[index]).cells[context];
}

}  // namespace quadrille
