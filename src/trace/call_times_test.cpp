// SPDX-License-Identifier: BSD-3-Clause
#include "trace/call_times.h"

#include <gtest/gtest.h>

namespace quadrille::trace {
namespace {

TEST(CallTimesTest, CallsOfOneKindAndAboutOneSizeAreSummedUp) {
  CallTimes times;
  const std::string* const library = times.name("mpi");
  const CallTimes::Kind send{"MPI_Send", "point-to-point", &times, library};
  times.add(send, 1000, 10);
  times.add(send, 700, 5);
  times.add(send, 100'000, 40);
  const auto sums = times.sums();
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].second.calls, 2U);
  EXPECT_EQ(sums[0].second.bytes, 1700U);
  EXPECT_EQ(sums[0].second.time_ns, 15);
  EXPECT_EQ(sums[1].second.calls, 1U);
}

TEST(CallTimesTest, WhatDiffersInPlaceOrExecutorIsKeptApart) {
  CallTimes times;
  EXPECT_EQ(times.name("mpi"), times.name("mpi"));
  const CallTimes::Kind one{"MPI_Wait", "point-to-point", &times, times.name("mpi")};
  CallTimes::Kind elsewhere = one;
  elsewhere.site = &one;
  CallTimes::Kind by_other = one;
  by_other.executed_by = times.name("allreduce_ring");
  CallTimes::Kind of_others = one;
  of_others.part = "MPI-IO";
  for (const auto& kind : {one, elsewhere, by_other, of_others}) times.add(kind, 0, 1);
  EXPECT_EQ(times.sums().size(), 4U);
}

}  // namespace
}  // namespace quadrille::trace
