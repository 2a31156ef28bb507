// SPDX-License-Identifier: BSD-3-Clause
// A transform there and back is computed and verified; then the all-to-all alone is timed.
#include <algorithm>
#include <cmath>

#include "apps/solvers/mpi/job.h"
#include "apps/solvers/plane_waves.h"

namespace quadrille::solvers {
namespace {

constexpr double kTolerance = 1e-10;

void exchange(PlaneWaves& waves) {
  const int doubles = static_cast<int>(2 * waves.block());
  MPI_Alltoall(waves.send().data(), doubles, MPI_DOUBLE, waves.receive().data(), doubles,
               MPI_DOUBLE, MPI_COMM_WORLD);
}

double combined(double own, MPI_Op operation) {
  double result = 0;
  MPI_Allreduce(&own, &result, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
  return result;
}

}  // namespace

Outcome transpose(const Job& job, const Transposition& problem) {
  PlaneWaves waves(problem.length, problem.radius, job.rank, job.ranks);
  Pacing computing;
  const double before = combined(waves.power_of_sticks(), MPI_SUM);
  computing.begin();
  waves.sticks_to_blocks();
  computing.end(0);
  exchange(waves);
  computing.begin();
  waves.blocks_to_planes();
  computing.end(0);
  const double power = combined(waves.power_of_planes(), MPI_SUM) / std::pow(problem.length, 3);
  computing.begin();
  waves.planes_to_blocks();
  computing.end(0);
  exchange(waves);
  computing.begin();
  waves.blocks_to_sticks();
  computing.end(0);
  Outcome outcome;
  outcome.error = std::max(combined(waves.error(), MPI_MAX), std::abs(power / before - 1));
  outcome.correct = outcome.error <= kTolerance;
  outcome.verified = "coefficients after a transform there and back, and the power on the grid";
  outcome.computing_ns[0] = static_cast<double>(computing.computed_ns());
  outcome.steps = problem.repeated;
  for (int i = 0; i < problem.repeated; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    exchange(waves);
    outcome.each_s.push_back(combined(MPI_Wtime() - began, MPI_MAX));
    outcome.seconds += outcome.each_s.back();
  }
  return outcome;
}

}  // namespace quadrille::solvers
