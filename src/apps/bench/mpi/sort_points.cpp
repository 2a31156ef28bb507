// SPDX-License-Identifier: BSD-3-Clause
// Every rank looks at its own machine; what they see is gathered by the MPI library alone.
#include "apps/bench/mpi/sort_points.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <vector>

namespace quadrille::bench {
namespace {

std::string shortage_text(const SortSize& size, const MemoryShortage& shortage,
                          std::uint64_t rank_bytes, const World& world) {
  const double share = static_cast<double>(shortage.usable_bytes) /
                       static_cast<double>(std::max<std::uint64_t>(shortage.needed_bytes, 1));
  const auto fitting = static_cast<std::uint64_t>(share * static_cast<double>(size.doubles));
  const auto& host = world.machines()[static_cast<std::size_t>(shortage.first_rank)].host;
  std::ostringstream text;
  text << "n = " << size.vectors << ", m = " << size.doubles << " on p = " << size.processes
       << " processes: a process needs " << bytes_text(rank_bytes) << " for its two arrays, the "
       << shortage.ranks << " that share the memory "
       << (shortage.of_group ? "limit (control group) of " : "of ") << host << " need "
       << bytes_text(shortage.needed_bytes) << ", and " << bytes_text(shortage.usable_bytes)
       << " can be used, nine tenths of what is available; ";
  if (fitting > 0) {
    text << "m = " << fitting << " would fit";
  } else {
    text << "lower n, or start fewer processes there";
  }
  return text.str();
}

}  // namespace

Result<SortSize> sort_size_on(const Options& options, const World& world, int ranks) {
  std::uint64_t doubles = options.doubles;
  if (options.constant_local_memory) {
    std::set<std::string> hosts;
    for (int rank = 0; rank < ranks; ++rank)
      hosts.insert(world.machines()[static_cast<std::size_t>(rank)].host);
    doubles *= hosts.size();
  }
  return sort_size(options.vectors, doubles, static_cast<std::uint64_t>(ranks));
}

std::uint64_t arrays_bytes(const Operation& operation, const SortSize& size) {
  return 2 * operation.sort_pair_bytes(size) * size.processes;
}

std::optional<std::string> arrays_do_not_fit(const Operation& operation, const SortSize& size,
                                             const World& world) {
  const AvailableMemory mine = available_memory();
  std::vector<AvailableMemory> all(world.machines().size());
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  all.resize(size.processes);
  const std::uint64_t bytes = arrays_bytes(operation, size);
  const auto shortage = memory_shortage(all, bytes);
  if (!shortage) return std::nullopt;
  return shortage_text(size, *shortage, bytes, world);
}

MemoryUse largest_growth(const MemoryUse& before, MPI_Comm communicator) {
  const MemoryUse now = memory_use();
  const auto grown = [](std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; };
  const std::array<std::uint64_t, 3> mine{grown(before.resident_bytes, now.resident_bytes),
                                          grown(before.swapped_bytes, now.swapped_bytes),
                                          grown(before.swapped_pages, now.swapped_pages)};
  std::array<std::uint64_t, 3> largest{};
  PMPI_Reduce(mine.data(), largest.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MAX, 0,
              communicator);
  return {largest[0], largest[1], largest[2]};
}

}  // namespace quadrille::bench
