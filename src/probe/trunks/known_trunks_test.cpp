// SPDX-License-Identifier: BSD-3-Clause
#include "probe/trunks/known_trunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace quadrille::probe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Crossing carries(double bit_s) { return {Measured{bit_s, bit_s, bit_s}, {}, {}}; }

// Four segments of two hosts; 0 and 1 share a trunk of 30.
class Known : public testing::Test {
 protected:
  Known() {
    for (SplitRates& own : known_.own) own = {true, carries(20), carries(20)};
    known_.joint.push_back({{0, 1}, {true, carries(30), carries(25)}});
  }

  const std::vector<HostSet> segments_{{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  KnownTrunks known_{segments_};
};

TEST_F(Known, own_trunks_and_shared_ones_limit_what_arrives) {
  EXPECT_DOUBLE_EQ(known_.expected({{0, 4, 100}}).arriving_bit_s, 20);
  const auto both = known_.expected({{0, 4, 100}, {2, 6, 100}});
  EXPECT_DOUBLE_EQ(both.leaving_bit_s, 40);
  EXPECT_DOUBLE_EQ(both.arriving_bit_s, 30) << "the trunk that both share";
  EXPECT_DOUBLE_EQ(known_.expected({{4, 0, 20}, {6, 2, 20}}).arriving_bit_s, 25) << "inwards";
  EXPECT_DOUBLE_EQ(known_.expected({{0, 2, 15}, {4, 6, 15}}).arriving_bit_s, 30)
      << "what does not cross the shared one";
}

TEST_F(Known, what_is_only_a_least_rate_limits_nothing) {
  known_.own[0].out.bit_s->high = std::numeric_limits<double>::infinity();
  known_.joint.clear();
  EXPECT_DOUBLE_EQ(known_.expected({{0, 4, 15}, {1, 6, 15}}).arriving_bit_s, 30);
}

TEST_F(Known, little_more_is_sent_than_a_trunk_brings_through) {
  double sum = 0;
  for (const Flow& flow : known_.worth_sending({{0, 4, 60}, {1, 6, 60}})) sum += flow.rate_bit_s;
  EXPECT_DOUBLE_EQ(sum, 30);
  EXPECT_DOUBLE_EQ(known_.worth_sending({{0, 4, 10}}).front().rate_bit_s, 10);
}

TEST_F(Known, a_neighbourhood_is_the_smaller_side_and_faces_outwards) {
  const Split near = known_.neighbourhood(1);
  EXPECT_THAT(near.segments, ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(near.rates.out.bit_s->value, 30);
  const Split far = known_.neighbourhood(3);
  EXPECT_THAT(far.segments, ElementsAre(2, 3));
  EXPECT_DOUBLE_EQ(far.rates.out.bit_s->value, 25) << "what enters the others leaves these";
  known_.joint.clear();
  EXPECT_THAT(known_.neighbourhood(1).segments, IsEmpty());
}

}  // namespace
}  // namespace quadrille::probe
