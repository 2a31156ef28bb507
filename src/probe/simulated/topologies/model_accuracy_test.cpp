// SPDX-License-Identifier: BSD-3-Clause
// A model that says what there is has no differences; each kind of error is seen.
#include "probe/simulated/topologies/model_accuracy.h"

#include <gtest/gtest.h>

#include <limits>

#include "probe/simulated/topologies/ready_made.h"

namespace quadrille::probe {
namespace {

Measured exactly(double value) { return {value, value, value}; }

// Four hosts on two switches, and all that is true of them.
NetworkModel true_model() {
  NetworkModel model;
  for (const std::string name : {"h0", "h1", "h2", "h3"}) {
    ModelHost host;
    host.name = name;
    host.from_host_bit_s = host.to_host_bit_s = exactly(50e6);
    model.hosts.push_back(host);
  }
  Segment even;
  even.name = "a";
  even.hosts = {"h2", "h0"};
  even.safe_burst_bytes = exactly(30'000);
  even.multicast = true;
  Segment odd = even;
  odd.name = "b";
  odd.hosts = {"h1", "h3"};
  model.segments = {even, odd};
  Trunk trunk;
  trunk.name = "t";
  trunk.first = "b";
  trunk.second = "a";
  trunk.forward_bit_s = trunk.backward_bit_s = exactly(50e6);
  model.trunks = {trunk};
  return model;
}

ModelAccuracy accuracy(const NetworkModel& model) {
  return accuracy_of(model,
                     expected_network(ready_made("two_switches_one_trunk", {.hosts = 4}).value()));
}

TEST(ModelAccuracy, a_true_model_has_no_differences) {
  const auto seen = accuracy(true_model());
  EXPECT_TRUE(seen.differences.empty()) << seen.differences.front();
  EXPECT_TRUE(seen.partition_right && seen.kinds_right && seen.multicast_right);
  EXPECT_EQ(seen.worst_host_rate_error, 0);
  EXPECT_NEAR(seen.most_burst_share, 30'000 / 32'768.0, 1e-9);
}

TEST(ModelAccuracy, sees_a_wrong_partition) {
  auto model = true_model();
  std::swap(model.segments[0].hosts[0], model.segments[1].hosts[0]);
  const auto seen = accuracy(model);
  EXPECT_FALSE(seen.partition_right);
  EXPECT_EQ(seen.false_trunks, 1U);
  EXPECT_EQ(seen.missing_trunks, 1U);
}

TEST(ModelAccuracy, sees_a_segment_too_many) {
  auto model = true_model();
  model.segments.push_back({});
  model.segments.back().hosts = {"h9"};
  EXPECT_FALSE(accuracy(model).partition_right);
}

TEST(ModelAccuracy, sees_wrong_kinds_multicast_and_rates) {
  auto model = true_model();
  model.segments[0].kind = SegmentKind::bus;
  model.segments[1].multicast = false;
  model.hosts[1].to_host_bit_s = exactly(40e6);
  model.hosts[2].from_host_bit_s.reset();
  model.trunks[0].backward_bit_s = exactly(75e6);
  const auto seen = accuracy(model);
  EXPECT_TRUE(seen.partition_right);
  EXPECT_FALSE(seen.kinds_right);
  EXPECT_FALSE(seen.multicast_right);
  EXPECT_NEAR(seen.worst_host_rate_error, 0.2, 1e-9);
  EXPECT_NEAR(seen.worst_trunk_rate_error, 0.5, 1e-9);
  EXPECT_EQ(seen.unknown_host_rates, 1U);
}

TEST(ModelAccuracy, at_least_is_wrong_only_when_it_says_too_much) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto model = true_model();
  model.trunks[0].forward_bit_s = Measured{20e6, 20e6, infinity};
  EXPECT_EQ(accuracy(model).worst_trunk_rate_error, 0);
  model.trunks[0].forward_bit_s = Measured{60e6, 60e6, infinity};
  EXPECT_NEAR(accuracy(model).worst_trunk_rate_error, 0.2, 1e-9);
}

}  // namespace
}  // namespace quadrille::probe
