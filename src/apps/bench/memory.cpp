// SPDX-License-Identifier: BSD-3-Clause
// A group's free memory is its limit less what it uses, but for file pages that it can drop
// (inactive_file). https://docs.kernel.org/admin-guide/cgroup-v2.html
#include "apps/bench/memory.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

namespace quadrille::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKiB = 1024;
// Version 1 states no limit as the largest number of pages.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62U;

std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number behind `key` in a file of one key a line, 0 where there is none.
std::uint64_t number_of(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t number = 0;
    if (words >> word && word == key && words >> number) return number;
  }
  return 0;
}

struct Version {
  const char* limit;
  const char* used;
};
constexpr Version kFirst{"memory.limit_in_bytes", "memory.usage_in_bytes"};
constexpr Version kSecond{"memory.max", "memory.current"};

std::uint64_t identity(const fs::path& folder) {
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) return 0;
  return static_cast<std::uint64_t>(found.st_dev) << 40U ^ found.st_ino;
}

void look_at_group(const fs::path& folder, const Version& version, AvailableMemory& memory) {
  const auto limit = number_in(folder / version.limit);
  const auto used = number_in(folder / version.used);
  if (!limit || !used || *limit >= kNoLimit) return;
  const std::uint64_t droppable = number_of(folder / "memory.stat", "inactive_file");
  const std::uint64_t kept = *used - std::min(*used, droppable);
  const std::uint64_t free = *limit - std::min(*limit, kept);
  if (free >= memory.group_bytes) return;
  memory.group_bytes = free;
  memory.group = identity(folder);
}

// The process's group and all above it. Where the mount shows a container's own root, the path of
// the process is not there, and the root is what limits it.
void look_at_groups(const fs::path& mount, const std::string& path, const Version& version,
                    AvailableMemory& memory) {
  const fs::path relative = fs::path(path).relative_path();
  for (fs::path folder = mount / relative;; folder = folder.parent_path()) {
    look_at_group(folder, version, memory);
    if (folder == mount || folder == mount / "" || folder == folder.root_path()) return;
  }
}

}  // namespace

AvailableMemory available_memory(const fs::path& root) {
  AvailableMemory memory;
  std::ifstream boot(root / "proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(boot, id);
  std::strncpy(memory.machine.data(), id.c_str(), memory.machine.size() - 1);
  const std::uint64_t available = number_of(root / "proc/meminfo", "MemAvailable:");
  if (available > 0) memory.machine_bytes = available * kKiB;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // number:controllers:path
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    const fs::path mounts = root / "sys/fs/cgroup";
    if (controllers == ",,") {
      look_at_groups(mounts, path, kSecond, memory);
      look_at_groups(mounts / "unified", path, kSecond, memory);
    } else if (controllers.find(",memory,") != std::string::npos) {
      look_at_groups(mounts / "memory", path, kFirst, memory);
    }
  }
  return memory;
}

std::optional<MemoryShortage> memory_shortage(const std::vector<AvailableMemory>& memory,
                                              std::uint64_t rank_bytes) {
  struct Shared {
    int first_rank = 0;
    int ranks = 0;
    std::uint64_t bytes = kUnlimited;  // least that a rank sees
  };
  // By whether it is a group, machine, group.
  std::map<std::tuple<bool, std::string, std::uint64_t>, Shared> limits;
  int rank = 0;
  for (const auto& seen : memory) {
    const auto add = [&](bool of_group, std::uint64_t group, std::uint64_t bytes) {
      auto& limit = limits[{of_group, std::string(seen.machine.data()), group}];
      if (limit.ranks++ == 0) limit.first_rank = rank;
      limit.bytes = std::min(limit.bytes, bytes);
    };
    add(false, 0, seen.machine_bytes);
    if (seen.group_bytes != kUnlimited) add(true, seen.group, seen.group_bytes);
    ++rank;
  }
  for (const auto& [where, limit] : limits) {
    if (limit.bytes == kUnlimited) continue;
    const std::uint64_t needed = rank_bytes * static_cast<std::uint64_t>(limit.ranks);
    const auto usable = static_cast<std::uint64_t>(kUsableShare * static_cast<double>(limit.bytes));
    if (needed > usable)
      return MemoryShortage{std::get<0>(where), limit.first_rank, limit.ranks, needed, usable};
  }
  return std::nullopt;
}

MemoryUse memory_use(const fs::path& root) {
  const fs::path status = root / "proc/self/status";
  const fs::path machine = root / "proc/vmstat";
  return {.resident_bytes = number_of(status, "VmRSS:") * kKiB,
          .swapped_bytes = number_of(status, "VmSwap:") * kKiB,
          .swapped_pages = number_of(machine, "pswpin") + number_of(machine, "pswpout")};
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  const char* form = unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s";
  std::snprintf(text.data(), text.size(), form, value, kUnits[unit]);
  return text.data();
}

}  // namespace quadrille::bench
