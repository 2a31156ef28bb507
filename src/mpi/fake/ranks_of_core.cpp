// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/fake/ranks_of_core.h"

#include <cstdlib>

namespace quadrille::fake {

void set_environment(const char* algorithms) {
  setenv("QUADRILLE_ALGORITHM", algorithms, 1);
  setenv("QUADRILLE_WIRE", "off", 1);
  setenv("QUADRILLE_WAITING", "spin", 1);
}

void run_with_core(FakeJob& job, const std::function<void(int rank, MPI_Comm& user)>& program) {
  job.run([&](int rank) {
    INTERCEPTED(rank, MPI_Init)(nullptr, nullptr);
    MPI_Comm user = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &user);
    PMPI_Comm_set_errhandler(user, MPI_ERRORS_RETURN);
    program(rank, user);
    if (user != MPI_COMM_NULL) PMPI_Comm_free(&user);
    PMPI_Finalize();
  });
}

}  // namespace quadrille::fake
