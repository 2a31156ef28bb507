// SPDX-License-Identifier: BSD-3-Clause
// quadrille-solver-ompi, -mpich, -abi: numerical programs whose communication published experiments
// time. Rank 0 writes a JSON object.
#include <mpi.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/waiting.h"
#include "apps/solvers/mpi/job.h"

namespace {

using namespace quadrille;
using namespace quadrille::solvers;

Outcome solve(const Job& job, const SolverOptions& options) {
  if (options.solver == "poisson") return solve_poisson(job, options.poisson);
  if (options.solver == "diagonalisation") return diagonalise(job, options.diagonalisation);
  return transpose(job, options.transposition);
}

void print(const std::string& solver, const Job& job, const Outcome& outcome) {
  const nlohmann::json line{{"type", "solver"},
                            {"solver", solver},
                            {"ranks", job.ranks},
                            {"steps", outcome.steps},
                            {"seconds", outcome.seconds},
                            {"computing_ns", outcome.computing_ns},
                            {"late_share", outcome.late_share},
                            {"error", outcome.error},
                            {"verified", outcome.verified},
                            {"each_s", outcome.each_s},
                            {"correct", outcome.correct}};
  std::printf("%s\n", line.dump().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bench::sharpen_timers();
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  const auto parsed = parse_solver_options(argc, argv);
  int code = parsed.exit_code;
  if (parsed.run) {
    const Outcome outcome = solve(job, parsed.options);
    if (job.rank == 0) print(parsed.options.solver, job, outcome);
    code = outcome.correct ? 0 : 1;
  } else if (job.rank == 0) {
    parsed.print();
  }
  MPI_Finalize();
  return code;
}
