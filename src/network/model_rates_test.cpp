// SPDX-License-Identifier: BSD-3-Clause
#include "network/model_rates.h"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

NetworkRates rates(const char* json) { return rates_of(parse_model(json).value()); }

TEST(RatesOf, hosts_buses_trunks_and_junctions_keep_their_places) {
  const auto found = rates(R"({
    "hosts": [{"name": "b", "to_host_bit_s": 8000, "from_host_bit_s": 800}, {"name": "lost"}],
    "segments": [{"name": "s", "hosts": ["a"], "kind": "switch", "latency_ns": 70},
                 {"name": "u", "hosts": ["b"], "kind": "bus", "bus_rate_bit_s": 1600,
                  "latency_ns": 60}],
    "junctions": ["j"],
    "trunks": [{"between": ["j", "u"], "forward_bit_s": 80, "backward_bit_s": 160}]})");
  ASSERT_EQ(found.segments.size(), 3U);
  EXPECT_EQ(found.segments[1].bus_bytes_per_second, 200);
  ASSERT_EQ(found.hosts.size(), 2U);
  EXPECT_EQ(found.hosts[0].segment, 1U);
  EXPECT_EQ(found.hosts[0].in_bytes_per_second, 1000);
  EXPECT_EQ(found.hosts[0].out_bytes_per_second, 100);
  EXPECT_EQ(found.hosts[1].in_bytes_per_second, 0) << "unknown";
  ASSERT_EQ(found.trunks.size(), 1U);
  EXPECT_EQ(found.trunks[0].first, 2U);
  EXPECT_EQ(found.trunks[0].second, 1U);
  EXPECT_EQ(found.trunks[0].forward_bytes_per_second, 10);
  EXPECT_EQ(found.latency_ns, 60);
}

TEST(RatesOf, a_rate_known_only_from_below_bounds_nothing) {
  const auto found = rates(R"({"hosts": [{"name": "a", "to_host_bit_s": 8,
      "from_host_bit_s": 8, "intervals": {"to_host_bit_s": [8, null]}}],
      "segments": [{"hosts": ["a"], "kind": "switch"}]})");
  EXPECT_EQ(found.hosts[0].in_bytes_per_second, 0);
  EXPECT_EQ(found.hosts[0].out_bytes_per_second, 1);
}

}  // namespace
}  // namespace quadrille
