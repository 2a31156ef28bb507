// SPDX-License-Identifier: BSD-3-Clause
#include "apps/solvers/options.h"

#include "apps/parse_options.h"

namespace quadrille::solvers {
namespace {

void add_computing(CLI::App* solver, std::array<double, 3>& computing_ns) {
  solver
      ->add_option("--computing-ns", computing_ns,
                   "What a processor computes, by phases: slept where it takes less here")
      ->delimiter(',');
}

}  // namespace

JobOptions<SolverOptions> parse_solver_options(int argc, const char* const* argv) {
  JobOptions<SolverOptions> parsed;
  SolverOptions& options = parsed.options;
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
  if (parse_options(app, argc, argv, parsed))
    options.solver = app.get_subcommands().front()->get_name();
  return parsed;
}

}  // namespace quadrille::solvers
