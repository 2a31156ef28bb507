// SPDX-License-Identifier: BSD-3-Clause
// quadrille-solver-ompi, -mpich, -abi: numerical programs whose communication published experiments
// time. Rank 0 writes a JSON object.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/waiting.h"
#include "apps/solvers/mpi/job.h"

namespace {

using namespace quadrille;
using namespace quadrille::solvers;

struct SolverOptions {
  Poisson poisson;
  Diagonalisation diagonalisation;
  Transposition transposition;
};

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

void add_computing(CLI::App* solver, std::array<double, 3>& computing_ns) {
  solver
      ->add_option("--computing-ns", computing_ns,
                   "What a processor computes, by phases: slept where it takes less here")
      ->delimiter(',');
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bench::sharpen_timers();
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  SolverOptions options;
  CLI::App app("Numerical programs that verify their results");
  app.require_subcommand(1);
  auto* poisson = app.add_subcommand("poisson", "Poisson's equation by conjugate gradients");
  poisson->add_option("--length", options.poisson.length)->check(CLI::Range(2, 1000));
  poisson->add_option("--goal", options.poisson.goal)->check(CLI::Range(1e-12, 1.0));
  poisson->add_option("--most", options.poisson.most_iterations, "Iterations at most");
  add_computing(poisson, options.poisson.computing_ns);
  auto* diagonalisation =
      app.add_subcommand("diagonalisation", "A symmetric matrix to tridiagonal form");
  diagonalisation->add_option("--order", options.diagonalisation.order)
      ->check(CLI::Range(2, 20000));
  add_computing(diagonalisation, options.diagonalisation.computing_ns);
  auto* transposition =
      app.add_subcommand("transposition", "All-to-alls of a Fourier transform of plane waves");
  transposition->add_option("--length", options.transposition.length)
      ->check(CLI::IsMember({8, 16, 32, 64, 128, 256}));
  transposition->add_option("--radius", options.transposition.radius)
      ->check(CLI::Range(1.0, 127.0));
  transposition->add_option("--repeated", options.transposition.repeated)
      ->check(CLI::Range(1, 10000));
  int code = 0;
  try {
    app.parse(argc, argv);
    const Outcome outcome = poisson->parsed()           ? solve_poisson(job, options.poisson)
                            : diagonalisation->parsed() ? diagonalise(job, options.diagonalisation)
                                                        : transpose(job, options.transposition);
    if (job.rank == 0) print(app.get_subcommands().front()->get_name(), job, outcome);
    code = outcome.correct ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    code = job.rank == 0 ? app.exit(error) : 2;
  }
  MPI_Finalize();
  return code;
}
