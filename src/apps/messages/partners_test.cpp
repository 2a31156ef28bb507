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

TEST(Partners, SendersAreThoseWhoHaveTheRankAmongTheirs) {
  const PartnersOfRanks partners{{1, 2}, {2}, {}};
  EXPECT_THAT(senders_to(0, partners), IsEmpty());
  EXPECT_THAT(senders_to(2, partners), ElementsAre(0, 1));
}

}  // namespace
}  // namespace quadrille::messages
