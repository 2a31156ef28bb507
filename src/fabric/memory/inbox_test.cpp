// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory/inbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace quadrille::fabric {
namespace {

PublicKey key(unsigned char number) {
  PublicKey made{};
  made.fill(number);
  return made;
}

EndpointName name_of(const Inbox& inbox, unsigned char number) {
  return {{0x7f000001, 4000}, 1440, key(number), inbox.place()};
}

TEST(Inbox, each_who_claims_has_a_ring_of_its_own) {
  const auto inbox = Inbox::open(key(1));
  ASSERT_NE(inbox, nullptr);
  EXPECT_FALSE(inbox->has_claimed());
  auto first = ClaimedRing::claim(name_of(*inbox, 1), key(2));
  auto second = ClaimedRing::claim(name_of(*inbox, 1), key(3));
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(inbox->has_claimed());
  const auto room = second->writer().room(1);
  ASSERT_FALSE(room.empty());
  room.front() = std::byte{9};
  second->writer().publish(5);
  auto claimed = inbox->take_claimed();
  ASSERT_EQ(claimed.size(), 2U);
  EXPECT_FALSE(inbox->has_claimed());
  EXPECT_TRUE(inbox->take_claimed().empty());
  EXPECT_EQ(claimed[0].by, key(2));
  EXPECT_FALSE(claimed[0].ring.look());
  EXPECT_EQ(claimed[1].by, key(3));
  ASSERT_TRUE(claimed[1].ring.look());
  EXPECT_EQ(claimed[1].ring.front()->bytes.front(), std::byte{9});
}

TEST(Inbox, it_is_asleep_until_its_owner_looks) {
  const auto inbox = Inbox::open(key(1));
  const auto ring = ClaimedRing::claim(name_of(*inbox, 1), key(2));
  ASSERT_TRUE(ring);
  EXPECT_TRUE(ring->reader_is_asleep());
  inbox->set_asleep(false);
  EXPECT_FALSE(ring->reader_is_asleep());
}

TEST(Inbox, who_comes_when_all_rings_are_claimed_gets_none) {
  const auto inbox = Inbox::open(key(1));
  for (std::size_t i = 0; i < Inbox::rings; ++i)
    ASSERT_TRUE(ClaimedRing::claim(name_of(*inbox, 1), key(2)));
  EXPECT_FALSE(ClaimedRing::claim(name_of(*inbox, 1), key(3)));
  EXPECT_EQ(inbox->take_claimed().size(), Inbox::rings);
  EXPECT_FALSE(inbox->has_claimed());
}

TEST(Inbox, only_that_of_its_owner_is_opened) {
  const auto inbox = Inbox::open(key(1));
  EXPECT_FALSE(ClaimedRing::claim(name_of(*inbox, 2), key(3))) << "another's key";
  EndpointName other = name_of(*inbox, 1);
  other.inbox->descriptor = 0;
  EXPECT_FALSE(ClaimedRing::claim(other, key(3))) << "no inbox";
  other.inbox->descriptor = 100'000;
  EXPECT_FALSE(ClaimedRing::claim(other, key(3))) << "no descriptor";
  other.inbox.reset();
  EXPECT_FALSE(ClaimedRing::claim(other, key(3)));
  EXPECT_FALSE(inbox->has_claimed());
}

TEST(Inbox, a_file_that_looks_like_one_is_not_opened) {
  const auto inbox = Inbox::open(key(1));
  const auto genuine = static_cast<int>(inbox->place().descriptor);
  constexpr const char* path = "/memfd:quadrille-inbox of a test";
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) GTEST_SKIP() << "needs to write to the root folder";
  unlink(path);
  struct stat found {};
  ASSERT_EQ(fstat(genuine, &found), 0);
  std::array<char, 256> head{};
  ASSERT_EQ(pread(genuine, head.data(), head.size(), 0), static_cast<ssize_t>(head.size()));
  ASSERT_EQ(pwrite(file, head.data(), head.size(), 0), static_cast<ssize_t>(head.size()));
  ASSERT_EQ(ftruncate(file, found.st_size), 0);
  EndpointName name = name_of(*inbox, 1);
  name.inbox->descriptor = static_cast<std::uint32_t>(file);
  EXPECT_FALSE(ClaimedRing::claim(name, key(2))) << "it may be cut while it is in use";
  close(file);
}

TEST(Inbox, there_is_none_where_files_may_not_be_so_long_and_nobody_is_killed) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1U << 20U, 1U << 20U};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    _exit(Inbox::open(key(1)) == nullptr ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Inbox, another_process_writes_to_it) {
  const auto inbox = Inbox::open(key(1));
  const EndpointName name = name_of(*inbox, 1);
  const pid_t child = fork();
  if (child == 0) {
    auto ring = ClaimedRing::claim(name, key(2));
    if (!ring) _exit(1);
    ring->writer().room(3).back() = std::byte{4};
    ring->writer().publish(6);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  auto claimed = inbox->take_claimed();
  ASSERT_EQ(claimed.size(), 1U);
  ASSERT_TRUE(claimed[0].ring.look());
  const auto record = claimed[0].ring.front();
  EXPECT_EQ(record->kind, 6U);
  EXPECT_EQ(record->bytes.size(), 3U);
  EXPECT_EQ(record->bytes.back(), std::byte{4});
}

}  // namespace
}  // namespace quadrille::fabric
