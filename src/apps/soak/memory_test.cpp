// SPDX-License-Identifier: BSD-3-Clause
#include "apps/soak/memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace quadrille::soak {
namespace {

TEST(SoakMemory, numbers_are_found_by_the_words_in_front_of_them) {
  const std::string text =
      "sockets: used 41\nTCP: inuse 9 orphan 0 tw 2 alloc 11 mem 7\nUDP: inuse 3 mem 5\n";
  EXPECT_EQ(number_behind(text, "sockets:", "used"), 41);
  EXPECT_EQ(number_behind(text, "TCP:", "mem"), 7);
  EXPECT_EQ(number_behind(text, "UDP:", "mem"), 5);
  EXPECT_EQ(number_behind("VmRSS:\t  1234 kB\n", "VmRSS:"), 1234);
  EXPECT_EQ(number_behind(text, "UDPLITE:", "inuse"), 0);
  EXPECT_EQ(number_behind(text, "TCP:", "lost"), 0);
}

TEST(SoakMemory, what_is_allocated_and_written_is_counted) {
  const Memory before = read_memory();
  const std::vector<char> more(std::size_t{20} << 20U, 'x');
  const Memory after = read_memory();
  EXPECT_GT(before.resident_kib, 0);
  EXPECT_GE(before.threads, 1);
  EXPECT_GT(after.anonymous_kib, before.anonymous_kib + 19'000);
  EXPECT_EQ(more.back(), 'x');
}

}  // namespace
}  // namespace quadrille::soak
