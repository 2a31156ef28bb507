// SPDX-License-Identifier: BSD-3-Clause
#include "network/bounds.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace quadrille {
namespace {

constexpr double kByteNs = 8.0;  // 1 Gbit/s
constexpr double kRate = 1e9 / kByteNs;

NetworkRates one_switch(std::uint32_t hosts, double rate = kRate) {
  NetworkRates network;
  network.segments.push_back({"s0", 0});
  for (std::uint32_t host = 0; host < hosts; ++host) {
    network.hosts.push_back({"h" + std::to_string(host), 0, rate, rate});
  }
  return network;
}

BoundedCall call_on(Collective operation, std::uint64_t bytes, std::uint32_t hosts,
                    std::uint32_t ranks_a_host = 1) {
  BoundedCall call{.collective = operation, .bytes = bytes, .root = 0, .host_of_rank = {}};
  for (std::uint32_t rank = 0; rank < hosts * ranks_a_host; ++rank) {
    call.host_of_rank.push_back(rank / ranks_a_host);
  }
  return call;
}

double payload_ns(const BoundedCall& call, const NetworkRates& network) {
  return lower_bound(call, network, kPayloadOnly).bandwidth_ns;
}

TEST(Bounds, on_equal_hosts_are_the_textbook_formulas) {
  constexpr std::uint64_t m = 12000;
  for (const std::uint32_t p : {2U, 3U, 7U, 16U}) {
    const auto network = one_switch(p);
    const auto bound = [&](Collective operation) {
      return payload_ns(call_on(operation, m, p), network);
    };
    const double message = m * kByteNs;
    EXPECT_DOUBLE_EQ(bound(Collective::barrier), 0);
    EXPECT_DOUBLE_EQ(bound(Collective::bcast), message);
    EXPECT_DOUBLE_EQ(bound(Collective::reduce), message);
    EXPECT_DOUBLE_EQ(bound(Collective::scan), message);
    EXPECT_DOUBLE_EQ(bound(Collective::exscan), message);
    for (const auto operation : {Collective::allgather, Collective::alltoall, Collective::gather,
                                 Collective::scatter, Collective::reduce_scatter_block}) {
      EXPECT_DOUBLE_EQ(bound(operation), (p - 1) * message);
    }
    EXPECT_NEAR(bound(Collective::allreduce), 2.0 * (p - 1) / p * message, 1e-6);
  }
}

TEST(Bounds, with_several_ranks_a_host_count_only_what_leaves_the_host) {
  constexpr std::uint64_t m = 1000;
  const auto network = one_switch(8);
  EXPECT_DOUBLE_EQ(payload_ns(call_on(Collective::alltoall, m, 8, 2), network),
                   4 * 7 * m * kByteNs);
  EXPECT_DOUBLE_EQ(payload_ns(call_on(Collective::allgather, m, 8, 2), network),
                   2 * 7 * m * kByteNs);
  EXPECT_NEAR(payload_ns(call_on(Collective::allreduce, m, 8, 2), network),
              2.0 * 7 / 8 * m * kByteNs, 1e-6);
}

TEST(Bounds, of_uneven_blocks_are_what_the_busiest_host_has_to_send_or_get) {
  const auto network = one_switch(4);
  const auto bound = [&](Collective operation) {
    BoundedCall call = call_on(operation, 0, 4, 2);
    call.block_bytes = [&](Rank from, Rank to) -> std::uint64_t {
      const bool of_senders =
          operation == Collective::allgatherv || operation == Collective::gatherv;
      const bool of_pairs = operation == Collective::alltoallv;
      return (of_senders || of_pairs ? 1000 * static_cast<std::uint64_t>(from) : 0) +
             (of_senders ? 0 : static_cast<std::uint64_t>(to));
    };
    return payload_ns(call, network) / kByteNs;
  };
  // Ranks 2 h and 2 h + 1 are on host h. 0 gets all but 0 and 1.
  EXPECT_DOUBLE_EQ(bound(Collective::allgatherv), 27'000);
  EXPECT_DOUBLE_EQ(bound(Collective::gatherv), 27'000);
  EXPECT_DOUBLE_EQ(bound(Collective::scatterv), 27);
  EXPECT_DOUBLE_EQ(bound(Collective::reduce_scatter), 28 - 1);
  // Ranks 6 and 7 send to 0 to 5.
  EXPECT_DOUBLE_EQ(bound(Collective::alltoallv), 6 * 13'000 + 2 * 15);
}

TEST(Bounds, on_one_host_nothing_is_bounded) {
  const auto bound =
      lower_bound(call_on(Collective::alltoall, 1000, 1, 4), one_switch(1), kTcpFrames);
  EXPECT_EQ(bound.time_ns(), 0);
  EXPECT_EQ(bound.bottleneck, "");
}

// 15 blocks of 32 KiB into each host.
TEST(Bounds, on_sixteen_hosts_at_25_mbit_are_157_ms_for_32_kib) {
  const auto network = one_switch(16, 25e6 / 8);
  EXPECT_NEAR(payload_ns(call_on(Collective::alltoall, 32768, 16), network) / 1e6, 157.3, 0.05);
}

NetworkRates two_switches(double trunk_rate) {
  auto network = one_switch(8);
  network.segments.push_back({"s1", 0});
  for (std::uint32_t host = 0; host < 8; ++host) network.hosts[host].segment = host % 2;
  network.trunks.push_back({"s0-s1", 0, 1, trunk_rate, trunk_rate});
  return network;
}

TEST(Bounds, of_a_trunk_are_what_has_to_cross_it) {
  constexpr std::uint64_t m = 1000;
  const auto network = two_switches(kRate);
  const auto bound = [&](Collective operation) {
    return lower_bound(call_on(operation, m, 8), network, kPayloadOnly);
  };
  EXPECT_DOUBLE_EQ(bound(Collective::alltoall).bandwidth_ns, 4 * 4 * m * kByteNs);
  EXPECT_EQ(bound(Collective::alltoall).bottleneck, "trunk s0-s1");
  EXPECT_DOUBLE_EQ(bound(Collective::allgather).bandwidth_ns, 7 * m * kByteNs);
  EXPECT_DOUBLE_EQ(bound(Collective::bcast).bandwidth_ns, m * kByteNs);
}

TEST(Bounds, of_a_trunk_with_a_way_around_it_do_not_hold) {
  auto network = two_switches(kRate / 100);
  network.trunks.push_back({"second", 0, 1, 0, 0});
  EXPECT_DOUBLE_EQ(payload_ns(call_on(Collective::alltoall, 1000, 8), network), 7000 * kByteNs);
}

// Three shared segments of 10 Mbit/s, hosts 0 3 6 / 1 4 7 / 2 5.
NetworkRates three_buses() {
  NetworkRates network;
  for (const char* name : {"b0", "b1", "b2"}) network.segments.push_back({name, 10e6 / 8});
  for (std::uint32_t host = 0; host < 8; ++host) {
    network.hosts.push_back({"h" + std::to_string(host), host % 3, 10e6 / 8, 10e6 / 8});
  }
  network.trunks.push_back({"b0-b1", 0, 1, 0, 0});
  network.trunks.push_back({"b0-b2", 0, 2, 0, 0});
  return network;
}

TEST(Bounds, on_buses_count_every_byte_once_whoever_sends_it) {
  const auto network = three_buses();
  const auto ms = [&](Collective operation) {
    return payload_ns(call_on(operation, 16000, 8), network) / 1e6;
  };
  EXPECT_NEAR(ms(Collective::bcast), 12.8, 1e-9);
  EXPECT_NEAR(ms(Collective::allreduce), 51.2, 1e-9);
  EXPECT_NEAR(ms(Collective::allgather), 102.4, 1e-9);
  // A bus of three: 3 * 7 blocks out, 3 * 5 in.
  EXPECT_NEAR(ms(Collective::alltoall), 36 * 12.8, 1e-9);
  EXPECT_NEAR(ms(Collective::reduce), 3 * 12.8, 1e-9);
}

TEST(Bounds, without_multicast_count_a_copy_for_each_host_of_a_bus) {
  const auto network = three_buses();
  const auto messages = [&](Collective operation) {
    const auto bound =
        lower_bound(call_on(operation, 16000, 8), network, kPayloadOnly, Delivery::one_to_one);
    return bound.bandwidth_ns / 12.8e6;
  };
  // Two to the root's neighbours and one to the other buses; three come in there.
  EXPECT_NEAR(messages(Collective::bcast), 3, 1e-9);
  // Three hosts and the rest of the network.
  EXPECT_NEAR(messages(Collective::allreduce), 6, 1e-9);
  // 7 blocks to each of three hosts, and their three leave.
  EXPECT_NEAR(messages(Collective::allgather), 24, 1e-9);
  // Whose blocks differ for every receiver: the same as with multicast.
  EXPECT_NEAR(messages(Collective::alltoall), 36, 1e-9);
  EXPECT_NEAR(messages(Collective::reduce), 3, 1e-9);
}

TEST(Bounds, say_whether_they_hold_with_multicast) {
  const auto holds = [](Collective operation, const NetworkRates& network, Delivery delivery) {
    const auto call = call_on(operation, 16000, 8);
    return lower_bound(call, network, kPayloadOnly, delivery).with_multicast;
  };
  EXPECT_TRUE(holds(Collective::bcast, three_buses(), Delivery::multicast));
  EXPECT_FALSE(holds(Collective::bcast, three_buses(), Delivery::one_to_one));
  auto one = one_switch(8);
  EXPECT_TRUE(holds(Collective::bcast, one, Delivery::one_to_one));
  EXPECT_FALSE(holds(Collective::allreduce, one, Delivery::multicast));
  one.latency_ns = 1e9;
  EXPECT_FALSE(holds(Collective::bcast, one, Delivery::multicast));
}

TEST(Bounds, follow_the_slower_direction_of_a_host) {
  auto network = one_switch(4);
  network.hosts[2].out_bytes_per_second = kRate / 10;
  const auto bound = lower_bound(call_on(Collective::alltoall, 1000, 4), network, kPayloadOnly);
  EXPECT_DOUBLE_EQ(bound.bandwidth_ns, 30000 * kByteNs);
  EXPECT_EQ(bound.bottleneck, "host h2 out");
  // Nothing has to leave host 2 in a broadcast from host 0.
  EXPECT_DOUBLE_EQ(payload_ns(call_on(Collective::bcast, 1000, 4), network), 1000 * kByteNs);
}

TEST(Bounds, latency_counts_rounds_between_hosts) {
  auto network = one_switch(9);
  network.latency_ns = 50;
  EXPECT_DOUBLE_EQ(lower_bound(call_on(Collective::barrier, 0, 9), network, kPayloadOnly).time_ns(),
                   200);
  EXPECT_DOUBLE_EQ(
      lower_bound(call_on(Collective::barrier, 0, 2, 3), network, kPayloadOnly).time_ns(), 50);
}

TEST(HostIndices, are_those_of_the_rates_in_the_order_of_the_names) {
  const auto network = one_switch(3);
  EXPECT_EQ(host_indices(network, {"h2", "h0", "h2"}), (std::vector<std::uint32_t>{2, 0, 2}));
  EXPECT_EQ(host_indices(network, {"h2", "h3"}), std::nullopt);
}

TEST(Framing, adds_a_header_for_every_frame_begun) {
  EXPECT_EQ(kTcpFrames.on_wire(0), 0U);
  EXPECT_EQ(kTcpFrames.on_wire(1), 67U);
  EXPECT_EQ(kTcpFrames.on_wire(1448), 1514U);
  EXPECT_EQ(kTcpFrames.on_wire(1449), 1449U + 2 * 66);
  EXPECT_EQ(kTcpSlots.on_wire(1448), 1538U);
  EXPECT_EQ(kPayloadOnly.on_wire(12345), 12345U);
}

}  // namespace
}  // namespace quadrille
