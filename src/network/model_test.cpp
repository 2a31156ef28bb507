// SPDX-License-Identifier: BSD-3-Clause
#include "network/model.h"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

constexpr char two_segments[] =
    R"({"segments": [{"hosts": ["a", "c"], "kind": "switch"}, {"hosts": ["b"], "kind": "bus"}]})";

TEST(Model, finds_the_segment_of_each_host_in_the_order_asked) {
  const auto model = parse_model(two_segments);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.value().segments[1].kind, SegmentKind::bus);
  const std::vector<std::uint32_t> expected{1, 0, 0};
  EXPECT_EQ(segments_of(model.value(), {"b", "a", "c"}).value(), expected);
}

TEST(Model, a_host_it_does_not_know_is_named) {
  const auto found = segments_of(parse_model(two_segments).value(), {"a", "z"});
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("'z'"), std::string::npos);
}

TEST(Model, errors_name_the_place_and_the_value) {
  EXPECT_NE(parse_model("{\"segm").error().message.find("not valid JSON"), std::string::npos);
  EXPECT_EQ(parse_model("[]").error().message, "model: expected an object");
  EXPECT_EQ(parse_model("{}").error().message, "segments: expected a list of at least one segment");
  const auto kind = parse_model(R"({"segments": [{"hosts": ["a"], "kind": "ring"}]})");
  EXPECT_EQ(kind.error().message, "segments[0].kind: expected 'switch' or 'bus', found \"ring\"");
  EXPECT_FALSE(parse_model(R"({"segments": [{"hosts": [3], "kind": "bus"}]})").ok());
}

}  // namespace
}  // namespace quadrille
