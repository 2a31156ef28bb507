// SPDX-License-Identifier: BSD-3-Clause
// What memory a process may still take, and whether ranks fit, told before anything is allocated.
// Bytes. Limits: the kernel's MemAvailable, which all processes of a machine share, and the memory
// control groups that the process is in (containers, batch systems), shared by all in them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace quadrille::bench {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// Share of what is available that arrays may take: the rest is for what the MPI library, sockets
// and page tables add.
inline constexpr double kUsableShare = 0.9;

// As one rank sees it; trivially copyable, for ranks exchange it.
struct AvailableMemory {
  std::array<char, 64> machine{};  // boot id
  std::uint64_t machine_bytes = kUnlimited;
  std::uint64_t group = 0;  // equal for all ranks in one group; 0: none has a limit
  std::uint64_t group_bytes = kUnlimited;
};

// Reads `root`/proc and `root`/sys/fs/cgroup, versions 1 and 2.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

// Nothing where ranks [0, memory.size()) may take `rank_bytes` each; else which limit is in the
// way.
struct MemoryShortage {
  bool of_group = false;           // a control group's, else the machine's
  int first_rank = 0;              // of those that share it
  int ranks = 0;                   // that do
  std::uint64_t needed_bytes = 0;  // by all of them
  std::uint64_t usable_bytes = 0;
};
std::optional<MemoryShortage> memory_shortage(const std::vector<AvailableMemory>& memory,
                                              std::uint64_t rank_bytes);

// What this process has and what has been swapped.
struct MemoryUse {
  std::uint64_t resident_bytes = 0;
  std::uint64_t swapped_bytes = 0;  // of this process
  std::uint64_t swapped_pages = 0;  // in and out, by the whole machine since it started
};
MemoryUse memory_use(const std::filesystem::path& root = "/");

// "1.5 GiB"
std::string bytes_text(std::uint64_t bytes);

}  // namespace quadrille::bench
