// SPDX-License-Identifier: BSD-3-Clause
#include "base/disjoint_sets.h"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

TEST(DisjointSets, each_element_begins_alone) {
  DisjointSets sets(3);
  for (std::size_t element = 0; element < 3; ++element) {
    EXPECT_EQ(sets.representative(element), element);
  }
}

TEST(DisjointSets, joining_tells_whether_they_were_two) {
  DisjointSets sets(4);
  EXPECT_TRUE(sets.join(0, 1));
  EXPECT_TRUE(sets.join(2, 3));
  EXPECT_TRUE(sets.join(1, 2));
  EXPECT_FALSE(sets.join(3, 0));
  EXPECT_EQ(sets.representative(0), sets.representative(3));
}

TEST(DisjointSets, the_set_joined_to_keeps_its_representative) {
  DisjointSets sets(5);
  sets.join(0, 1);
  sets.join(3, 2);
  sets.join(0, 3);
  for (const std::size_t element : {0U, 1U, 2U, 3U}) EXPECT_EQ(sets.representative(element), 2U);
  EXPECT_EQ(sets.representative(4), 4U);
}

TEST(DisjointSets, a_long_chain_is_one_set) {
  constexpr std::size_t elements = 1000;
  DisjointSets sets(elements);
  for (std::size_t element = 1; element < elements; ++element) sets.join(element - 1, element);
  for (std::size_t element = 0; element < elements; ++element) {
    EXPECT_EQ(sets.representative(element), elements - 1);
  }
}

}  // namespace
}  // namespace quadrille
