// SPDX-License-Identifier: BSD-3-Clause
// PMPI_ calls that a collective makes fail once, on each rank in turn. That rank's collective
// says so, no rank waits for ever, and the next collective is right.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "mpi/fake/ranks_of_core.h"

namespace quadrille::fake {
namespace {

constexpr int ranks = 3;
// None that anybody else returns.
constexpr int injected = MPI_ERR_QUOTA;
// Of a call that returned no error: a rank that cannot combine says so, and goes on for the others.
constexpr int wrong_data = -1;

// What carries data: whose failure is the call's. Failures of queries may have the rank leave the
// call to the MPI library.
const std::set<std::string> told{"PMPI_Isend", "PMPI_Irecv", "PMPI_Testsome", "PMPI_Reduce_local"};

using Collective = std::function<int(int rank, MPI_Comm comm)>;

struct Case {
  std::string name;
  const char* algorithms = "";
  Collective call;
  bool is_first = false;  // of its communicator, whose ranks get to know it in it
};

struct Result {
  std::array<int, ranks> codes{};
  std::array<int, ranks> next_codes{};
  std::array<CallCounts, ranks> calls{};
  bool met = false;
  int releases = 0;
  std::array<std::size_t, ranks> open_receives{};
};

Result run_case(const Case& tested, const Fault* fault) {
  Result result;
  FakeJob job(ranks);
  run_with_core(job, [&](int rank, MPI_Comm& user) {
    const auto own = static_cast<std::size_t>(rank);
    MPI_Comm next = MPI_COMM_NULL;
    PMPI_Comm_dup(user, &next);
    if (!tested.is_first) tested.call(rank, user);
    job.meet();
    const CallCounts before = job.calls(rank);
    if (fault != nullptr && fault->rank == rank) job.fail(*fault);
    result.codes[own] = tested.call(rank, user);
    job.meet();
    result.open_receives[own] = job.open_receives(rank);
    if (fault != nullptr && fault->rank == rank) job.forget_faults();
    for (const auto& [function, count] : job.calls(rank)) {
      const auto earlier = before.find(function);
      result.calls[own][function] = count - (earlier == before.end() ? 0 : earlier->second);
    }
    job.meet();
    result.next_codes[own] = tested.call(rank, next);
    PMPI_Comm_free(&next);
  });
  result.met = job.fault_was_met();
  result.releases = job.releases();
  return result;
}

void expect_failures_are_told(const Case& tested) {
  set_environment(tested.algorithms);
  const Result right = run_case(tested, nullptr);
  ASSERT_EQ(right.codes, (std::array<int, ranks>{})) << tested.name;
  ASSERT_EQ(right.releases, 0);
  for (int rank = 0; rank < ranks; ++rank) {
    for (const auto& [function, count] : right.calls[static_cast<std::size_t>(rank)]) {
      if (!tested.is_first && !told.contains(function)) continue;
      // Of looks in vain there may be any number.
      const std::uint64_t tried = std::min<std::uint64_t>(count, 1);
      for (std::uint64_t nth = 1; nth <= tried; ++nth) {
        const Fault fault{function, rank, nth, injected};
        const Result result = run_case(tested, &fault);
        if (!result.met) continue;
        const auto where = tested.name + ": " + function + " number " + std::to_string(nth) +
                           " on rank " + std::to_string(rank);
        const int code = result.codes[static_cast<std::size_t>(rank)];
        if (told.contains(function)) {
          EXPECT_EQ(code, injected) << where;
        }
        for (const int other : result.codes) {
          EXPECT_TRUE((other == wrong_data && function == "PMPI_Reduce_local") ||
                      (other == MPI_ERR_NO_MEM && function == "PMPI_Comm_set_attr") ||
                      other == MPI_SUCCESS || other == injected || other == released_code)
              << where << " " << other;
        }
        EXPECT_EQ(result.open_receives, (std::array<std::size_t, ranks>{})) << where;
        EXPECT_EQ(result.next_codes, (std::array<int, ranks>{})) << where;
      }
    }
  }
}

int bcast(int rank, MPI_Comm comm) {
  std::vector<int> data(50, rank);
  const int code = INTERCEPTED(rank, MPI_Bcast)(data.data(), 50, MPI_INT, 0, comm);
  EXPECT_TRUE(code != MPI_SUCCESS || data == std::vector<int>(50, 0));
  return code;
}

// Every other number of `data`'s row is sent.
int bcast_column(int rank, MPI_Comm comm) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  PMPI_Type_vector(4, 1, 2, MPI_INT, &column);
  PMPI_Type_commit(&column);
  std::vector<int> data(8, rank);
  const int code = INTERCEPTED(rank, MPI_Bcast)(data.data(), 1, column, 0, comm);
  EXPECT_TRUE(code != MPI_SUCCESS || data == (std::vector{0, rank, 0, rank, 0, rank, 0, rank}));
  PMPI_Type_free(&column);
  return code;
}

int allreduce(int rank, MPI_Comm comm) {
  const std::vector<int> mine(30, rank + 1);
  std::vector<int> sum(30);
  const int code =
      INTERCEPTED(rank, MPI_Allreduce)(mine.data(), sum.data(), 30, MPI_INT, MPI_SUM, comm);
  const bool right = sum == std::vector<int>(30, ranks * (ranks + 1) / 2);
  return code == MPI_SUCCESS && !right ? wrong_data : code;
}

int alltoall(int rank, MPI_Comm comm) {
  const std::vector<int> mine(ranks, rank);
  std::vector<int> theirs(ranks);
  const int code =
      INTERCEPTED(rank, MPI_Alltoall)(mine.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, comm);
  EXPECT_TRUE(code != MPI_SUCCESS || theirs == (std::vector{0, 1, 2}));
  return code;
}

int barrier(int rank, MPI_Comm comm) { return INTERCEPTED(rank, MPI_Barrier)(comm); }

TEST(FailingCalls, FirstOfACommunicator) {
  expect_failures_are_told({"bcast", "bcast:bcast_binomial", bcast, true});
}

TEST(FailingCalls, BcastOfAMadeType) {
  expect_failures_are_told({"bcast", "bcast:bcast_binomial", bcast_column});
}

TEST(FailingCalls, Allreduce) {
  expect_failures_are_told({"allreduce", "allreduce:allreduce_ring", allreduce});
}

TEST(FailingCalls, Alltoall) {
  expect_failures_are_told({"alltoall", "alltoall:alltoall_ordered", alltoall});
}

TEST(FailingCalls, Barrier) {
  expect_failures_are_told({"barrier", "barrier:barrier_dissemination", barrier});
}

}  // namespace
}  // namespace quadrille::fake
