// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries that begin MPI and that create intra-communicators. Arguments are only passed
// on - LOGICALs too, whose values differ between compilers; what a call created gets its state here
// where the MPI library's Fortran part does not call the C entry, which would have done it.
#include <mpi.h>

#include <cstddef>
#include <utility>

#include "mpi/communicator/attachment.h"
#include "mpi/intercept/fortran_handles.h"
#include "mpi/intercept/fortran_names.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

template <std::size_t>
using Argument = void*;

// An entry with `index` arguments before its INTEGER error, which mpi_f08 programs may leave out.
template <SymbolName symbol, typename Finish, std::size_t... index>
void entry(Argument<index>... arguments, int* error) {
  using Next = void (*)(Argument<index>..., int*);
  int code = MPI_SUCCESS;
  reinterpret_cast<Next>(next_symbol<symbol>())(arguments..., &code);
  if (code == MPI_SUCCESS) code = Finish::finish(arguments...);
  if (error != nullptr) *error = code;
}

struct StartRuntime {
  template <typename... Arguments>
  static int finish(Arguments...) {
    Runtime::start();
    return MPI_SUCCESS;
  }
};

struct AttachCreated {
  // The new handle is the last argument.
  template <typename... Arguments>
  static int finish(Arguments... arguments) {
    const void* created = nullptr;
    ((created = arguments), ...);
    if (!fortran_is_readable()) return MPI_SUCCESS;
    return Attachment::attach(communicator_of(static_cast<const int*>(created)));
  }
};

template <SymbolName symbol, typename Finish, std::size_t... index>
void* entry_with(std::index_sequence<index...>) {
  return reinterpret_cast<void*>(&entry<symbol, Finish, index...>);
}

}  // namespace

void add_fortran_lifecycle_symbols(SymbolTable& table) {
#define ADD_ONE(binding, symbol, finish, arguments) \
  table[symbol] = entry_with<symbol, finish>(std::make_index_sequence<arguments>())
#define ADD(lower, upper, finish, arguments) \
  QUADRILLE_FORTRAN_NAMES(ADD_ONE, lower, upper, finish, arguments)
  ADD("init", "INIT", StartRuntime, 0);
  ADD("init_thread", "INIT_THREAD", StartRuntime, 2);
  ADD("comm_dup", "COMM_DUP", AttachCreated, 2);
  ADD("comm_dup_with_info", "COMM_DUP_WITH_INFO", AttachCreated, 3);
  ADD("comm_create", "COMM_CREATE", AttachCreated, 3);
  ADD("comm_create_group", "COMM_CREATE_GROUP", AttachCreated, 4);
  ADD("comm_split", "COMM_SPLIT", AttachCreated, 4);
  ADD("comm_split_type", "COMM_SPLIT_TYPE", AttachCreated, 5);
  ADD("cart_sub", "CART_SUB", AttachCreated, 3);
  ADD("intercomm_merge", "INTERCOMM_MERGE", AttachCreated, 3);
#undef ADD
#undef ADD_ONE
}

}  // namespace quadrille
