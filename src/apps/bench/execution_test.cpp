// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/execution.h"

#include <gtest/gtest.h>

namespace quadrille::bench {
namespace {

TEST(ParseLatestCall, reads_our_own_call_with_its_algorithm) {
  const auto [execution, flows] =
      parse_latest_call("executor=quadrille algorithm=alltoall_ordered:partners=1:pieces=2");
  EXPECT_EQ(execution.executor, "quadrille");
  EXPECT_EQ(execution.algorithm, "alltoall_ordered:partners=1:pieces=2");
  EXPECT_EQ(execution.reason, "");
  EXPECT_EQ(flows, wire::FlowStatistics{});
}

TEST(ParseLatestCall, reads_what_it_cost_on_the_wire) {
  const auto [execution, flows] = parse_latest_call(
      "executor=quadrille algorithm=alltoall_granted:piece_bytes=8192 packets=28 bytes=40000 "
      "resent=3 "
      "credit_wait_ns=71000 stalls=1");
  EXPECT_EQ(execution.algorithm, "alltoall_granted:piece_bytes=8192");
  EXPECT_EQ(
      flows,
      (wire::FlowStatistics{
          .packets = 28, .bytes = 40'000, .resent = 3, .credit_wait = {71'000}, .stalls = 1}));
}

TEST(ParseLatestCall, reads_a_reason_with_blanks) {
  const auto [execution, flows] =
      parse_latest_call("executor=mpi reason=no model, and results must not change");
  EXPECT_EQ(execution.executor, "mpi");
  EXPECT_EQ(execution.reason, "no model, and results must not change");
}

TEST(AsOneCall, is_quadrilles_with_all_algorithms_where_every_call_was) {
  const auto [execution, flows] =
      as_one_call({{{"quadrille", "allreduce_ring", ""}, {.packets = 3}},
                   {{"quadrille", "allreduce_ring", ""}, {}},
                   {{"quadrille", "allgather_bruck", ""}, {.packets = 4, .stalls = 1}}});
  EXPECT_EQ(execution, (Execution{"quadrille", "allreduce_ring+allgather_bruck", ""}));
  EXPECT_EQ(flows, (wire::FlowStatistics{.packets = 7, .stalls = 1}));
}

TEST(AsOneCall, is_the_mpi_librarys_where_one_call_was_and_gives_its_reason) {
  const LatestCall ours{{"quadrille", "bcast_tree", ""}, {}};
  const LatestCall left{{"mpi", "", "no power of two"}, {}};
  for (const auto& calls : {std::vector{ours, left, ours}, std::vector{left, ours, ours}}) {
    EXPECT_EQ(as_one_call(calls).execution, left.execution);
  }
}

TEST(ExecutionSource, without_the_library_names_the_mpi_library) {
  const ExecutionSource source;
  EXPECT_FALSE(source.library_loaded());
  EXPECT_EQ(source.latest().execution.executor, "mpi");
}

}  // namespace
}  // namespace quadrille::bench
