// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/fake/fake_job.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace quadrille::fake {
namespace {

TEST(FakeJob, AddsUpOverAllRanks) {
  FakeJob job(5);
  job.run([](int rank) {
    int sum = 0;
    EXPECT_EQ(PMPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 10);
  });
  EXPECT_EQ(job.releases(), 0);
}

TEST(FakeJob, CarriesMessagesInTheirOrder) {
  FakeJob job(2);
  job.run([](int rank) {
    for (int number = 0; number < 20; ++number) {
      MPI_Request request = MPI_REQUEST_NULL;
      int came = -1;
      if (rank == 0) {
        PMPI_Isend(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
      } else {
        PMPI_Irecv(&came, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
      }
      EXPECT_EQ(PMPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(came, rank == 1 ? number : -1);
    }
  });
}

TEST(FakeJob, EndsWaitsForWhatCannotCome) {
  FakeJob job(3);
  job.run([](int rank) {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) return;
    EXPECT_EQ(PMPI_Barrier(MPI_COMM_WORLD), released_code);
  });
  EXPECT_EQ(job.releases(), 1);
}

TEST(FakeJob, FailsWhereItIsTold) {
  FakeJob job(1);
  job.fail({"PMPI_Type_size", 0, 2, MPI_ERR_OTHER});
  job.run([](int) {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int size = 0;
    EXPECT_EQ(PMPI_Type_size(MPI_INT, &size), MPI_SUCCESS);
    EXPECT_EQ(PMPI_Type_size(MPI_INT, &size), MPI_ERR_OTHER);
    EXPECT_EQ(PMPI_Type_size(MPI_INT, &size), MPI_SUCCESS);
    EXPECT_EQ(size, 4);
  });
  EXPECT_TRUE(job.fault_was_met());
}

TEST(FakeJob, SplitsByColourAndKey) {
  FakeJob job(6);
  job.run([](int rank) {
    MPI_Comm half = MPI_COMM_NULL;
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int place = -1;
    PMPI_Comm_rank(half, &place);
    EXPECT_EQ(place, 2 - rank / 2);
    PMPI_Comm_free(&half);
  });
  EXPECT_EQ(job.communicators(), 0U);
}

TEST(FakeJob, PacksAVector) {
  FakeJob job(1);
  job.run([](int) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    PMPI_Type_vector(2, 1, 2, MPI_INT, &type);
    PMPI_Type_commit(&type);
    const std::array<int, 4> from{1, 2, 3, 4};
    std::array<int, 2> into{};
    int position = 0;
    PMPI_Pack(from.data(), 1, type, into.data(), sizeof into, &position, MPI_COMM_SELF);
    EXPECT_EQ(into, (std::array{1, 3}));
    PMPI_Type_free(&type);
  });
  EXPECT_EQ(job.datatypes(), 0U);
}

}  // namespace
}  // namespace quadrille::fake
