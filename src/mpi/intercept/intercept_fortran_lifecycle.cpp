// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries that begin MPI, for libraries whose Fortran part does not call the C entry,
// which would have begun Quadrille.
#include <mpi.h>

#include <cstddef>
#include <utility>

#include "mpi/intercept/fortran_names.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

template <std::size_t>
using Argument = void*;

template <SymbolName symbol, std::size_t... index>
void entry(Argument<index>... arguments, int* error) {
  using Next = void (*)(Argument<index>..., int*);
  int code = MPI_SUCCESS;
  reinterpret_cast<Next>(next_symbol<symbol>())(arguments..., &code);
  if (code == MPI_SUCCESS) Runtime::start();
  if (error != nullptr) *error = code;
}

template <SymbolName symbol, std::size_t... index>
void* entry_with(std::index_sequence<index...>) {
  return reinterpret_cast<void*>(&entry<symbol, index...>);
}

}  // namespace

void add_fortran_lifecycle_symbols(SymbolTable& table) {
#define ADD_ONE(binding, symbol, arguments) \
  table[symbol] = entry_with<symbol>(std::make_index_sequence<arguments>())
#define ADD(lower, upper, arguments) QUADRILLE_FORTRAN_NAMES(ADD_ONE, lower, upper, arguments)
  ADD("init", "INIT", 0);
  ADD("init_thread", "INIT_THREAD", 2);
#undef ADD
#undef ADD_ONE
}

}  // namespace quadrille
