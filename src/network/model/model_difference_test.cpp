// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace quadrille {
namespace {

NetworkModel example_model(const std::string& name) {
  std::ifstream file(std::string(QUADRILLE_SOURCE_DIR) + "/schemas/examples/network_model_" + name +
                     ".json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_model(text).value();
}

std::string texts(const std::vector<Difference>& differences) {
  std::string text;
  for (const auto& difference : differences)
    text += (difference.serious ? "! " : "- ") + difference.path + ": " + difference.text + "\n";
  return text;
}

std::string compared(const NetworkModel& expected, const NetworkModel& found) {
  return texts(compare_models(expected, found));
}

Measured about(double value) { return {value, 0.95 * value, 1.05 * value}; }

Trunk trunk(const std::string& first, const std::string& second) {
  Trunk joining;
  joining.name = "found";
  joining.first = first;
  joining.second = second;
  return joining;
}

// Removes hosts from all lists, and segments that are empty then.
NetworkModel without(NetworkModel model, const std::vector<std::string>& gone) {
  const auto is_gone = [&](const std::string& name) {
    return std::find(gone.begin(), gone.end(), name) != gone.end();
  };
  std::erase_if(model.hosts, [&](const auto& host) { return is_gone(host.name); });
  for (auto& segment : model.segments) std::erase_if(segment.hosts, is_gone);
  return model;
}

TEST(CompareModels, a_model_does_not_differ_from_itself_whatever_segments_are_called) {
  for (const char* name : {"full", "minimal", "three_buses", "tree", "islands"}) {
    const auto model = example_model(name);
    auto renamed = model;
    std::reverse(renamed.segments.begin(), renamed.segments.end());
    std::reverse(renamed.hosts.begin(), renamed.hosts.end());
    for (auto& segment : renamed.segments) segment.name += "'";
    for (auto& host : renamed.hosts) host.segment += "'";
    const auto rename = [&](std::string& end) {
      const auto& junctions = renamed.junctions;
      if (std::find(junctions.begin(), junctions.end(), end) == junctions.end()) end += "'";
    };
    for (auto& trunk : renamed.trunks) {
      rename(trunk.first);
      rename(trunk.second);
      std::swap(trunk.first, trunk.second);
      std::swap(trunk.forward_bit_s, trunk.backward_bit_s);
    }
    EXPECT_EQ(compared(model, renamed), "") << name;
  }
}

TEST(CompareModels, rates_differ_only_beyond_both_intervals_and_a_fifth) {
  const auto model = example_model("full");
  auto found = model;
  found.hosts[1].to_host_bit_s = Measured{21e6, 21e6, 21e6};
  EXPECT_EQ(compared(model, found), "") << "16 %";
  found.hosts[1].to_host_bit_s = Measured{15e6, 14e6, 25e6};
  EXPECT_EQ(compared(model, found), "") << "intervals meet";
  found.hosts[1].to_host_bit_s = Measured{15e6, 14e6, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(compared(model, found), "") << "at least";
  found.hosts[1].to_host_bit_s = std::nullopt;
  EXPECT_EQ(compared(model, found), "") << "unknown";
  found.hosts[1].to_host_bit_s = about(10e6);
  EXPECT_EQ(compared(model, found),
            "! hosts[1].to_host_bit_s: rate to host h1 is 10 Mbit/s, was 25 Mbit/s\n");
}

TEST(CompareModels, a_split_and_a_merged_segment_are_serious_and_named_by_their_hosts) {
  const auto model = example_model("three_buses");
  auto found = model;
  auto& hosts = found.segments[0].hosts;
  found.segments[1].hosts.insert(found.segments[1].hosts.begin(), hosts.begin(), hosts.begin() + 1);
  hosts.erase(hosts.begin());
  found.hosts[0].segment = found.segments[1].name;
  const auto differences = compare_models(model, found);
  ASSERT_EQ(differences.size(), 2U) << texts(differences);
  EXPECT_EQ(differences[0].path, "segments[0].hosts");
  EXPECT_EQ(differences[0].found,
            "node01.cluster.local, node02.cluster.local, node03.cluster.local | "
            "node00.cluster.local");
  EXPECT_NE(differences[1].text.find("2 segments are now in one"), std::string::npos);
  EXPECT_TRUE(differences[0].serious && differences[1].serious);
}

TEST(CompareModels, kind_multicast_burst_and_loss) {
  const auto model = example_model("full");
  auto found = model;
  found.segments[0].kind = SegmentKind::bus;
  found.segments[0].multicast = false;
  found.segments[0].safe_burst_bytes = about(12000);
  found.segments[1].lossless = false;
  found.segments[1].multicast = true;
  EXPECT_EQ(compared(model, found),
            "! segments[0].kind: segment of h0, h1, h2, h3 is a bus, was a switch\n"
            "! segments[0].safe_burst_bytes: safe burst in the segment of h0, h1, h2, h3 is "
            "11.7 KiB, was 29.6 KiB\n"
            "! segments[0].multicast: multicast no longer reaches every host of the segment of "
            "h0, h1, h2, h3\n"
            "! segments[1].lossless: frames are lost now in the segment of h4, h5, h6, h7\n"
            "- segments[1].multicast: multicast reaches every host of the segment of h4, h5, h6, "
            "h7\n");
}

TEST(CompareModels, some_of_the_hosts_still_fit_and_a_strange_one_does_not) {
  const auto model = example_model("full");
  EXPECT_EQ(compared(model, without(model, {"h0", "h5"})),
            "- hosts: not measured now, and not compared: h0, h5\n");
  EXPECT_EQ(compared(without(model, {"h0"}), model), "! : host h0 is in no segment of the model\n");
}

// What is left of a segment may send too little to show the trunk before it.
TEST(CompareModels, hosts_that_cannot_fill_a_trunk_need_not_be_told_apart) {
  auto model = example_model("full");
  for (auto& host : model.hosts) host.from_host_bit_s = host.to_host_bit_s = about(1e9);
  for (auto& trunk : model.trunks) trunk.forward_bit_s = trunk.backward_bit_s = about(1e9);
  const auto merged = [&](std::vector<std::string> gone) {
    auto found = without(model, gone);
    for (auto& host : found.hosts) host.segment = found.segments[0].name;
    found.segments.resize(1);
    found.trunks.clear();
    return compare_models(model, found);
  };
  const auto few = merged({"h1", "h2", "h3"});
  ASSERT_EQ(few.size(), 2U) << texts(few);
  EXPECT_EQ(few[1].text,
            "hosts of 2 segments cannot be told apart without the others: h0 | h4, h5, h6, h7");
  EXPECT_FALSE(any_serious(few));
  EXPECT_TRUE(any_serious(merged({"h1", "h2"})));
  EXPECT_TRUE(any_serious(merged({})));
}

TEST(CompareModels, trunks_are_matched_by_what_they_divide) {
  const auto model = example_model("tree");
  auto found = model;
  found.trunks[1].backward_bit_s = about(1e8);
  EXPECT_EQ(compared(model, found),
            "! trunks[1].backward_bit_s: rate of trunk t1 from core to rack1 is 100 Mbit/s, was 1 "
            "Gbit/s\n");
  found = model;
  found.trunks[2] = trunk("rack0", "lab");
  EXPECT_NE(compared(model, found).find("trunks[0]: the trunk between c0, c1, c2, c3 and 2 more"),
            std::string::npos)
      << compared(model, found);
}

TEST(CompareModels, trunks_in_a_row_count_as_the_slower_when_no_host_between_them_is_measured) {
  const auto model =
      example_model("tree");  // rack0 - core - floor - lab: 2 Gbit/s, 1 Gbit/s, 100 Mbit/s
  std::vector<std::string> gone;
  for (int i = 6; i < 16; ++i) gone.push_back("c" + std::to_string(i));
  auto found = without(model, gone);
  std::erase_if(found.segments, [](const auto& segment) { return segment.hosts.empty(); });
  found.junctions.clear();
  found.trunks = {trunk("rack0", "lab")};
  found.trunks[0].forward_bit_s = found.trunks[0].backward_bit_s = about(1e8);
  const auto differences = compare_models(model, found);
  ASSERT_EQ(differences.size(), 1U) << texts(differences);
  EXPECT_EQ(differences[0].path, "hosts");
}

TEST(CompareModels, a_quick_measurement_does_not_look_for_trunks) {
  const auto model = example_model("three_buses");
  auto found = model;
  found.trunks.clear();
  EXPECT_NE(compared(model, found), "");
  found.provenance.mode = "quick";
  EXPECT_EQ(compared(model, found), "");
}

TEST(SeenInBoth, only_what_departs_in_the_same_place_twice_is_left) {
  const auto model = example_model("full");
  auto first = model;
  auto second = model;
  first.hosts[0].from_host_bit_s = about(1e6);
  first.hosts[1].to_host_bit_s = about(1e6);
  second.hosts[1].to_host_bit_s = about(2e6);
  const auto before = compare_models(model, first);
  const auto now = compare_models(model, second);
  ASSERT_TRUE(any_serious(before));
  const auto both = seen_in_both(before, now);
  ASSERT_EQ(both.size(), 1U) << texts(both);
  EXPECT_EQ(both[0].path, "hosts[1].to_host_bit_s");
  EXPECT_EQ(both[0].text, now[0].text);
  EXPECT_TRUE(seen_in_both(before, compare_models(model, model)).empty());
  EXPECT_FALSE(any_serious({}));
}

TEST(SeenInBoth, what_the_model_does_not_hold_must_be_the_same_both_times) {
  const Difference one{"", "unknown", "x1", "host x1 is in no segment of the model", true};
  const Difference other{"", "unknown", "x2", "host x2 is in no segment of the model", true};
  EXPECT_EQ(seen_in_both({one}, {one}).size(), 1U);
  EXPECT_TRUE(seen_in_both({one}, {other}).empty());
}

}  // namespace
}  // namespace quadrille
