// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries of the collectives: mpif.h and `use mpi` under four manglings, mpi_f08 with
// plain addresses (`_f08_`) and with array descriptors (`_f08ts_`); made of
// preload/collectives.def. Each turns its arguments into C's and goes on as the C entry does. Where
// an argument is not understood the call goes on outside of any CollectiveCall: libraries that take
// descriptors call the C entry next.
#include <mpi.h>

#include <new>
#include <type_traits>
#include <vector>

#include "mpi/call/collective_call.h"
#include "mpi/communicator/attachment.h"
#include "mpi/intercept/collective_parameters.h"
#include "mpi/intercept/fortran_binding.h"
#include "mpi/intercept/fortran_handles.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"

namespace quadrille {
namespace {

template <Passed passed>
constexpr bool is_buffer = passed == Passed::from || passed == Passed::into;

// Buffers, or default INTEGERs, which fortran_is_readable() makes sure are ints.
template <Passed passed>
using PassedInFortran = std::conditional_t<is_buffer<passed>, Choice, Integer>;

// The argument passed for a buffer of this side; NoBuffer where there is none.
template <Passed side>
NoBuffer buffer_among() {
  return {};
}
template <Passed side, typename First, typename... Others, typename Value, typename... Values>
auto buffer_among(Value first, Values... others) {
  if constexpr (First::passed == side) {
    return first;
  } else {
    return buffer_among<side, Others...>(others...);
  }
}

template <typename Parameter>
void put(Integer passed, CallArguments& call) {
  if constexpr (Parameter::passed == Passed::communicator) {
    Parameter::put(communicator_of(passed), call);
  } else if constexpr (Parameter::passed == Passed::datatype) {
    Parameter::put(datatype_of(passed), call);
  } else if constexpr (Parameter::passed == Passed::operation) {
    Parameter::put(operation_of(passed), call);
  } else if constexpr (Parameter::passed == Passed::number || Parameter::passed == Passed::count) {
    Parameter::put(*passed, call);
  } else {
    Parameter::put(passed, call);
  }
}

// What C gets for them; `from` and `into` are the buffers'.
template <typename Row, typename... Parameter>
CallArguments arguments_in_c(ParameterList<Parameter...> /*of the row*/, const char* name,
                             void* from, void* into, PassedInFortran<Parameter::passed>... passed) {
  CallArguments arguments = arguments_of<Row>(false, name);
  const auto put_one = [&]<typename One>(std::type_identity<One>, const auto* value) {
    if constexpr (One::passed == Passed::from) {
      One::put(from, arguments);
    } else if constexpr (One::passed == Passed::into) {
      One::put(into, arguments);
    } else {
      put<One>(value, arguments);
    }
  };
  (put_one(std::type_identity<Parameter>(), passed), ...);
  return arguments;
}

template <typename Row, typename Binding, SymbolName symbol, typename = typename Row::Parameters>
struct FortranEntry;

template <typename Row, typename Binding, SymbolName symbol, typename... Parameter>
struct FortranEntry<Row, Binding, symbol, ParameterList<Parameter...>> {
  static void entry(PassedInFortran<Parameter::passed>... passed, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(passed..., error);
    };
    take_over<Binding>(buffer_among<Passed::from, Parameter...>(passed...),
                       buffer_among<Passed::into, Parameter...>(passed...), error, forward,
                       [&](void* from, void* into) {
                         return arguments_in_c<Row>(typename Row::Parameters(), Row::name, from,
                                                    into, passed...);
                       });
  }
};

template <typename Row, typename Binding, SymbolName symbol, typename = typename Row::Parameters>
struct NonblockingFortranEntry;

template <typename Row, typename Binding, SymbolName symbol, typename... Parameter>
struct NonblockingFortranEntry<Row, Binding, symbol, ParameterList<Parameter...>> {
  static void entry(PassedInFortran<Parameter::passed>... passed, int* request, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(passed..., request, error);
    };
    take_over_nonblocking<Binding>(buffer_among<Passed::from, Parameter...>(passed...),
                                   buffer_among<Passed::into, Parameter...>(passed...), request,
                                   error, forward, [&](void* from, void* into) {
                                     return arguments_in_c<Row>(typename Row::Parameters(),
                                                                Row::nonblocking_name, from, into,
                                                                passed...);
                                   });
  }
};

template <typename Row>
struct EntriesOf {
  template <typename Binding, SymbolName symbol>
  using Entry = FortranEntry<Row, Binding, symbol>;
  template <typename Binding, SymbolName symbol>
  using NonblockingOne = NonblockingFortranEntry<Row, Binding, symbol>;
};

// The C handles of an array of handles, one for each entry of `types`.
void translate(Integer handles, std::vector<MPI_Datatype>& types) {
  for (std::size_t rank = 0; rank < types.size(); ++rank) types[rank] = datatype_of(handles + rank);
}

template <typename Binding, SymbolName symbol>
struct Alltoallw {
  static void entry(Choice send, Integer send_counts, Integer send_places, Integer send_types,
                    Choice receive, Integer receive_counts, Integer receive_places,
                    Integer receive_types, Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          send, send_counts, send_places, send_types, receive, receive_counts, receive_places,
          receive_types, comm, error);
    };
    if (!fortran_is_readable()) return forward();
    const MPI_Comm communicator = communicator_of(comm);
    const Attachment* const attachment = Attachment::find(communicator);
    if (attachment == nullptr) return forward();
    std::vector<MPI_Datatype> from_types;
    std::vector<MPI_Datatype> into_types;
    try {
      from_types.resize(static_cast<std::size_t>(attachment->size()));
      into_types.resize(from_types.size());
    } catch (const std::bad_alloc&) {
      PMPI_Comm_call_errhandler(communicator, MPI_ERR_NO_MEM);
      if (error != nullptr) *error = MPI_ERR_NO_MEM;
      return;
    }
    take_over<Binding>(send, receive, error, forward, [&](void* from, void* into) {
      translate(receive_types, into_types);
      translate(from == MPI_IN_PLACE ? receive_types : send_types, from_types);
      CallArguments arguments = arguments_of<intercepted::Alltoallw>(false);
      arguments.comm = communicator;
      arguments.send_blocks = {.address = from,
                               .counts = send_counts,
                               .displacements = send_places,
                               .types = from_types.data(),
                               .type_a_rank = true};
      arguments.receive_blocks = {.address = into,
                                  .counts = receive_counts,
                                  .displacements = receive_places,
                                  .types = into_types.data(),
                                  .type_a_rank = true};
      return arguments;
    });
  }
};

}  // namespace

void add_fortran_collective_symbols(SymbolTable& table) {
#define COLLECTIVE(Name, lower, UPPER, ...)                                   \
  QUADRILLE_ADD_FORTRAN(EntriesOf<intercepted::Name>::Entry, #lower, #UPPER); \
  QUADRILLE_ADD_FORTRAN(EntriesOf<intercepted::Name>::NonblockingOne, "i" #lower, "I" #UPPER);
#define COLLECTIVE_OF_TYPES(Name, lower, UPPER, ...) QUADRILLE_ADD_FORTRAN(Name, #lower, #UPPER);
#define COLLECTIVE_WITHOUT_COUNTS COLLECTIVE
#include "preload/collectives.def"
#undef COLLECTIVE_WITHOUT_COUNTS
#undef COLLECTIVE_OF_TYPES
#undef COLLECTIVE
}

}  // namespace quadrille
