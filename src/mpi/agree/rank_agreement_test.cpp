// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agree/rank_agreement.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "mpi/fake/fake_job.h"

namespace quadrille {
namespace {

constexpr int tag = 5;

std::vector<int> all_ranks(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(RankAgreement, TakesTheMaximumOfEachValue) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    fake::FakeJob job(ranks);
    job.run([&](int rank) {
      const std::vector<int> all = all_ranks(ranks);
      std::array<std::int64_t, 3> values{rank, -rank, (rank * 5) % ranks};
      EXPECT_EQ(take_maximum({MPI_COMM_WORLD, tag, all, rank}, values), MPI_SUCCESS);
      EXPECT_EQ(values, (std::array<std::int64_t, 3>{ranks - 1, 0, values[2]}));
      EXPECT_GE(values[2], (rank * 5) % ranks);
    });
    EXPECT_EQ(job.releases(), 0);
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(job.open_receives(rank), 0U);
  }
}

// The ranks of a communicator need not be the shadow's first, nor in its order.
TEST(RankAgreement, SpeaksToTheRanksOfTheShadow) {
  fake::FakeJob job(5);
  job.run([](int world_rank) {
    const std::array members{4, 1, 3};
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      if (members[rank] != world_rank) continue;
      std::array<std::int64_t, 1> value{world_rank * 10};
      EXPECT_EQ(take_maximum({MPI_COMM_WORLD, tag, members, static_cast<int>(rank)}, value),
                MPI_SUCCESS);
      EXPECT_EQ(value[0], 40);
    }
  });
}

TEST(RankAgreement, SwapsAroundARing) {
  fake::FakeJob job(4);
  job.run([](int rank) {
    const std::vector<int> all = all_ranks(4);
    const std::array mine{rank, rank * rank};
    std::array theirs{-1, -1};
    const int left = (rank + 3) % 4;
    EXPECT_EQ(swap({MPI_COMM_WORLD, tag, all, rank}, std::as_bytes(std::span(mine)),
                   static_cast<std::size_t>((rank + 1) % 4),
                   std::as_writable_bytes(std::span(theirs)), static_cast<std::size_t>(left)),
              MPI_SUCCESS);
    EXPECT_EQ(theirs, (std::array{left, left * left}));
  });
}

// The n-th call of `function` fails on one rank of four.
void expect_code_of(const char* function, int failing, std::uint64_t nth) {
  fake::FakeJob job(4);
  job.fail({function, failing, nth, MPI_ERR_QUOTA});
  job.run([&](int rank) {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const std::vector<int> all = all_ranks(4);
    std::array<std::int64_t, 1> value{rank};
    const int code = take_maximum({MPI_COMM_WORLD, tag, all, rank}, value);
    if (rank == failing) {
      EXPECT_EQ(code, MPI_ERR_QUOTA) << function;
    }
    job.meet();
    EXPECT_EQ(job.open_receives(rank), 0U) << function;
  });
  EXPECT_TRUE(job.fault_was_met());
}

void expect_codes_of(const char* function) {
  for (int failing = 0; failing < 4; ++failing) {
    for (const std::uint64_t nth : {1U, 2U}) expect_code_of(function, failing, nth);
  }
}

TEST(RankAgreement, ReturnsTheCodeOfAReceiveThatFails) { expect_codes_of("PMPI_Irecv"); }

// What came for it later would be written to memory that is no longer its own.
TEST(RankAgreement, GivesUpItsReceiveWhereASendFails) { expect_codes_of("PMPI_Isend"); }
TEST(RankAgreement, GivesUpItsReceiveWhereATestFails) { expect_codes_of("PMPI_Testall"); }

}  // namespace
}  // namespace quadrille
