// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/kernels/sort_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace quadrille::bench {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kVectors = 1'492'992;
constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = kKiB * kKiB;
constexpr std::uint64_t kGiB = kKiB * kMiB;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(bytes) / static_cast<double>(unit)));
}

// A column of table 4.1 or 4.3, as printed.
struct Column {
  std::uint64_t nodes, doubles, global_gib, local_vectors, local_mib, block_vectors, block_kib;
};

void expect_as_printed(const std::vector<Column>& columns) {
  for (const auto& column : columns) {
    const auto size = sort_size(kVectors, column.doubles, 8 * column.nodes);
    ASSERT_TRUE(size.ok()) << size.error().message;
    EXPECT_EQ(rounded(size.value().global_bytes(), kGiB), column.global_gib) << column.nodes;
    EXPECT_EQ(size.value().local_vectors(), column.local_vectors) << column.nodes;
    EXPECT_EQ(rounded(size.value().local_bytes(), kMiB), column.local_mib) << column.nodes;
    EXPECT_EQ(size.value().block_vectors(), column.block_vectors) << column.nodes;
    EXPECT_EQ(rounded(size.value().block_bytes(), kKiB), column.block_kib) << column.nodes;
  }
}

TEST(SortSize, table_4_1_constant_global_memory) {
  expect_as_printed({{1, 512, 6, 186'624, 729, 23'328, 93'312},
                     {3, 512, 6, 62'208, 243, 2'592, 10'368},
                     {9, 512, 6, 20'736, 81, 288, 1'152},
                     {18, 512, 6, 10'368, 41, 72, 288},
                     {36, 512, 6, 5'184, 20, 18, 72}});
}

TEST(SortSize, table_4_3_constant_local_memory) {
  expect_as_printed({{1, 512, 6, 186'624, 729, 23'328, 93'312},
                     {3, 1'536, 17, 62'208, 729, 2'592, 31'104},
                     {9, 4'608, 51, 20'736, 729, 288, 10'368},
                     {18, 9'216, 103, 10'368, 729, 72, 5'184},
                     {36, 18'432, 205, 5'184, 729, 18, 2'592}});
}

TEST(SortSize, table_3_1_any_size_is_divided_twice_by_the_processes) {
  for (std::uint64_t processes = 1; processes <= 33; ++processes) {
    const std::uint64_t n = 5 * processes * processes;
    const SortSize size = sort_size(n, 7, processes).value();
    EXPECT_EQ(size.local_bytes() * processes, size.global_bytes());
    EXPECT_EQ(size.block_bytes() * processes * processes, 8 * 7 * n);
    EXPECT_EQ(size.block_vectors(), 5U);
  }
}

TEST(SortSize, names_the_nearest_number_of_vectors_that_can_be_divided) {
  EXPECT_EQ(nearest_vectors(100, 4), 96U);
  EXPECT_EQ(nearest_vectors(104, 4), 112U);
  EXPECT_EQ(nearest_vectors(1, 4), 16U);
  const auto refused = sort_size(100, 1, 4);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("n = 100 vectors on p = 4"));
  EXPECT_THAT(refused.error().message, HasSubstr("nearest such n is 96"));
}

TEST(SortSize, refuses_what_cannot_be_sorted_or_counted) {
  EXPECT_THAT(sort_size(48, 0, 4).error().message, HasSubstr("m = 0"));
  EXPECT_THAT(sort_size(0, 1, 4).error().message, HasSubstr("nearest such n is 16"));
  EXPECT_THAT(sort_size(48, 1, 0).error().message, HasSubstr("0 processes"));
  EXPECT_TRUE(sort_size(4, (1U << 30U) - 1, 2).ok());
  EXPECT_THAT(sort_size(4, 1U << 30U, 2).error().message, HasSubstr("cannot count"));
}

}  // namespace
}  // namespace quadrille::bench
