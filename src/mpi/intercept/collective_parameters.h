// SPDX-License-Identifier: BSD-3-Clause
// The parameters of the collectives: what C passes for each, and where among CallArguments it goes.
// preload/collectives.def says which a collective has, in which order.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

#include "mpi/call/call_arguments.h"
#include "mpi/intercept/next.h"

namespace quadrille {

// How C, and Fortran after it, pass an argument.
enum class Passed : std::uint8_t {
  number,        // an int in all calls
  count,         // an int, or MPI_Count in calls with large counts
  datatype,      // a handle
  operation,     // a handle
  communicator,  // a handle
  counts,        // an array of counts, one a rank
  places,        // an array, one a rank: int, or MPI_Aint in calls with large counts
  addresses,     // an array of MPI_Aint in all calls
  datatypes,     // an array of handles, one a rank
  from,          // a buffer that is read
  into,          // a buffer that is written; that of a broadcast
};

template <Passed passed, typename Count>
struct PassedInC;
template <typename Count>
struct PassedInC<Passed::number, Count> : std::type_identity<int> {};
template <typename Count>
struct PassedInC<Passed::count, Count> : std::type_identity<Count> {};
template <typename Count>
struct PassedInC<Passed::datatype, Count> : std::type_identity<MPI_Datatype> {};
template <typename Count>
struct PassedInC<Passed::operation, Count> : std::type_identity<MPI_Op> {};
template <typename Count>
struct PassedInC<Passed::communicator, Count> : std::type_identity<MPI_Comm> {};
template <typename Count>
struct PassedInC<Passed::counts, Count> : std::type_identity<const Count*> {};
template <typename Count>
struct PassedInC<Passed::places, Count>
    : std::type_identity<
          std::conditional_t<std::is_same_v<Count, int>, const int*, const MPI_Aint*>> {};
template <typename Count>
struct PassedInC<Passed::addresses, Count> : std::type_identity<const MPI_Aint*> {};
template <typename Count>
struct PassedInC<Passed::datatypes, Count> : std::type_identity<const MPI_Datatype*> {};
template <typename Count>
struct PassedInC<Passed::from, Count> : std::type_identity<const void*> {};
template <typename Count>
struct PassedInC<Passed::into, Count> : std::type_identity<void*> {};

namespace parameter {

// What is read only is so by the call, whose arguments are one for all.
template <typename Value, typename Member>
void take(Value value, Member& member) {
  if constexpr (std::is_same_v<Value, const void*> && std::is_same_v<Member, void*>) {
    member = const_cast<void*>(value);
  } else {
    member = value;
  }
}

// `member` of CallArguments takes the value; `more` is what else the parameter says.
#define QUADRILLE_PARAMETER(Name, how, Type, member, more)                           \
  struct Name {                                                                      \
    static constexpr Passed passed = Passed::how;                                    \
    static void put(Type value, CallArguments& call) {                               \
      take(value, call.member);                                                      \
      more;                                                                          \
    }                                                                                \
    template <typename Count>                                                        \
    static auto get(const CallArguments& call) {                                     \
      return static_cast<typename PassedInC<Passed::how, Count>::type>(call.member); \
    }                                                                                \
  }

QUADRILLE_PARAMETER(Comm, communicator, MPI_Comm, comm, );
QUADRILLE_PARAMETER(Root, number, int, root, );
QUADRILLE_PARAMETER(Op, operation, MPI_Op, op, );

QUADRILLE_PARAMETER(Send, from, const void*, send.address, );
QUADRILLE_PARAMETER(SendCount, count, MPI_Count, send.count, );
QUADRILLE_PARAMETER(SendType, datatype, MPI_Datatype, send.type, );
QUADRILLE_PARAMETER(Receive, into, void*, receive.address, );
QUADRILLE_PARAMETER(ReceiveCount, count, MPI_Count, receive.count, );
QUADRILLE_PARAMETER(ReceiveType, datatype, MPI_Datatype, receive.type, );
QUADRILLE_PARAMETER(CountOfBoth, count, MPI_Count, send.count, call.receive.count = value);
QUADRILLE_PARAMETER(TypeOfBoth, datatype, MPI_Datatype, send.type,
                    call.receive.type = call.send_blocks.one_type = value);

QUADRILLE_PARAMETER(SendBlocks, from, const void*, send_blocks.address, );
QUADRILLE_PARAMETER(SendCounts, counts, const void*, send_blocks.counts, );
QUADRILLE_PARAMETER(SendPlaces, places, const void*, send_blocks.displacements, );
QUADRILLE_PARAMETER(SendAddresses, addresses, const void*, send_blocks.displacements,
                    call.send_blocks.has_addresses = true);
QUADRILLE_PARAMETER(SendCountOfEach, count, MPI_Count, send_blocks.one_count,
                    call.send_blocks.placing = Placing::in_a_row);
QUADRILLE_PARAMETER(SendCountToAll, count, MPI_Count, send_blocks.one_count,
                    call.send_blocks.placing = Placing::at_once);
QUADRILLE_PARAMETER(SendBlockType, datatype, MPI_Datatype, send_blocks.one_type, );
QUADRILLE_PARAMETER(SendBlockTypes, datatypes, const MPI_Datatype*, send_blocks.types,
                    call.send_blocks.type_a_block = true);
QUADRILLE_PARAMETER(ReceiveBlocks, into, void*, receive_blocks.address, );
QUADRILLE_PARAMETER(ReceiveCounts, counts, const void*, receive_blocks.counts, );
QUADRILLE_PARAMETER(ReceivePlaces, places, const void*, receive_blocks.displacements, );
QUADRILLE_PARAMETER(ReceiveAddresses, addresses, const void*, receive_blocks.displacements,
                    call.receive_blocks.has_addresses = true);
QUADRILLE_PARAMETER(ReceiveCountOfEach, count, MPI_Count, receive_blocks.one_count,
                    call.receive_blocks.placing = Placing::in_a_row);
QUADRILLE_PARAMETER(ReceiveBlockType, datatype, MPI_Datatype, receive_blocks.one_type, );
QUADRILLE_PARAMETER(ReceiveBlockTypes, datatypes, const MPI_Datatype*, receive_blocks.types,
                    call.receive_blocks.type_a_block = true);
#undef QUADRILLE_PARAMETER

}  // namespace parameter

template <typename... Parameter>
struct ParameterList {};

// Of each row of collectives.def.
namespace intercepted {

using namespace parameter;  // NOLINT(google-build-using-namespace): the rows' words
#define COLLECTIVE(Name, lower, UPPER, executed_as, ...)                       \
  struct Name {                                                                \
    static constexpr Collective collective = Collective::executed_as;          \
    static constexpr const char* name = "MPI_" #Name;                          \
    static constexpr const char* nonblocking_name = "MPI_I" #lower;            \
    static constexpr const char* persistent_name = "MPI_" #Name "_init";       \
    static constexpr SymbolName nonblocking_symbol{"MPI_I" #lower};            \
    static constexpr SymbolName large_nonblocking_symbol{"MPI_I" #lower "_c"}; \
    using Parameters = ParameterList<__VA_ARGS__>;                             \
  };
#define COLLECTIVE_WITHOUT_COUNTS COLLECTIVE
#include "preload/collectives.def"
#undef COLLECTIVE_WITHOUT_COUNTS
#undef COLLECTIVE

}  // namespace intercepted

// The arguments of a call of `Row`, before any is put; `name` is the function's.
template <typename Row>
CallArguments arguments_of(bool with_large_counts, const char* name = Row::name) {
  CallArguments call{.collective = Row::collective, .name = name};
  call.send_blocks.large = call.receive_blocks.large = with_large_counts;
  return call;
}

// The nonblocking call of `Row` with the arguments of `call`, by the next definition.
template <typename Row, typename Count, typename... Parameter>
int start_next_with(ParameterList<Parameter...> /*of the row*/, const CallArguments& call,
                    MPI_Request* request) {
  using Function =
      int (*)(typename PassedInC<Parameter::passed, Count>::type..., MPI_Request * request);
  constexpr bool is_large = !std::is_same_v<Count, int>;
  void* next = nullptr;
  if constexpr (is_large) {
    next = next_symbol<Row::large_nonblocking_symbol>();
  } else {
    next = next_symbol<Row::nonblocking_symbol>();
  }
  return reinterpret_cast<Function>(next)(Parameter::template get<Count>(call)..., request);
}

template <typename Row, typename Count>
int start_next(const CallArguments& call, MPI_Request* request) {
  return start_next_with<Row, Count>(typename Row::Parameters(), call, request);
}

}  // namespace quadrille
