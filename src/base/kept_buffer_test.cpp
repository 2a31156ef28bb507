// SPDX-License-Identifier: BSD-3-Clause
#include "base/kept_buffer.h"

#include <gtest/gtest.h>

#include <cstring>

namespace quadrille {
namespace {

constexpr std::size_t large = 1'000'000;

TEST(KeptBuffer, a_smaller_use_finds_the_memory_of_a_larger_one) {
  KeptBuffer buffer;
  const std::byte* first = buffer.use(large);
  EXPECT_EQ(buffer.use(large / 2), first);
  EXPECT_EQ(buffer.size(), large);
}

TEST(KeptBuffer, all_bytes_asked_for_can_be_written) {
  KeptBuffer buffer;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, large}) {
    std::byte* memory = buffer.use(bytes);
    std::memset(memory, 1, bytes);
    EXPECT_EQ(memory[bytes - 1], std::byte{1});
  }
}

TEST(KeptBuffer, many_small_uses_give_a_large_ones_memory_back) {
  KeptBuffer buffer;
  buffer.use(large);
  for (int use = 0; use < 2 * KeptBuffer::uses_before_shrinking; ++use)
    std::memset(buffer.use(1000), 1, 1000);
  EXPECT_EQ(buffer.size(), 1000U);
}

TEST(KeptBuffer, memory_that_is_large_again_and_again_stays) {
  KeptBuffer buffer;
  const std::byte* first = buffer.use(large);
  for (int use = 1; use < 10 * KeptBuffer::uses_before_shrinking; ++use)
    EXPECT_EQ(buffer.use(use % 100 == 0 ? large : 10), first);
}

TEST(KeptBuffer, nothing_asked_for_holds_nothing) {
  KeptBuffer buffer;
  buffer.use(0);
  EXPECT_EQ(buffer.size(), 0U);
}

}  // namespace
}  // namespace quadrille
