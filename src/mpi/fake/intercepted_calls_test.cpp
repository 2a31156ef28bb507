// SPDX-License-Identifier: BSD-3-Clause
// Whole calls through the core library as it is shipped, on a fake MPI library.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "mpi/fake/ranks_of_core.h"

namespace quadrille::fake {
namespace {

constexpr const char* algorithms =
    "bcast:bcast_binomial,allreduce:allreduce_ring,allgather:allgather_ring,"
    "alltoall:alltoall_pairwise,reduce:reduce_binomial,barrier:barrier_dissemination,"
    "gather:gather_binomial,scatter:scatter_binomial";

class InterceptedCalls : public testing::Test {
 protected:
  void SetUp() override { set_environment(algorithms); }
};

bool by_quadrille(int rank) { return last_execution(rank).starts_with("executor=quadrille"); }

TEST_F(InterceptedCalls, GiveTheRightData) {
  for (const int ranks : {2, 3, 4, 5}) {
    FakeJob job(ranks);
    run_with_core(job, [&](int rank, MPI_Comm& user) {
      std::vector<int> data(100, rank);
      EXPECT_EQ(INTERCEPTED(rank, MPI_Bcast)(data.data(), 100, MPI_INT, 1, user), MPI_SUCCESS);
      EXPECT_TRUE(by_quadrille(rank)) << last_execution(rank);
      EXPECT_EQ(data, std::vector<int>(100, 1));
      std::vector<int> sum(100);
      const std::vector<int> mine(100, rank + 1);
      EXPECT_EQ(
          INTERCEPTED(rank, MPI_Allreduce)(mine.data(), sum.data(), 100, MPI_INT, MPI_SUM, user),
          MPI_SUCCESS);
      EXPECT_TRUE(by_quadrille(rank));
      EXPECT_EQ(sum, std::vector<int>(100, ranks * (ranks + 1) / 2));
      const auto all = static_cast<std::size_t>(ranks);
      std::vector<int> gathered(all);
      std::vector<int> expected(all);
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(
          INTERCEPTED(rank, MPI_Allgather)(&rank, 1, MPI_INT, gathered.data(), 1, MPI_INT, user),
          MPI_SUCCESS);
      EXPECT_TRUE(by_quadrille(rank));
      EXPECT_EQ(gathered, expected);
      std::vector<int> blocks(all, rank);
      EXPECT_EQ(INTERCEPTED(rank, MPI_Alltoall)(blocks.data(), 1, MPI_INT, gathered.data(), 1,
                                                MPI_INT, user),
                MPI_SUCCESS);
      EXPECT_TRUE(by_quadrille(rank));
      EXPECT_EQ(gathered, expected);
      EXPECT_EQ(INTERCEPTED(rank, MPI_Barrier)(user), MPI_SUCCESS);
      EXPECT_TRUE(by_quadrille(rank));
    });
    EXPECT_EQ(job.releases(), 0);
    EXPECT_FALSE(job.was_aborted());
    EXPECT_EQ(job.communicators(), 0U);
    EXPECT_EQ(job.groups(), 0U);
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(job.open_receives(rank), 0U);
  }
}

TEST_F(InterceptedCalls, MoveDataOfMadeTypes) {
  FakeJob job(3);
  run_with_core(job, [](int rank, MPI_Comm& user) {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    PMPI_Type_vector(3, 1, 2, MPI_INT, &column);
    PMPI_Type_commit(&column);
    std::vector<int> data(6, rank);
    EXPECT_EQ(INTERCEPTED(rank, MPI_Bcast)(data.data(), 1, column, 0, user), MPI_SUCCESS);
    EXPECT_TRUE(by_quadrille(rank));
    EXPECT_EQ(data, (std::vector{0, rank, 0, rank, 0, rank}));
    PMPI_Type_free(&column);
  });
  EXPECT_EQ(job.datatypes(), 0U);
}

TEST_F(InterceptedCalls, LeaveToTheLibraryWhatIsSetSo) {
  set_environment("bcast:mpi");
  FakeJob job(3);
  run_with_core(job, [&](int rank, MPI_Comm& user) {
    const auto before = job.calls(rank)["PMPI_Bcast"];
    for (int call = 0; call < 3; ++call) {
      int number = rank;
      EXPECT_EQ(INTERCEPTED(rank, MPI_Bcast)(&number, 1, MPI_INT, 2, user), MPI_SUCCESS);
      EXPECT_EQ(number, 2);
      EXPECT_FALSE(by_quadrille(rank));
    }
    EXPECT_EQ(job.calls(rank)["PMPI_Bcast"], before + 3);
  });
}

TEST_F(InterceptedCalls, ForwardWrongArguments) {
  FakeJob job(2);
  run_with_core(job, [&](int rank, MPI_Comm& user) {
    const auto before = job.calls(rank)["PMPI_Alltoall"];
    std::vector<int> one(2, rank);
    std::vector<int> other(2);
    // Blocks of unlike sizes have no shape.
    INTERCEPTED(rank, MPI_Alltoall)(one.data(), 1, MPI_INT, other.data(), 1, MPI_DOUBLE, user);
    EXPECT_FALSE(by_quadrille(rank));
    EXPECT_EQ(job.calls(rank)["PMPI_Alltoall"], before + 1);
  });
}

TEST_F(InterceptedCalls, RefuseCountsThatDoNotFit) {
  set_environment("bcast:mpi");
  FakeJob job(2);
  run_with_core(job, [&](int rank, MPI_Comm& user) {
    const auto large = reinterpret_cast<int (*)(void*, MPI_Count, MPI_Datatype, int, MPI_Comm)>(
        intercepted(rank, "MPI_Bcast_c"));
    int number = rank;
    EXPECT_EQ(large(&number, MPI_Count{1} << 40, MPI_INT, 0, user), MPI_ERR_COUNT);
    EXPECT_EQ(large(&number, 1, MPI_INT, 1, user), MPI_SUCCESS);
    EXPECT_EQ(number, 1);
  });
}

TEST_F(InterceptedCalls, WorkOnEveryNewCommunicator) {
  FakeJob job(4);
  run_with_core(job, [](int rank, MPI_Comm& user) {
    for (int round = 0; round < 100; ++round) {
      MPI_Comm half = MPI_COMM_NULL;
      PMPI_Comm_split(user, (rank + round) % 2, rank, &half);
      int sum = 0;
      EXPECT_EQ(INTERCEPTED(rank, MPI_Allreduce)(&rank, &sum, 1, MPI_INT, MPI_SUM, half),
                MPI_SUCCESS);
      EXPECT_TRUE(by_quadrille(rank));
      EXPECT_EQ(sum, rank % 2 == 0 ? 2 : 4);
      PMPI_Comm_free(&half);
    }
  });
  EXPECT_EQ(job.communicators(), 0U);
}

TEST_F(InterceptedCalls, LeaveACommunicatorOfWhoseSizeOneRankIsToldWrong) {
  FakeJob job(4);
  job.lie_about_size(2, 3);
  run_with_core(job, [](int rank, MPI_Comm& user) {
    int sum = 0;
    EXPECT_EQ(INTERCEPTED(rank, MPI_Allreduce)(&rank, &sum, 1, MPI_INT, MPI_SUM, user),
              MPI_SUCCESS);
    EXPECT_FALSE(by_quadrille(rank));
    EXPECT_EQ(sum, 6);
  });
  EXPECT_EQ(job.releases(), 0);
}

TEST_F(InterceptedCalls, EndWhereTheLibraryFreesWhatIsUnderWayWithWhatHasFailed) {
  set_environment("alltoall:alltoall_ordered");
  FakeJob job(4);
  job.free_with_failed();
  run_with_core(job, [&](int rank, MPI_Comm& user) {
    const auto all_to_all = [&](int count) {
      const std::vector<int> sent(8, rank);
      std::vector<int> received(8);
      return INTERCEPTED(rank, MPI_Alltoall)(sent.data(), count, MPI_INT, received.data(), count,
                                             MPI_INT, user);
    };
    EXPECT_EQ(all_to_all(1), MPI_SUCCESS);
    // Rank 1's block is too long for all others, of which the last comes when that has been seen.
    if (rank == 3) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const int code = all_to_all(rank == 1 ? 2 : 1);
    EXPECT_TRUE(by_quadrille(rank)) << last_execution(rank);
    EXPECT_EQ(code, MPI_ERR_TRUNCATE) << rank;
    EXPECT_EQ(all_to_all(1), MPI_SUCCESS) << rank;
  });
  EXPECT_EQ(job.releases(), 0);
}

}  // namespace
}  // namespace quadrille::fake
