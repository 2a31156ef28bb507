// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/host_overheads.h"

#include <gtest/gtest.h>

namespace quadrille::probe {
namespace {

TEST(HostOverheads, the_usual_is_the_median_host_with_the_middle_half) {
  std::vector<HostOverheads> hosts;
  for (const double send : {3000.0, 1000.0, 2000.0, 90000.0, 4000.0}) {
    hosts.push_back({Measured{send, send, send}, std::nullopt, std::nullopt});
  }
  const auto usual = usual_of(hosts);
  ASSERT_TRUE(usual.send_ns.has_value());
  EXPECT_EQ(usual.send_ns->value, 3000);
  EXPECT_EQ(usual.send_ns->low, 2000);
  EXPECT_EQ(usual.send_ns->high, 4000);
  EXPECT_FALSE(usual.receive_ns.has_value());
  EXPECT_FALSE(usual.gap_ns.has_value());
}

}  // namespace
}  // namespace quadrille::probe
