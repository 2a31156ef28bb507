// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/rates_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quadrille::bench {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ParseLabRates, reads_switches_buses_and_trunks) {
  const auto rates = parse_lab_rates(json::parse(R"({
    "bridges": [{"name": "s0", "kind": "switch", "hosts": ["a"], "bus_rate_bit_s": null},
                {"name": "b0", "kind": "bus", "hosts": ["b", "c"], "bus_rate_bit_s": 10000000},
                {"name": "core", "kind": "switch", "hosts": []}],
    "segments": [],
    "hosts": [{"name": "a", "to_host_bit_s": 25000000, "from_host_bit_s": 5000000}],
    "trunks": [{"name": "t", "between": ["s0", "core"], "rate_bit_s": 80000000}]})"));
  ASSERT_TRUE(rates.ok()) << rates.error().message;
  ASSERT_EQ(rates.value().hosts.size(), 3U);
  EXPECT_DOUBLE_EQ(rates.value().hosts[0].in_bytes_per_second, 3'125'000);
  EXPECT_DOUBLE_EQ(rates.value().hosts[0].out_bytes_per_second, 625'000);
  EXPECT_DOUBLE_EQ(rates.value().segments[1].bus_bytes_per_second, 1'250'000);
  ASSERT_EQ(rates.value().trunks.size(), 1U);
  EXPECT_EQ(rates.value().trunks[0].second, 2U);
  EXPECT_DOUBLE_EQ(rates.value().trunks[0].backward_bytes_per_second, 10'000'000);
}

TEST(ParseLabRates, without_rates_leaves_them_unknown) {
  const auto rates =
      parse_lab_rates(json::parse(R"({"bridges": [{"hosts": ["a", "b"], "kind": "switch"}]})"));
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().hosts[1].in_bytes_per_second, 0);
}

TEST(ParseLabRates, refuses_what_it_cannot_read) {
  EXPECT_THAT(parse_lab_rates(json::parse("[]")).error().message, HasSubstr("the lab's statement"));
  EXPECT_THAT(parse_lab_rates(json::parse(R"({"bridges": [{"kind": "switch"}]})")).error().message,
              HasSubstr("hosts"));
  EXPECT_THAT(
      parse_lab_rates(json::parse(R"({"bridges": [], "trunks": [{"between": ["x", "y"]}]})"))
          .error()
          .message,
      HasSubstr("[\"x\",\"y\"]"));
}

}  // namespace
}  // namespace quadrille::bench
