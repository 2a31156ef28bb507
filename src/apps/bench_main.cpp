// SPDX-License-Identifier: BSD-3-Clause
// quadrille-bench-ompi, -mpich, -abi: the benchmark kernel, the same sources compiled against each
// MPI's mpi.h.
#include <mpi.h>
#include <stdlib.h>

#include "apps/bench/mpi/operations.h"
#include "apps/bench/mpi/runner.h"
#include "apps/bench/options.h"

int main(int argc, char** argv) {
  setenv("QUADRILLE_PMPI", "off", 1);   // what is compared with is the MPI library alone
  setenv("QUADRILLE_LEARN", "off", 1);  // the same is measured, whatever ran before
  MPI_Init(&argc, &argv);
  std::vector<std::string> known;
  for (const auto& operation : quadrille::bench::operations()) known.emplace_back(operation.name);
  const auto parsed = quadrille::bench::parse_options(argc, argv, known);
  int code = parsed.exit_code;
  if (parsed.run) {
    code = quadrille::bench::run_benchmark(parsed.options);
  } else {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) parsed.print();
  }
  MPI_Finalize();
  return code;
}
