// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/simulated_cluster.h"

#include <gtest/gtest.h>

#include <numeric>

#include "apps/simulate/block_sizes.h"
#include "mpi/start/wire_limits.h"
#include "network/model/model_checks.h"

namespace quadrille::simulate {
namespace {

wire::SimulatedSettings ports_for(const std::string& network, std::uint32_t hosts) {
  const auto cluster = cluster_of(network, hosts);
  std::vector<std::uint32_t> all(cluster.value().model.hosts.size());
  std::iota(all.begin(), all.end(), 0U);
  return ports_of(cluster.value(), all, {}).value();
}

TEST(SimulatedCluster, of_a_name_is_a_model_that_passes_all_checks) {
  for (const char* const name : {"switch", "leaf-spine", "leaf-spine:hosts=20:leaf=6:spines=3"}) {
    const auto cluster = cluster_of(name, 16);
    ASSERT_TRUE(cluster.ok()) << cluster.error().message;
    const auto wrong = check_model(cluster.value().model);
    EXPECT_FALSE(wrong) << wrong->message;
  }
}

TEST(SimulatedCluster, has_uplinks_that_are_together_as_fast_as_oversubscription_says) {
  const auto settings = ports_for("leaf-spine:hosts=32:leaf=8:spines=4:over=2:rate=10", 2);
  EXPECT_EQ(settings.switches, 5U);
  ASSERT_EQ(settings.trunks.size(), 4U);
  for (const wire::SimulatedTrunk& trunk : settings.trunks) {
    EXPECT_EQ(trunk.ways, 4U);
    EXPECT_DOUBLE_EQ(trunk.forward_bit_s, 10e9);  // 8 hosts * 10 / 2 / 4
    EXPECT_DOUBLE_EQ(trunk.backward_bit_s, 10e9);
  }
  EXPECT_EQ(settings.hosts[0].at_switch, settings.hosts[7].at_switch);
  EXPECT_NE(settings.hosts[7].at_switch, settings.hosts[8].at_switch);
}

TEST(SimulatedCluster, has_as_many_hosts_as_are_needed_where_none_are_named) {
  EXPECT_EQ(ports_for("switch", 12).hosts.size(), 12U);
  EXPECT_EQ(ports_for("leaf-spine:leaf=4", 10).trunks.size(), 3U);
}

TEST(SimulatedCluster, refuses_what_it_does_not_know) {
  for (const char* const name :
       {"switch:", "switch:hosts", "switch:hosts=x", "switch:hosts=1", "switch:rate=0",
        "leaf-spine:leafs=4", "leaf-spine:over=-1", "switch:rate=nan", "no/such/file"}) {
    const auto cluster = cluster_of(name, 16);
    if (std::string(name) == "switch:") {
      EXPECT_TRUE(cluster.ok());
      continue;
    }
    EXPECT_FALSE(cluster.ok()) << name;
  }
}

TEST(WireLimits, leave_a_host_its_share_of_a_trunk_that_carries_less_than_its_hosts) {
  const auto most_of = [](const std::string& network) {
    const auto cluster = cluster_of(network, 32);
    std::vector<std::uint32_t> hosts(32);
    std::iota(hosts.begin(), hosts.end(), 0U);
    const WireLimits limits({hosts, 32, &cluster.value().model, hosts}, 1500);
    EXPECT_LE(limits.packets(0), limits.most_packets(0, 4096));
    return limits.most_packets(0, 4096);
  };
  // 2 ports of 1 MiB among 16 hosts, three quarters of it, 1538 bytes a packet.
  EXPECT_EQ(most_of("leaf-spine:hosts=32:leaf=16:spines=2:over=2:buffer=1024"), 63U);
  // No less than what the link carries in a round trip, and than a few packets.
  EXPECT_EQ(most_of("leaf-spine:hosts=32:leaf=16:spines=1:over=2:buffer=64"), 28U);
  EXPECT_EQ(most_of("leaf-spine:hosts=32:leaf=16:spines=1:over=2:rate=0.1:buffer=64"), 16U);
  // Where the trunk carries all, or there is none, budgets grow as far as sockets hold.
  EXPECT_EQ(most_of("leaf-spine:hosts=32:leaf=16:over=1"), wire::CreditBudget::most_with(4096));
  EXPECT_EQ(most_of("switch:hosts=32"), wire::CreditBudget::most_with(4096));
}

TEST(BlockSizes, of_a_power_law_have_the_mean_that_was_asked_for) {
  const BlockLengths lengths = lengths_of(BlockSizes::power_law, 10'000, 1);
  double sum = 0;
  std::uint64_t longest = 0;
  for (Rank from = 0; from < 200; ++from) {
    for (Rank to = 0; to < 200; ++to) {
      sum += static_cast<double>(lengths(from, to));
      longest = std::max(longest, lengths(from, to));
    }
  }
  EXPECT_GT(sum / 40'000, 8'500);
  EXPECT_LT(sum / 40'000, 11'000);
  EXPECT_GT(longest, 500'000U);
  EXPECT_LE(longest, 1'000'000U);
}

TEST(BlockSizes, are_found_by_their_names) {
  EXPECT_EQ(block_sizes_named("one-sender"), BlockSizes::one_sender);
  EXPECT_FALSE(block_sizes_named("odd"));
  EXPECT_EQ(lengths_of(BlockSizes::one_sender, 7, 1)(0, 3), 7U);
  EXPECT_EQ(lengths_of(BlockSizes::one_sender, 7, 1)(1, 3), 0U);
  EXPECT_EQ(lengths_of(BlockSizes::equal, 7, 1)(1, 3), 7U);
}

}  // namespace
}  // namespace quadrille::simulate
