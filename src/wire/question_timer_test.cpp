// SPDX-License-Identifier: BSD-3-Clause
// How long a question waits.
#include "wire/question_timer.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds ms(std::int64_t count) { return {count * 1'000'000}; }

TEST(QuestionTimer, asks_after_a_program_each_second_and_again_soon_where_no_answer_came) {
  QuestionTimer timer({});
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1000));
  timer.asked(ms(1000));
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1000 + 2 * 60));
  timer.asked(ms(1120));
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1120 + 4 * 60));
  timer.heard();
  EXPECT_EQ(timer.due(Side::in, Awaiting::program), ms(1120 + 1000));
}

}  // namespace
}  // namespace quadrille::wire
