// SPDX-License-Identifier: BSD-3-Clause
// For each column its owner broadcasts the reflector, and a sum over all ranks makes the product
// complete.
#include <vector>

#include "apps/solvers/mpi/job.h"
#include "apps/solvers/tridiagonal.h"

namespace quadrille::solvers {
namespace {

constexpr double kEigenvalueTolerance = 1e-6;

double slowest(double own) {
  double most = 0;
  MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

// Of all elements behind columns, those that a rank multiplies at one.
double part_of_all(const OwnColumns& columns, int column, int order) {
  const double all = static_cast<double>(order) * (order - 1) * (2.0 * order - 1) / 6;
  return static_cast<double>(columns.below(column)) * columns.own_behind(column) / all;
}

}  // namespace

Outcome diagonalise(const Job& job, const Diagonalisation& problem) {
  OwnColumns columns(problem.order, job.rank, job.ranks);
  std::vector<double> made(static_cast<std::size_t>(problem.order) + 1);
  std::vector<double> part(made.size());
  std::vector<double> product(made.size());
  std::array<Pacing, 2> pacing;
  Tridiagonal found;
  // Connections are made.
  MPI_Allreduce(part.data(), product.data(), problem.order, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int root = 0; root < job.ranks; ++root)
    MPI_Bcast(made.data(), problem.order, MPI_DOUBLE, root, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int column = 0; column < problem.order; ++column) {
    const int length = columns.below(column);
    if (columns.owner(column) == job.rank) columns.reflector(column, made);
    MPI_Bcast(made.data(), length + 2, MPI_DOUBLE, columns.owner(column), MPI_COMM_WORLD);
    found.diagonal.push_back(made[static_cast<std::size_t>(length)]);
    if (length == 0) break;
    found.beside.push_back(made[static_cast<std::size_t>(length) + 1]);
    const double share = part_of_all(columns, column, problem.order);
    pacing[0].begin();
    columns.multiply(column, made, part);
    pacing[0].end(problem.computing_ns[0] * share);
    MPI_Allreduce(part.data(), product.data(), length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    pacing[1].begin();
    columns.update(column, made, product);
    pacing[1].end(problem.computing_ns[1] * share);
  }
  Outcome outcome;
  outcome.steps = problem.order;
  outcome.seconds = slowest(MPI_Wtime() - began);
  double late = 0;
  for (std::size_t phase = 0; phase < pacing.size(); ++phase) {
    outcome.computing_ns[phase] = static_cast<double>(pacing[phase].computed_ns());
    late += static_cast<double>(pacing[phase].late_ns()) * 1e-9;
  }
  outcome.late_share = slowest(late) / outcome.seconds;
  outcome.correct = has_known_eigenvalues(found, kEigenvalueTolerance);
  outcome.error = outcome.correct ? kEigenvalueTolerance : 1;
  outcome.verified = "all eigenvalues, by Sturm's sequence: each within this of the known one";
  return outcome;
}

}  // namespace quadrille::solvers
