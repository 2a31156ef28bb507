// SPDX-License-Identifier: BSD-3-Clause
// A job whose ranks all run the core library: from its MPI_Init to MPI_Finalize.
#pragma once

#include <mpi.h>

#include <functional>

#include "mpi/fake/core_copies.h"
#include "mpi/fake/fake_job.h"

namespace quadrille::fake {

// Sets what each rank's core reads of its environment: every call by the algorithm that
// `algorithms` names, or by the MPI library; no wire.
void set_environment(const char* algorithms);

// Between both, `program` on every rank; `user` is a copy of MPI_COMM_WORLD that the core knows,
// whose errors return, and which the program may free.
void run_with_core(FakeJob& job, const std::function<void(int rank, MPI_Comm& user)>& program);

}  // namespace quadrille::fake
