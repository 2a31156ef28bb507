// SPDX-License-Identifier: BSD-3-Clause
// Tests of parameters that are words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/algorithm.h"

namespace quadrille {
namespace {

TEST(WordParameters, are_the_first_of_their_words_by_default) {
  const Parameters parameters("between=trunks|chain,segment=7");
  EXPECT_EQ(parameters.word("between"), "trunks");
  EXPECT_EQ(parameters["segment"], 7);
  EXPECT_EQ(parameters.text(), "between=trunks:segment=7");
  EXPECT_EQ(parameters.choices(), "between=trunks|chain:segment=7");
}

TEST(WordParameters, take_any_of_their_words) {
  const Result<Parameters> changed =
      Parameters("between=trunks|chain,segment=7").with("segment=9:between=chain");
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed.value().word("between"), "chain");
  EXPECT_EQ(changed.value().text(), "between=chain:segment=9");
}

TEST(WordParameters, refuse_other_words_and_numbers_and_say_which_there_are) {
  for (const char* text : {"between=", "between=star", "between=1", "between=trunks|chain"}) {
    const Result<Parameters> changed = Parameters("between=trunks|chain").with(text);
    ASSERT_FALSE(changed.ok()) << text;
    EXPECT_THAT(changed.error().message, testing::HasSubstr("between=trunks|chain"));
  }
}

TEST(WordParameters, may_be_several_where_their_row_says_so) {
  const Parameters parameters("inside=chain|star/,between=trunks|chain");
  EXPECT_EQ(parameters.choices(), "inside=chain|star/...:between=trunks|chain");
  EXPECT_EQ(parameters.word("inside", 3), "chain");
  const Result<Parameters> changed = parameters.with("inside=star/chain/star");
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed.value().text(), "inside=star/chain/star:between=trunks");
  EXPECT_EQ(changed.value().word("inside"), "star");
  EXPECT_EQ(changed.value().word("inside", 1), "chain");
  EXPECT_EQ(changed.value().word("inside", 7), "star");
  for (const char* text : {"inside=star/", "inside=star/ring", "between=trunks/chain"})
    EXPECT_FALSE(parameters.with(text).ok()) << text;
}

}  // namespace
}  // namespace quadrille
