// SPDX-License-Identifier: BSD-3-Clause
// The C entries that begin MPI.
#include <mpi.h>

#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

template <bool profiling>
int init(int* argc, char*** argv) {
  const int code = NEXT_OF(profiling, MPI_Init)(argc, argv);
  if (code == MPI_SUCCESS) Runtime::start();
  return code;
}

template <bool profiling>
int init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = NEXT_OF(profiling, MPI_Init_thread)(argc, argv, required, provided);
  if (code == MPI_SUCCESS) Runtime::start();
  return code;
}

}  // namespace

void add_lifecycle_symbols(SymbolTable& table) {
#define ADD(symbol, function)                                 \
  table[#symbol] = reinterpret_cast<void*>(&function<false>); \
  table["P" #symbol] = reinterpret_cast<void*>(&function<true>)
  ADD(MPI_Init, init);
  ADD(MPI_Init_thread, init_thread);
#undef ADD
}

}  // namespace quadrille
