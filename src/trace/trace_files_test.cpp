// SPDX-License-Identifier: BSD-3-Clause
#include "trace/trace_files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace quadrille::trace {
namespace {

class TraceFilesTest : public testing::Test {
 protected:
  TraceFilesTest() { std::filesystem::remove_all(folder_); }
  ~TraceFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                        ("quadrille-trace-" + std::to_string(::getpid()) + "/deep");
};

TEST_F(TraceFilesTest, keeps_records_as_they_are_added) {
  {
    auto files = std::move(TraceFiles::open(folder_, 7).value());
    for (std::uint32_t i = 0; i < 3000; ++i) files->add(CallRecord{.communicator = 9, .number = i});
    EXPECT_EQ(files->flush(), "");
    files->add(CallRecord{.number = 3000});
  }
  const std::string bytes = contents("rank-00007.calls");
  ASSERT_EQ(bytes.size(), 3001 * sizeof(CallRecord));
  for (std::uint32_t i = 0; i <= 3000; ++i) {
    CallRecord record;
    std::memcpy(&record, bytes.data() + i * sizeof record, sizeof record);
    EXPECT_EQ(record.number, i);
  }
}

TEST_F(TraceFilesTest, a_forked_child_that_ends_adds_nothing) {
  {
    auto files = std::move(TraceFiles::open(folder_, 7).value());
    files->add(CallRecord{.number = 1});
    const pid_t child = fork();
    if (child == 0) {
      files.reset();  // as in exit(3)
      _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
  }
  EXPECT_EQ(contents("rank-00007.calls").size(), sizeof(CallRecord));
}

TEST_F(TraceFilesTest, keeps_phases_beside_the_calls) {
  {
    auto files = std::move(TraceFiles::open(folder_, 7).value());
    for (std::uint32_t i = 0; i < 1500; ++i) files->add(PhaseRecord{.number = i, .peer = 3});
  }
  const std::string bytes = contents("rank-00007.phases");
  ASSERT_EQ(bytes.size(), 1500 * sizeof(PhaseRecord));
  PhaseRecord last;
  std::memcpy(&last, bytes.data() + 1499 * sizeof last, sizeof last);
  EXPECT_EQ(last.number, 1499U);
  EXPECT_EQ(last.peer, 3);
  EXPECT_EQ(contents("rank-00007.calls"), "");
}

TEST_F(TraceFilesTest, tells_each_name_once_before_it_is_used) {
  auto files = std::move(TraceFiles::open(folder_, 0).value());
  EXPECT_EQ(files->number_of(TraceFiles::Kind::function, "MPI_Bcast"), 0);
  EXPECT_EQ(files->number_of(TraceFiles::Kind::algorithm, "mpi"), 0);
  EXPECT_EQ(files->number_of(TraceFiles::Kind::function, "MPI_Reduce"), 1);
  EXPECT_EQ(files->number_of(TraceFiles::Kind::function, "MPI_Bcast"), 0);
  EXPECT_EQ(contents("rank-00000.jsonl"),
            "{\"name\":\"MPI_Bcast\",\"number\":0,\"type\":\"function\"}\n"
            "{\"name\":\"mpi\",\"number\":0,\"type\":\"algorithm\"}\n"
            "{\"name\":\"MPI_Reduce\",\"number\":1,\"type\":\"function\"}\n");
}

TEST_F(TraceFilesTest, more_names_than_there_are_numbers_share_the_last) {
  auto files = std::move(TraceFiles::open(folder_, 0).value());
  for (int i = 0; i < 65'535; ++i)
    EXPECT_EQ(files->number_of(TraceFiles::Kind::site, std::to_string(i)), i);
  EXPECT_EQ(files->number_of(TraceFiles::Kind::site, "more"), 65'535);
  EXPECT_EQ(files->number_of(TraceFiles::Kind::site, "and more"), 65'535);
}

TEST_F(TraceFilesTest, a_full_disk_is_told_and_ends_the_writing) {
  std::filesystem::create_directories(folder_);
  std::filesystem::create_symlink("/dev/full", folder_ / "rank-00000.calls");
  auto files = std::move(TraceFiles::open(folder_, 0).value());
  for (int i = 0; i < 5000; ++i) files->add(CallRecord{});
  EXPECT_EQ(files->flush(), (folder_ / "rank-00000.calls").string() + ": " + std::strerror(ENOSPC));
  files->add(CallRecord{});
  EXPECT_NE(files->flush(), "");
}

TEST_F(TraceFilesTest, a_folder_that_cannot_be_made_is_an_error_that_names_it) {
  const auto files = TraceFiles::open("/proc/nowhere", 3);
  ASSERT_FALSE(files.ok());
  EXPECT_NE(files.error().message.find("/proc/nowhere/rank-00003"), std::string::npos);
}

}  // namespace
}  // namespace quadrille::trace
