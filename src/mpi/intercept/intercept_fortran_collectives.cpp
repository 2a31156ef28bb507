// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries of the collectives: mpif.h and `use mpi` under four manglings, mpi_f08 with
// plain addresses (`_f08_`) and with array descriptors (`_f08ts_`); made of
// preload/collectives.def. Each turns its arguments into C's and goes on as the C entry does. Where
// an argument is not understood the call goes on outside of any CollectiveCall: libraries that take
// descriptors call the C entry next.
#include <mpi.h>

#include <new>
#include <tuple>
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

// Whether calls of a row have a type for each block.
template <typename... Parameter>
constexpr bool have_types(ParameterList<Parameter...> /*of the row*/) {
  return ((Parameter::passed == Passed::datatypes) || ...);
}

// The C handles of arrays of handles.
class TypesInC {
 public:
  // False: there is no memory for them, which the communicator's error handler has been told.
  bool make_room(MPI_Comm comm, bool is_of_neighbours) try {
    Attachment* const attachment = Attachment::find(comm);
    if (attachment == nullptr) return true;
    sent_.resize(static_cast<std::size_t>(attachment->size()));
    received_.resize(sent_.size());
    const Neighbourhood* const neighbours =
        is_of_neighbours ? attachment->neighbourhood(false) : nullptr;
    if (neighbours == nullptr) return true;
    sent_.resize(static_cast<std::size_t>(neighbours->blocks_sent));
    received_.resize(static_cast<std::size_t>(neighbours->blocks_received));
    return true;
  } catch (const std::bad_alloc&) {
    PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    return false;
  }

  const MPI_Datatype* sent(Integer handles) { return translated(handles, sent_); }
  const MPI_Datatype* received(Integer handles) { return translated(handles, received_); }

 private:
  static const MPI_Datatype* translated(Integer handles, std::vector<MPI_Datatype>& types) {
    for (std::size_t block = 0; block < types.size(); ++block)
      types[block] = datatype_of(handles + block);
    return types.data();
  }

  std::vector<MPI_Datatype> sent_;
  std::vector<MPI_Datatype> received_;
};

// What C gets for them; `from` and `into` are the buffers'.
template <typename Row, typename... Parameter>
CallArguments arguments_in_c(ParameterList<Parameter...> /*of the row*/, const char* name,
                             TypesInC& types, void* from, void* into,
                             PassedInFortran<Parameter::passed>... passed) {
  CallArguments arguments = arguments_of<Row>(false, name);
  const auto put_one = [&]<typename One>(std::type_identity<One>, const auto* value) {
    if constexpr (One::passed == Passed::from) {
      One::put(from, arguments);
    } else if constexpr (One::passed == Passed::into) {
      One::put(into, arguments);
    } else if constexpr (std::is_same_v<One, parameter::SendBlockTypes>) {
      // In place they mean nothing.
      One::put(from == MPI_IN_PLACE ? nullptr : types.sent(value), arguments);
    } else if constexpr (std::is_same_v<One, parameter::ReceiveBlockTypes>) {
      One::put(types.received(value), arguments);
    } else {
      put<One>(value, arguments);
    }
  };
  (put_one(std::type_identity<Parameter>(), passed), ...);
  return arguments;
}

// The communicator among a call's arguments: the last one.
template <typename... Passed>
MPI_Comm communicator_among(Passed... passed) {
  return communicator_of(std::get<sizeof...(passed) - 1>(std::tuple(passed...)));
}

// Where calls of `Row` have a type for each block: room for them, or what says that there is none.
template <typename Row, typename... Passed>
bool has_room(TypesInC& types, int* error, Passed... passed) {
  if constexpr (have_types(typename Row::Parameters())) {
    if (!fortran_is_readable()) return true;
    const bool is_of_neighbours = Row::collective == Collective::neighbor_alltoallv;
    if (types.make_room(communicator_among(passed...), is_of_neighbours)) return true;
    if (error != nullptr) *error = MPI_ERR_NO_MEM;
    return false;
  }
  return true;
}

// Leads to the library's entry of the name that the program has called.
using Next = void* (*)();

// What the entries of a row do, once for all names of an interface.
template <typename Row, typename Binding, typename = typename Row::Parameters>
struct FortranCall;

template <typename Row, typename Binding, typename... Parameter>
struct FortranCall<Row, Binding, ParameterList<Parameter...>> {
  [[gnu::noinline]] static void blocking(Next next, PassedInFortran<Parameter::passed>... passed,
                                         int* error) {
    using Entry = void(PassedInFortran<Parameter::passed>..., int*);
    const auto forward = [&] { reinterpret_cast<Entry*>(next())(passed..., error); };
    TypesInC types;
    if (!has_room<Row>(types, error, passed...)) return;
    take_over<Binding>(buffer_among<Passed::from, Parameter...>(passed...),
                       buffer_among<Passed::into, Parameter...>(passed...), error, forward,
                       arguments(Row::name, types, passed...));
  }

  [[gnu::noinline]] static void nonblocking(Next next, PassedInFortran<Parameter::passed>... passed,
                                            int* request, int* error) {
    using Entry = void(PassedInFortran<Parameter::passed>..., int*, int*);
    const auto forward = [&] { reinterpret_cast<Entry*>(next())(passed..., request, error); };
    TypesInC types;
    if (!has_room<Row>(types, error, passed...)) return;
    take_over_nonblocking<Binding>(buffer_among<Passed::from, Parameter...>(passed...),
                                   buffer_among<Passed::into, Parameter...>(passed...), request,
                                   error, forward,
                                   arguments(Row::nonblocking_name, types, passed...));
  }

  [[gnu::noinline]] static void persistent(Next next, PassedInFortran<Parameter::passed>... passed,
                                           Integer info, int* request, int* error) {
    using Entry = void(PassedInFortran<Parameter::passed>..., Integer, int*, int*);
    const auto forward = [&] { reinterpret_cast<Entry*>(next())(passed..., info, request, error); };
    TypesInC types;
    if (!has_room<Row>(types, error, passed...)) return;
    take_over_persistent<Binding>(buffer_among<Passed::from, Parameter...>(passed...),
                                  buffer_among<Passed::into, Parameter...>(passed...), request,
                                  error, forward, start_next<Row, int>,
                                  arguments(Row::persistent_name, types, passed...));
  }

 private:
  static auto arguments(const char* name, TypesInC& types,
                        PassedInFortran<Parameter::passed>... passed) {
    return [=, &types](void* from, void* into) {
      return arguments_in_c<Row>(typename Row::Parameters(), name, types, from, into, passed...);
    };
  }
};

template <auto body, SymbolName symbol>
struct Named;

template <typename... Passed, void (*body)(Next, Passed...), SymbolName symbol>
struct Named<body, symbol> {
  static void entry(Passed... passed) { body(&next_symbol<symbol>, passed...); }
};

template <typename Row>
struct EntriesOf {
  template <typename Binding, SymbolName symbol>
  using Blocking = Named<&FortranCall<Row, Binding>::blocking, symbol>;
  template <typename Binding, SymbolName symbol>
  using Nonblocking = Named<&FortranCall<Row, Binding>::nonblocking, symbol>;
  template <typename Binding, SymbolName symbol>
  using Persistent = Named<&FortranCall<Row, Binding>::persistent, symbol>;
};

}  // namespace

void add_fortran_collective_symbols(SymbolTable& table) {
#define COLLECTIVE(Name, lower, UPPER, ...)                                                 \
  QUADRILLE_ADD_FORTRAN(EntriesOf<intercepted::Name>::Blocking, #lower, #UPPER);            \
  QUADRILLE_ADD_FORTRAN(EntriesOf<intercepted::Name>::Nonblocking, "i" #lower, "I" #UPPER); \
  QUADRILLE_ADD_FORTRAN(EntriesOf<intercepted::Name>::Persistent, #lower "_init", #UPPER "_INIT");
#define COLLECTIVE_WITHOUT_COUNTS COLLECTIVE
#include "preload/collectives.def"
#undef COLLECTIVE_WITHOUT_COUNTS
#undef COLLECTIVE
}

}  // namespace quadrille
