// SPDX-License-Identifier: BSD-3-Clause
#include "executor/throttling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace quadrille {
namespace {

using std::filesystem::path;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Nanoseconds start{1'000'000'000};

class ThrottlingTest : public testing::Test {
 protected:
  ThrottlingTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(proc_);
  }
  ~ThrottlingTest() override { std::filesystem::remove_all(folder_); }

  static void write(const path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void mount(const std::string& root, const std::string& type, const std::string& options) {
    std::ofstream(proc_ / "mountinfo", std::ios::app)
        << "30 24 0:26 " << root << " " << mounted_at_.string() << " rw,nosuid shared:9 - " << type
        << " cgroup " << options << "\n";
  }
  void write_stops(const path& group, int stops) {
    write(group / "cpu.stat",
          "usage_usec 912\nnr_periods 70\nnr_throttled " + std::to_string(stops) + "\n");
  }

  path folder_ = path(testing::TempDir()) / ("quadrille_throttling_" + std::to_string(getpid()));
  path proc_ = folder_ / "proc";
  path mounted_at_ = folder_ / "cgroup";
};

TEST_F(ThrottlingTest, AUnifiedGroupIsLimitedByItselfAndByThoseAboveIt) {
  mount("/", "cgroup2", "rw");
  write(proc_ / "cgroup", "0::/batch/job/step\n");
  write(mounted_at_ / "batch/job/step/cpu.max", "max 100000\n");
  write(mounted_at_ / "batch/job/cpu.max", "200000 100000\n");
  write(mounted_at_ / "batch/cpu.max", "400000 100000\n");
  EXPECT_THAT(limited_groups(proc_), ElementsAre(mounted_at_ / "batch/job", mounted_at_ / "batch"));
}

TEST_F(ThrottlingTest, AContainerSeesItsOwnGroupAsTheRoot) {
  mount("/pods/one", "cgroup2", "rw");
  write(proc_ / "cgroup", "0::/pods/one\n");
  write(mounted_at_ / "cpu.max", "50000 100000\n");
  ASSERT_EQ(limited_groups(proc_).size(), 1U);
  EXPECT_TRUE(std::filesystem::equivalent(limited_groups(proc_)[0], mounted_at_));
}

TEST_F(ThrottlingTest, AGroupThatIsNotVisibleCountsAsTheRoot) {
  mount("/", "cgroup2", "rw");
  write(proc_ / "cgroup", "0::/../elsewhere\n");
  write(mounted_at_ / "cpu.max", "50000 100000\n");
  EXPECT_EQ(limited_groups(proc_).size(), 1U);
}

TEST_F(ThrottlingTest, TheOlderHierarchyOfProcessorsIsFoundAmongOthers) {
  mount("/", "cgroup", "rw,memory");
  mount("/", "cgroup", "rw,cpuacct,cpu");
  write(proc_ / "cgroup", "4:memory:/elsewhere\n3:cpu,cpuacct:/job\n0::/\n");
  write(mounted_at_ / "elsewhere/cpu.cfs_quota_us", "100\n");
  write(mounted_at_ / "job/cpu.cfs_quota_us", "100000\n");
  write(mounted_at_ / "cpu.cfs_quota_us", "-1\n");
  EXPECT_THAT(limited_groups(proc_), ElementsAre(mounted_at_ / "job"));
}

TEST_F(ThrottlingTest, WithoutALimitThereIsNothingToLookAt) {
  mount("/", "cgroup2", "rw");
  write(proc_ / "cgroup", "0::/\n");
  EXPECT_THAT(limited_groups(proc_), IsEmpty());
  EXPECT_THAT(limited_groups(folder_ / "missing"), IsEmpty());
  Throttling none({});
  EXPECT_FALSE(none.has_happened(start));
}

TEST_F(ThrottlingTest, AStopIsBelievedForAWhileAndStopsBeforeTheStartAreNot) {
  write_stops(mounted_at_, 5);
  Throttling throttling({mounted_at_});
  EXPECT_FALSE(throttling.has_happened(start));
  write_stops(mounted_at_, 6);
  EXPECT_FALSE(throttling.has_happened(start + Nanoseconds{1}));
  const Nanoseconds seen = start + Throttling::between_looks;
  EXPECT_TRUE(throttling.has_happened(seen));
  EXPECT_TRUE(throttling.has_happened(seen + Throttling::believed_for - Nanoseconds{1}));
  EXPECT_FALSE(throttling.has_happened(seen + Throttling::believed_for));
}

TEST_F(ThrottlingTest, NumbersThatCannotBeReadForAWhileAreNoStops) {
  write_stops(mounted_at_, 5);
  Throttling throttling({mounted_at_});
  const path numbers = mounted_at_ / "cpu.stat";
  std::filesystem::rename(numbers, folder_ / "away");
  EXPECT_FALSE(throttling.has_happened(start));
  std::filesystem::rename(folder_ / "away", numbers);
  EXPECT_FALSE(throttling.has_happened(start + Throttling::between_looks));
}

}  // namespace
}  // namespace quadrille
