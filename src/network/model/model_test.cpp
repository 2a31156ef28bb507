// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quadrille {
namespace {

using testing::HasSubstr;

constexpr char two_segments[] =
    R"({"segments": [{"hosts": ["a", "c"], "kind": "switch"}, {"hosts": ["b"], "kind": "bus"}]})";

constexpr char named_hosts[] = R"({
  "hosts": [{"name": "node1.cluster.local", "address": "10.0.0.1"},
            {"name": "node2", "address": "10.0.0.2"},
            {"name": "node3.east", "address": "10.0.0.3"},
            {"name": "node3.west", "address": "10.0.0.4"},
            {"name": "10.0.0.9"}, {"name": "lost"}],
  "segments": [{"hosts": ["node2", "node3.east", "10.0.0.9"], "kind": "switch"},
               {"hosts": ["node1.cluster.local", "node3.west"], "kind": "bus"}]})";

std::string complaint(const std::vector<std::string>& hosts) {
  const auto found = segments_of(parse_model(named_hosts).value(), hosts);
  return found.ok() ? "" : found.error().message;
}

TEST(SegmentsOf, finds_the_segment_of_each_host_in_the_order_asked) {
  const auto model = parse_model(two_segments);
  ASSERT_TRUE(model.ok());
  const std::vector<std::uint32_t> expected{1, 0, 0, 1};
  EXPECT_EQ(segments_of(model.value(), {"b", "a", "c", "b"}).value(), expected);
  EXPECT_EQ(segments_of(model.value(), {"c"}).value(), std::vector<std::uint32_t>{0});
}

TEST(SegmentsOf, a_host_it_does_not_know_is_named_with_the_way_to_probe_again) {
  const auto found = segments_of(parse_model(two_segments).value(), {"a", "z"});
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("does not know host 'z'"));
  EXPECT_THAT(found.error().message, HasSubstr("quadrille probe"));
}

TEST(SegmentsOf, a_host_fits_with_and_without_its_domain_and_by_its_address) {
  const auto model = parse_model(named_hosts).value();
  const std::vector<std::uint32_t> expected{1, 0, 1, 0};
  EXPECT_EQ(segments_of(model, {"node1", "node2.cluster.local", "10.0.0.4", "node3.east"}).value(),
            expected);
}

TEST(SegmentsOf, a_name_that_could_be_two_hosts_or_another_domains_fits_none) {
  EXPECT_THAT(complaint({"node3"}), HasSubstr("'node3'"));
  EXPECT_THAT(complaint({"node1.elsewhere.org"}), HasSubstr("'node1.elsewhere.org'"));
  EXPECT_THAT(complaint({"10.0.0.77"}), HasSubstr("'10.0.0.77'"));
  EXPECT_THAT(complaint({"10"}), HasSubstr("'10'"));
}

TEST(SegmentsOf, two_names_for_one_host_are_refused) {
  EXPECT_THAT(complaint({"node2", "node2.west"}),
              HasSubstr("'node2' and 'node2.west' both fit the model's host 'node2'"));
}

TEST(SegmentsOf, a_host_whose_segment_was_not_found_is_named) {
  EXPECT_THAT(complaint({"lost"}), HasSubstr("'lost', but not its segment"));
}

}  // namespace
}  // namespace quadrille
