// SPDX-License-Identifier: BSD-3-Clause
// quadrille-probe-ompi, -mpich, -abi: measures the network between the hosts of the job it is
// started in, and writes what it finds on rank 0's standard output, one JSON object a line.
// Exit codes: 0 done, 1 an error (a line of type "error" says which), 2 wrong usage.
#include <mpi.h>

#include "apps/probe/mpi/coordinator.h"
#include "apps/probe/options.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto parsed = quadrille::probe::parse_prober_options(argc, argv);
  int code = parsed.exit_code;
  {
    const quadrille::probe::ProberWorld world;
    if (parsed.run) {
      code = quadrille::probe::run_prober(world, parsed.options);
    } else if (world.coordinates()) {
      parsed.print();
    }
  }
  MPI_Finalize();
  return code;
}
