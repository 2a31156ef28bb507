// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/execution.h"

#include <gtest/gtest.h>

namespace quadrille::bench {
namespace {

TEST(ParseExecution, reads_our_own_call_with_its_algorithm) {
  const auto execution =
      parse_execution("executor=quadrille algorithm=alltoall_ordered:partners=1:pieces=2");
  EXPECT_EQ(execution.executor, "quadrille");
  EXPECT_EQ(execution.algorithm, "alltoall_ordered:partners=1:pieces=2");
  EXPECT_EQ(execution.reason, "");
}

TEST(ParseExecution, reads_a_reason_with_blanks) {
  const auto execution =
      parse_execution("executor=mpi reason=no model, and results must not change");
  EXPECT_EQ(execution.executor, "mpi");
  EXPECT_EQ(execution.reason, "no model, and results must not change");
}

TEST(ExecutionSource, without_the_library_names_the_mpi_library) {
  const ExecutionSource source;
  EXPECT_FALSE(source.library_loaded());
  EXPECT_EQ(source.latest().executor, "mpi");
}

}  // namespace
}  // namespace quadrille::bench
