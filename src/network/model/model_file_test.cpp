// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "network/model/model.h"
#include "network/model/model_checks.h"

namespace quadrille {
namespace {

std::string example(const std::string& name) {
  std::ifstream file(std::string(QUADRILLE_SOURCE_DIR) + "/schemas/examples/network_model_" + name +
                     ".json");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ModelFile, an_example_survives_reading_and_writing_to_the_byte) {
  for (const char* name : {"full", "three_buses", "tree", "islands"}) {
    const auto model = parse_model(example(name));
    ASSERT_TRUE(model.ok()) << name << ": " << model.error().message;
    EXPECT_EQ(print_model(model.value()), example(name)) << name;
  }
}

TEST(ModelFile, every_wrong_example_is_refused_in_the_words_it_states) {
  const auto cases = nlohmann::json::parse(example("invalid"));
  ASSERT_GT(cases.size(), 50U);
  for (const auto& wrong : cases) {
    const auto text =
        wrong.contains("text") ? wrong["text"].get<std::string>() : wrong["document"].dump();
    const auto model = parse_model(text);
    ASSERT_FALSE(model.ok()) << text;
    EXPECT_EQ(model.error().message, wrong["message"].get<std::string>()) << text;
  }
}

TEST(ModelFile, a_file_of_segments_alone_is_filled_in) {
  const auto model = parse_model(example("minimal"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model.value().segments[1].kind, SegmentKind::bus);
  EXPECT_EQ(model.value().segments[1].name, "segment1");
  ASSERT_EQ(model.value().hosts.size(), 3U);
  EXPECT_EQ(model.value().hosts[2].segment, "segment1");
  EXPECT_FALSE(model.value().hosts[2].to_host_bit_s);
  EXPECT_EQ(parse_model(print_model(model.value())).value(), model.value());
}

TEST(ModelFile, an_interval_is_read_and_without_one_the_value_is_exact) {
  const auto model = parse_model(example("full")).value();
  const auto& burst = model.segments[1].safe_burst_bytes;
  ASSERT_TRUE(burst);
  EXPECT_EQ(burst->low, 130000);
  EXPECT_TRUE(std::isinf(burst->high)) << "null: at least";
  const Measured exact{90000, 90000, 90000};
  EXPECT_EQ(model.segments[1].latency_ns, exact);
  EXPECT_FALSE(model.trunks[0].backward_buffer_bytes) << "null: unknown";
}

TEST(ModelFile, fractions_and_far_numbers_survive) {
  auto model = parse_model(example("minimal")).value();
  model.segments[0].latency_ns = Measured{0.1, 1e-300, 1e300};
  model.segments[0].multicast_bit_s = Measured{1e17, 0, 1e17};
  model.hosts[0].name = model.segments[0].hosts[0] = "h\"\n\u00fc";
  ASSERT_FALSE(check_model(model));
  EXPECT_EQ(parse_model(print_model(model)).value(), model);
}

TEST(ModelFile, nesting_without_end_is_an_error_not_a_crash) {
  for (const char* opening : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) text += opening;
    EXPECT_EQ(parse_model(text).error().message, "model: not a network model: nested too deep");
  }
}

TEST(CheckModel, sees_what_no_file_could_say) {
  const auto good = parse_model(example("full")).value();
  EXPECT_FALSE(check_model(good));
  auto wrong = good;
  wrong.hosts[3].gap_ns = Measured{std::nan(""), 0, 1};
  EXPECT_EQ(check_model(wrong)->message, "hosts[3].gap_ns: not a number of at least 0");
  wrong = good;
  wrong.segments[0].ambient_share = Measured{1.2, 1, 2};
  EXPECT_EQ(check_model(wrong)->message, "segments[0].ambient_share: not a number from 0 to 1");
  wrong = good;
  wrong.segments[1].hosts.clear();
  EXPECT_EQ(check_model(wrong)->message, "segments[1].hosts: must not be empty");
  EXPECT_EQ(check_model(NetworkModel{})->message, "segments: a model has at least one");
}

}  // namespace
}  // namespace quadrille
