// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for an MPI library, for unit tests: every rank is a thread of this process, and the
// PMPI_ functions that src/mpi calls are here. Any of them can be made to fail.
//
//   FakeJob job(4);
//   job.fail({"PMPI_Isend", 2, 1, MPI_ERR_OTHER});  // rank 2's first one
//   job.run([](int rank) { ... });
//
// It is stricter than most: collectives wait for all ranks, and where every rank only waits, for
// nothing that could come, all waits end with `released_code` instead of a hang.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace quadrille::fake {

// Of all that waited where nothing could come any more.
constexpr int released_code = MPI_ERR_PROC_ABORTED;

struct Fault {
  std::string function;
  int rank = 0;
  std::uint64_t nth = 1;  // of that rank's calls of the function, from 1
  int code = MPI_ERR_OTHER;
};

using CallCounts = std::map<std::string, std::uint64_t>;

// One at a time in a process.
class FakeJob {
 public:
  explicit FakeJob(int ranks);
  FakeJob(const FakeJob&) = delete;
  FakeJob& operator=(const FakeJob&) = delete;
  ~FakeJob();

  // Before or during run(); counted are calls from now on.
  void fail(const Fault& fault);
  void forget_faults();
  // What a rank's function returns instead of its library's facts: for ranks that differ.
  void lie_about_size(int rank, int size);
  // Where one of several requests has failed, those under way are freed with it, as by Open
  // MPI 4.1.
  void free_with_failed();

  // Runs `program` on all ranks at once; returns when all have returned.
  void run(const std::function<void(int rank)>& program);

  // Called by all ranks in run(): waits for the others, outside of MPI. Whoever waits in MPI for
  // one that is here waits for nothing.
  void meet();

  bool fault_was_met() const;
  int releases() const;  // how often all ranks waited for nothing
  bool was_aborted() const;
  CallCounts calls(int rank) const;
  // Receives that were posted and are neither complete nor given up; their memory is written to.
  std::size_t open_receives(int rank) const;
  std::size_t communicators() const;  // beside the world and the ranks' own
  std::size_t datatypes() const;      // that programs have made and not freed
  std::size_t groups() const;
};

// The address of the fake's PMPI_ function, be it asked for by its MPI_ or its PMPI_ name; or null.
void* look_up(const char* symbol);

}  // namespace quadrille::fake
