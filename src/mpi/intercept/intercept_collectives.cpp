// SPDX-License-Identifier: BSD-3-Clause
// The C entries of the collectives, with int counts and, for MPI 4, with MPI_Count; made of
// preload/collectives.def.
#include <mpi.h>

#include <type_traits>

#include "mpi/call/collective_call.h"
#include "mpi/intercept/collective_parameters.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/nonblocking/nonblocking_call.h"
#include "mpi/nonblocking/persistent_call.h"

namespace quadrille {
namespace {

// `symbol` is the entry's own name: that of the next definition, whose declaration older mpi.h lack
// for MPI_Count.
template <typename Row, typename Count, SymbolName symbol, typename = typename Row::Parameters>
struct CEntry;

template <typename Row, typename Count, SymbolName symbol, typename... Parameter>
struct CEntry<Row, Count, symbol, ParameterList<Parameter...>> {
  static int entry(typename PassedInC<Parameter::passed, Count>::type... passed) {
    CallArguments arguments = arguments_of<Row>(!std::is_same_v<Count, int>);
    (Parameter::put(passed, arguments), ...);
    CollectiveCall call(arguments);
    if (call.replaced()) return call.execute();
    const auto next = reinterpret_cast<decltype(&entry)>(next_symbol<symbol>());
    return call.forwarded(next(passed...));
  }
};

// The same of the nonblocking call.
template <typename Row, typename Count, SymbolName symbol, typename = typename Row::Parameters>
struct NonblockingEntry;

template <typename Row, typename Count, SymbolName symbol, typename... Parameter>
struct NonblockingEntry<Row, Count, symbol, ParameterList<Parameter...>> {
  static int entry(typename PassedInC<Parameter::passed, Count>::type... passed,
                   MPI_Request* request) {
    CallArguments arguments = arguments_of<Row>(!std::is_same_v<Count, int>, Row::nonblocking_name);
    (Parameter::put(passed, arguments), ...);
    NonblockingCall call(arguments);
    if (call.replaced()) return call.start(request);
    const auto next = reinterpret_cast<decltype(&entry)>(next_symbol<symbol>());
    const int code = next(passed..., request);
    return call.forwarded(code, code == MPI_SUCCESS ? *request : MPI_REQUEST_NULL);
  }
};

// And of the initialization of the persistent one.
template <typename Row, typename Count, SymbolName symbol, typename = typename Row::Parameters>
struct PersistentEntry;

template <typename Row, typename Count, SymbolName symbol, typename... Parameter>
struct PersistentEntry<Row, Count, symbol, ParameterList<Parameter...>> {
  static int entry(typename PassedInC<Parameter::passed, Count>::type... passed, MPI_Info info,
                   MPI_Request* request) {
    CallArguments arguments = arguments_of<Row>(!std::is_same_v<Count, int>, Row::persistent_name);
    (Parameter::put(passed, arguments), ...);
    PersistentCall call(arguments, start_next<Row, Count>);
    if (call.replaced()) return call.make(request);
    const auto next = reinterpret_cast<decltype(&entry)>(next_symbol<symbol>());
    return call.forwarded(next(passed..., info, request));
  }
};

}  // namespace

void add_persistent_symbols(SymbolTable& table) {
#define ADD(Name, Count, symbol) \
  table[symbol] =                \
      reinterpret_cast<void*>(&PersistentEntry<intercepted::Name, Count, symbol>::entry);
#define COLLECTIVE_WITHOUT_COUNTS(Name, ...) \
  ADD(Name, int, "MPI_" #Name "_init")       \
  ADD(Name, int, "PMPI_" #Name "_init")      \
  ADD(Name, int, "MPIX_" #Name "_init")      \
  ADD(Name, int, "PMPIX_" #Name "_init")
#define COLLECTIVE(Name, ...)                  \
  COLLECTIVE_WITHOUT_COUNTS(Name)              \
  ADD(Name, MPI_Count, "MPI_" #Name "_init_c") \
  ADD(Name, MPI_Count, "PMPI_" #Name "_init_c")
#include "preload/collectives.def"
#undef COLLECTIVE
#undef COLLECTIVE_WITHOUT_COUNTS
#undef ADD
}

void add_nonblocking_symbols(SymbolTable& table) {
#define ADD(Name, Count, symbol) \
  table[symbol] =                \
      reinterpret_cast<void*>(&NonblockingEntry<intercepted::Name, Count, symbol>::entry);
#define COLLECTIVE_WITHOUT_COUNTS(Name, lower, ...) \
  ADD(Name, int, "MPI_I" #lower)                    \
  ADD(Name, int, "PMPI_I" #lower)
#define COLLECTIVE(Name, lower, ...)        \
  COLLECTIVE_WITHOUT_COUNTS(Name, lower)    \
  ADD(Name, MPI_Count, "MPI_I" #lower "_c") \
  ADD(Name, MPI_Count, "PMPI_I" #lower "_c")
#include "preload/collectives.def"
#undef COLLECTIVE
#undef COLLECTIVE_WITHOUT_COUNTS
#undef ADD
}

void add_collective_symbols(SymbolTable& table) {
#define ADD(Name, Count, symbol) \
  table[symbol] = reinterpret_cast<void*>(&CEntry<intercepted::Name, Count, symbol>::entry);
#define COLLECTIVE_WITHOUT_COUNTS(Name, ...) \
  ADD(Name, int, "MPI_" #Name)               \
  ADD(Name, int, "PMPI_" #Name)
#define COLLECTIVE(Name, ...)             \
  COLLECTIVE_WITHOUT_COUNTS(Name)         \
  ADD(Name, MPI_Count, "MPI_" #Name "_c") \
  ADD(Name, MPI_Count, "PMPI_" #Name "_c")
#include "preload/collectives.def"
#undef COLLECTIVE
#undef COLLECTIVE_WITHOUT_COUNTS
#undef ADD
}

}  // namespace quadrille
