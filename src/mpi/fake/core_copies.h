// SPDX-License-Identifier: BSD-3-Clause
// The core library as it is shipped, loaded once a rank of a FakeJob: a process has one Runtime, so
// each rank has a copy of the library's file, with variables of its own.
#pragma once

#include <mpi.h>

#include <string>

namespace quadrille::fake {

// The core's definition of an MPI symbol on this rank, or the fake's where it has none.
void* intercepted(int rank, const char* symbol);

// What has executed the calling thread's latest collective.
std::string last_execution(int rank);

#define INTERCEPTED(rank, function) \
  reinterpret_cast<decltype(&P##function)>(quadrille::fake::intercepted(rank, #function))

}  // namespace quadrille::fake
