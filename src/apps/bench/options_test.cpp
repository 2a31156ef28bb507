// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quadrille::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JobOptions<Options> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "quadrille-bench");
  return parse_options(static_cast<int>(words.size()), words.data(), {"alltoall", "bcast"});
}

TEST(ParseBytes, takes_units_of_two) {
  EXPECT_EQ(parse_bytes("0").value(), 0U);
  EXPECT_EQ(parse_bytes("32K").value(), 32768U);
  EXPECT_EQ(parse_bytes("2MiB").value(), 2097152U);
}

TEST(ParseBytes, refuses_what_is_no_size_and_names_it) {
  for (const char* text : {"", "K", "-1", "1.5K", "3X", "99999999999999999999", "9999999G"}) {
    const auto result = parse_bytes(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_THAT(result.error().message, HasSubstr("'" + std::string(text) + "'"));
  }
}

TEST(ParseOptions, takes_lists) {
  const auto parsed = parse(
      {"--collective", "alltoall,bcast", "--bytes", "1,1K,32K", "--ranks", "2,4", "--type", "int"});
  ASSERT_TRUE(parsed.run) << parsed.text;
  EXPECT_THAT(parsed.options.collectives, ElementsAre("alltoall", "bcast"));
  EXPECT_THAT(parsed.options.bytes, ElementsAre(1, 1024, 32768));
  EXPECT_THAT(parsed.options.ranks, ElementsAre(2, 4));
  EXPECT_EQ(parsed.options.type, ElementType::int32);
}

TEST(ParseOptions, refuses_wrong_values_with_exit_code_2) {
  const std::vector<std::vector<const char*>> wrong{
      {"--collective", "alltoal"}, {"--bytes", "many"}, {"--ranks", "0"},   {"--seconds", "0"},
      {"--type", "float"},         {"--calls", "0"},    {"--root", "-1"},   {"--sync", "barrier"},
      {"--skew-us", "-3"},         {"--unknown"},       {"--blocks", "two"}};
  for (const auto& words : wrong) {
    const auto parsed = parse(words);
    EXPECT_FALSE(parsed.run) << words[0];
    EXPECT_EQ(parsed.exit_code, 2) << words[0];
    EXPECT_FALSE(parsed.text.empty()) << words[0];
  }
}

TEST(ParseOptions, a_sort_has_sizes_and_constant_memory) {
  const auto parsed = parse({"--vectors", "48", "--doubles", "3", "--memory", "constant-local",
                             "--first", "quadrille", "--background", "native"});
  ASSERT_TRUE(parsed.run) << parsed.text;
  EXPECT_EQ(parsed.options.vectors, 48U);
  EXPECT_EQ(parsed.options.doubles, 3U);
  EXPECT_TRUE(parsed.options.constant_local_memory);
  EXPECT_TRUE(parsed.options.library_first);
  EXPECT_EQ(parsed.options.background, Background::native);
  EXPECT_FALSE(parse({"--memory", "constant"}).run);
  EXPECT_FALSE(parse({}).options.constant_local_memory);
}

TEST(ParseOptions, help_ends_with_code_0) {
  const auto parsed = parse({"--help"});
  EXPECT_FALSE(parsed.run);
  EXPECT_EQ(parsed.exit_code, 0);
  EXPECT_THAT(parsed.text, HasSubstr("--skew-us"));
}

}  // namespace
}  // namespace quadrille::bench
