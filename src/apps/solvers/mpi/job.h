// SPDX-License-Identifier: BSD-3-Clause
// The solvers as MPI programs. Emulated hosts share this machine's processors, so that computing
// could not become faster by more of them: it is done all the same, for a right result, and the
// rest of the time that it would take is slept.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/solvers/options.h"

namespace quadrille::solvers {

struct Job {
  int rank = 0;
  int ranks = 1;
};

// Computing that takes as long as it is told to, from begin() on.
class Pacing {
 public:
  void begin();
  // `whole_ns`: what computing since begin() takes with a processor to itself; 0: as it did.
  void end(double whole_ns);
  // Processor time of this thread between all begin() and end().
  std::int64_t computed_ns() const { return computed_ns_; }
  // By how much more than it was to take, in all.
  std::int64_t late_ns() const { return late_ns_; }

 private:
  std::int64_t began_ns_ = 0;
  std::int64_t began_cpu_ns_ = 0;
  std::int64_t computed_ns_ = 0;
  std::int64_t late_ns_ = 0;
};

// What a solver tells; `computing_ns`: of one rank alone, by phases.
struct Outcome {
  int steps = 0;
  double seconds = 0;  // of the slowest rank, without setting up
  std::array<double, 3> computing_ns{};
  double late_share = 0;  // of `seconds`, of the rank that was late most
  double error = 0;       // what was verified: a residual or how many eigenvalues were wrong
  bool correct = false;
  std::string verified;        // in words
  std::vector<double> each_s;  // of the slowest rank, where steps were timed one by one
};

Outcome solve_poisson(const Job& job, const Poisson& problem);
Outcome diagonalise(const Job& job, const Diagonalisation& problem);
// `computing_ns`: what rank 0 computes for a transform there and back.
Outcome transpose(const Job& job, const Transposition& problem);

}  // namespace quadrille::solvers
