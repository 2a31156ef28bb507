// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/pattern.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace quadrille::bench {
namespace {

constexpr ElementType kTypes[] = {ElementType::byte, ElementType::int32, ElementType::float64};

TEST(Block, holds_what_was_filled_at_every_odd_size) {
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    std::vector<std::byte> block(bytes);
    fill_block(block.data(), bytes, block_key(3, 1, 2));
    EXPECT_TRUE(block_holds(block.data(), bytes, block_key(3, 1, 2))) << bytes;
  }
}

TEST(Block, of_another_call_source_or_destination_is_noticed) {
  std::vector<std::byte> block(24);
  fill_block(block.data(), block.size(), block_key(3, 1, 2));
  EXPECT_FALSE(block_holds(block.data(), block.size(), block_key(4, 1, 2)));
  EXPECT_FALSE(block_holds(block.data(), block.size(), block_key(3, 2, 1)));
  EXPECT_FALSE(block_holds(block.data(), block.size(), block_key(3, 1, 3)));
}

TEST(Block, with_any_one_byte_changed_is_noticed) {
  std::vector<std::byte> block(29);
  fill_block(block.data(), block.size(), block_key(9, 0, 0));
  for (auto& byte : block) {
    byte ^= std::byte{1};
    EXPECT_FALSE(block_holds(block.data(), block.size(), block_key(9, 0, 0)));
    byte ^= std::byte{1};
  }
}

template <typename Element>
void combine(std::byte* into, const std::byte* from, std::size_t elements) {
  for (std::size_t at = 0; at < elements; ++at) {
    Element one{};
    Element other{};
    std::memcpy(&one, into + at * sizeof(Element), sizeof one);
    std::memcpy(&other, from + at * sizeof(Element), sizeof other);
    const auto result = sizeof(Element) == 1
                            ? static_cast<Element>(static_cast<int>(one) ^ static_cast<int>(other))
                            : static_cast<Element>(one + other);
    std::memcpy(into + at * sizeof(Element), &result, sizeof result);
  }
}

TEST(Reducible, combination_of_all_ranks_is_what_the_combined_weight_predicts) {
  constexpr std::size_t kElements = 33;
  for (const ElementType type : kTypes) {
    for (const std::uint32_t ranks : {1U, 2U, 3U, 16U, 4096U}) {
      std::vector<std::byte> sum(kElements * size_of(type));
      std::vector<std::byte> one(sum.size());
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        fill_reducible(one.data(), 5, kElements, type, 12, rank_weight(type, rank));
        if (type == ElementType::byte) combine<std::uint8_t>(sum.data(), one.data(), kElements);
        if (type == ElementType::int32) combine<std::int32_t>(sum.data(), one.data(), kElements);
        if (type == ElementType::float64) combine<double>(sum.data(), one.data(), kElements);
      }
      EXPECT_TRUE(reducible_holds(sum.data(), 5, kElements, type, 12, combined_weight(type, ranks)))
          << name_of(type) << " " << ranks;
    }
  }
}

TEST(Reducible, a_missing_or_doubled_rank_or_a_stale_call_is_noticed) {
  constexpr std::size_t kElements = 64;
  for (const ElementType type : kTypes) {
    std::vector<std::byte> data(kElements * size_of(type));
    fill_reducible(data.data(), 0, kElements, type, 8, combined_weight(type, 7));
    EXPECT_FALSE(reducible_holds(data.data(), 0, kElements, type, 8, combined_weight(type, 8)));
    EXPECT_FALSE(reducible_holds(data.data(), 0, kElements, type, 9, combined_weight(type, 7)));
    EXPECT_FALSE(reducible_holds(data.data(), 1, kElements, type, 8, combined_weight(type, 7)));
  }
}

}  // namespace
}  // namespace quadrille::bench
