// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace quadrille::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

// A made /proc and /sys.
class FoldersOfMachine {
 public:
  FoldersOfMachine()
      : root_(fs::temp_directory_path() / ("quadrille-memory-" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write("proc/sys/kernel/random/boot_id", "one");
    write("proc/meminfo", "MemTotal: 4096 kB\nMemFree: 1 kB\nMemAvailable: 2048 kB\n");
  }
  FoldersOfMachine(const FoldersOfMachine&) = delete;
  FoldersOfMachine& operator=(const FoldersOfMachine&) = delete;
  ~FoldersOfMachine() { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  AvailableMemory available() const { return available_memory(root_); }
  MemoryUse use() const { return memory_use(root_); }

 private:
  fs::path root_;
};

AvailableMemory seen(const char* machine, std::uint64_t bytes, std::uint64_t group = 0,
                     std::uint64_t group_bytes = kUnlimited) {
  AvailableMemory memory;
  std::strncpy(memory.machine.data(), machine, memory.machine.size() - 1);
  memory.machine_bytes = bytes;
  memory.group = group;
  memory.group_bytes = group_bytes;
  return memory;
}

TEST(AvailableMemory, is_the_machines_where_no_group_limits_it) {
  const FoldersOfMachine machine;
  machine.write("proc/self/cgroup", "0::/user");
  machine.write("sys/fs/cgroup/user/memory.max", "max");
  machine.write("sys/fs/cgroup/user/memory.current", "1000");
  EXPECT_EQ(machine.available().machine_bytes, 2 * kMiB);
  EXPECT_STREQ(machine.available().machine.data(), "one");
  EXPECT_EQ(machine.available().group_bytes, kUnlimited);
}

TEST(AvailableMemory, a_container_limits_also_from_above_and_file_pages_can_be_dropped) {
  const FoldersOfMachine machine;
  machine.write("proc/self/cgroup", "0::/job/step");
  machine.write("sys/fs/cgroup/job/memory.max", "1000");
  machine.write("sys/fs/cgroup/job/memory.current", "700");
  machine.write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 200\n");
  machine.write("sys/fs/cgroup/job/step/memory.max", "900");
  machine.write("sys/fs/cgroup/job/step/memory.current", "100");
  EXPECT_EQ(machine.available().group_bytes, 500U);
  EXPECT_NE(machine.available().group, 0U);
}

TEST(AvailableMemory, a_container_that_sees_its_own_root_is_limited_by_that) {
  const FoldersOfMachine machine;
  machine.write("proc/self/cgroup", "4:cpu,memory:/docker/0123\n0::/");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000");
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "2000");
  EXPECT_EQ(machine.available().group_bytes, 3000U);
}

TEST(AvailableMemory, the_largest_number_of_pages_is_no_limit) {
  const FoldersOfMachine machine;
  machine.write("proc/self/cgroup", "4:memory:/");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "2000");
  EXPECT_EQ(machine.available().group_bytes, kUnlimited);
}

TEST(AvailableMemory, of_this_machine_is_more_than_nothing) {
  EXPECT_GT(available_memory().machine_bytes, kMiB);
  EXPECT_GT(memory_use().resident_bytes, kMiB / 4);
}

TEST(MemoryShortage, ranks_of_a_machine_share_its_memory) {
  const std::vector<AvailableMemory> memory{seen("a", 1000), seen("b", 1000), seen("b", 990)};
  EXPECT_FALSE(memory_shortage(memory, 445));
  const auto shortage = memory_shortage(memory, 446);
  ASSERT_TRUE(shortage);
  EXPECT_FALSE(shortage->of_group);
  EXPECT_EQ(shortage->first_rank, 1);
  EXPECT_EQ(shortage->ranks, 2);
  EXPECT_EQ(shortage->needed_bytes, 892U);
  EXPECT_EQ(shortage->usable_bytes, 891U);
}

TEST(MemoryShortage, containers_of_a_machine_share_it_and_each_has_its_limit) {
  const std::vector<AvailableMemory> memory{seen("a", 1000, 1, 300), seen("a", 1000, 2, 200),
                                            seen("a", 1000, 2, 200)};
  EXPECT_FALSE(memory_shortage(memory, 90));
  const auto shortage = memory_shortage(memory, 91);
  ASSERT_TRUE(shortage);
  EXPECT_TRUE(shortage->of_group);
  EXPECT_EQ(shortage->first_rank, 1);
  EXPECT_FALSE(memory_shortage({seen("a", 1000, 1, 900), seen("a", 1000, 2, 900)}, 450));
  EXPECT_TRUE(memory_shortage({seen("a", 1000, 1, 900), seen("a", 1000, 2, 900)}, 451));
}

TEST(MemoryShortage, there_is_none_where_nothing_is_known) {
  EXPECT_FALSE(memory_shortage({seen("", kUnlimited)}, kMiB * kMiB));
}

TEST(MemoryUse, tells_what_was_swapped) {
  const FoldersOfMachine machine;
  machine.write("proc/self/status", "VmRSS:\t 12 kB\nVmSwap:\t 3 kB");
  machine.write("proc/vmstat", "pswpin 4\npswpout 5");
  EXPECT_EQ(machine.use().resident_bytes, 12U * 1024);
  EXPECT_EQ(machine.use().swapped_bytes, 3U * 1024);
  EXPECT_EQ(machine.use().swapped_pages, 9U);
}

TEST(BytesText, has_units_of_two) {
  EXPECT_EQ(bytes_text(12), "12 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(729 * kMiB), "729 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{24} << 30U), "24.0 GiB");
}

}  // namespace
}  // namespace quadrille::bench
