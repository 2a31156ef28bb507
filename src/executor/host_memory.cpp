// SPDX-License-Identifier: BSD-3-Clause
#include "executor/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace quadrille {
namespace {

constexpr const char* file_name = "quadrille-host";
constexpr std::size_t memory_bytes = HostMemory::communicators * sizeof(HostCell);

}  // namespace

std::unique_ptr<HostMemory> HostMemory::make() {
  wire::Descriptor descriptor = wire::make_sealed_memory(file_name, memory_bytes);
  if (!descriptor) return nullptr;
  auto memory = wire::SharedMemory::map(descriptor.get(), 0, memory_bytes);
  if (!memory) return nullptr;
  return std::unique_ptr<HostMemory>(new HostMemory(std::move(descriptor), std::move(*memory)));
}

HostMemory::HostMemory(wire::Descriptor descriptor, wire::SharedMemory memory)
    : descriptor_(std::move(descriptor)), own_(std::move(memory)) {}

HostMemory::Place HostMemory::place() const { return {getpid(), descriptor_.get()}; }

bool HostMemory::open_mates(std::span<const int> world_ranks, std::span<const Place> places) {
  world_ranks_.assign(world_ranks.begin(), world_ranks.end());
  for (const Place& place : places) {
    if (place.process <= 0) return false;
    const std::string path =
        "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.descriptor);
    const wire::Descriptor opened = wire::open_sealed_memory(path, file_name, memory_bytes);
    if (!opened) return false;
    auto memory = wire::SharedMemory::map(opened.get(), 0, memory_bytes);
    if (!memory) return false;
    mates_.push_back(std::move(*memory));
  }
  return true;
}

HostCell& HostMemory::cell(int world_rank, std::uint32_t context) const {
  const auto found = std::ranges::lower_bound(world_ranks_, world_rank);
  const auto& memory = mates_[static_cast<std::size_t>(found - world_ranks_.begin())];
  return reinterpret_cast<HostCell*>(memory.bytes().data())[context];
}

}  // namespace quadrille
