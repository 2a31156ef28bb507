// SPDX-License-Identifier: BSD-3-Clause
#include "apps/messages/partners.h"

#include <gmock/gmock.h>

namespace quadrille::messages {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Partners, AreReadInTheirOrder) {
  const auto read = parse_partners(R"({"run_s": 1.5, "partners": [[2, 1], [], [0]]})", 3);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read.value(), ElementsAre(ElementsAre(2, 1), IsEmpty(), ElementsAre(0)));
}

TEST(Partners, OfAnotherJobAreRefused) {
  EXPECT_THAT(parse_partners("{", 1).error().message, HasSubstr("no partners"));
  EXPECT_THAT(parse_partners("[1]", 1).error().message, HasSubstr("no partners"));
  EXPECT_THAT(parse_partners(R"({"partners": [[1], [0]]})", 3).error().message,
              HasSubstr("of 2 ranks"));
  EXPECT_THAT(parse_partners(R"({"partners": [[2], [0]]})", 2).error().message,
              HasSubstr("no ranks"));
  EXPECT_THAT(parse_partners(R"({"partners": [["a"]]})", 1).error().message, HasSubstr("no ranks"));
}

TEST(Partners, RanksSendToSomeAtATimeAndReceiveWhatOthersSendThen) {
  const PartnersOfRanks partners{{1, 2}, {2}, {}};
  const auto one_each = rounds_of(2, partners, 1);
  ASSERT_EQ(one_each.size(), 2U);
  EXPECT_THAT(one_each[0].senders, ElementsAre(1));
  EXPECT_THAT(one_each[1].senders, ElementsAre(0));
  EXPECT_THAT(one_each[0].receivers, IsEmpty());
  const auto all = rounds_of(0, partners, 64);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].receivers, ElementsAre(1, 2));
  EXPECT_THAT(rounds_of(0, {{}, {}}, 64), IsEmpty());
}

}  // namespace
}  // namespace quadrille::messages
