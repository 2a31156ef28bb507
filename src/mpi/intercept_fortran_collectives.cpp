// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries of the collectives: mpif.h and `use mpi` under four manglings, mpi_f08 with
// plain addresses
// (`_f08_`) and with array descriptors (`_f08ts_`). Each turns its arguments into C's and goes on
// as the C entry does. Where an argument is not understood the call goes on outside of any
// CollectiveCall: libraries that take descriptors call the C entry next.
#include <mpi.h>

#include "mpi/collective_call.h"
#include "mpi/fortran_array.h"
#include "mpi/fortran_constants.h"
#include "mpi/fortran_handles.h"
#include "mpi/next.h"
#include "mpi/symbols.h"

namespace quadrille {
namespace {

// A choice buffer that is passed as its address.
class PlainBuffer {
 public:
  bool understood() const { return true; }
  PlainBuffer(void* address, const FortranConstants& constants)
      : address_(constants.in_c(address)) {}
  void* address() const { return address_; }
  void gather() {}
  void scatter() const {}

 private:
  void* address_;
};

// Of a call without data, or without a second buffer.
struct NoBuffer {
  void gather() {}
  void scatter() const {}
};

// How an interface passes choice buffers, and what it calls the constants. One word in any case: an
// address.
template <FortranInterface interface, typename PassedBuffer>
struct Binding {
  using Buffer = PassedBuffer;
  static constexpr FortranInterface constants = interface;
};
using MpifH = Binding<FortranInterface::mpif_h, PlainBuffer>;
using MpiF08 = Binding<FortranInterface::mpi_f08, PlainBuffer>;
using MpiF08WithDescriptors = Binding<FortranInterface::mpi_f08, FortranArray>;

using Choice = void*;
using Integer = const int*;

// Executes the call or passes it on. `error` may be null in mpi_f08.
template <typename Send, typename Receive, typename Forward>
void finish(CollectiveCall& call, Send&& send, Receive&& receive, int* error, Forward&& forward) {
  if (!call.replaced()) {
    forward();
    call.forwarded(MPI_SUCCESS);
    return;
  }
  send.gather();
  receive.gather();
  const int code = call.execute();
  receive.scatter();
  if (error != nullptr) *error = code;
}

template <typename Binding>
typename Binding::Buffer buffer_of(Choice passed) {
  return {passed, *FortranConstants::of(Binding::constants)};
}

template <typename Binding, SymbolName symbol>
struct Barrier {
  static void entry(Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(comm, error);
    };
    if (!fortran_is_readable()) return forward();
    CollectiveCall call(barrier_arguments(communicator_of(comm)));
    finish(call, NoBuffer{}, NoBuffer{}, error, forward);
  }
};

template <typename Binding, SymbolName symbol>
struct Bcast {
  static void entry(Choice buffer, Integer count, Integer type, Integer root, Integer comm,
                    int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(buffer, count, type, root, comm,
                                                                error);
    };
    if (!fortran_is_readable()) return forward();
    auto message = buffer_of<Binding>(buffer);
    if (!message.understood()) return forward();
    CollectiveCall call(bcast_arguments(message.address(), *count, datatype_of(type), *root,
                                        communicator_of(comm)));
    finish(call, NoBuffer{}, message, error, forward);
  }
};

template <typename Binding, SymbolName symbol>
struct Reduce {
  static void entry(Choice send, Choice receive, Integer count, Integer type, Integer op,
                    Integer root, Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(send, receive, count, type, op,
                                                                root, comm, error);
    };
    if (!fortran_is_readable()) return forward();
    auto from = buffer_of<Binding>(send);
    auto into = buffer_of<Binding>(receive);
    if (!from.understood() || !into.understood()) return forward();
    CollectiveCall call(reduce_arguments(from.address(), into.address(), *count, datatype_of(type),
                                         operation_of(op), *root, communicator_of(comm)));
    finish(call, from, into, error, forward);
  }
};

template <typename Binding, SymbolName symbol>
struct Allreduce {
  static void entry(Choice send, Choice receive, Integer count, Integer type, Integer op,
                    Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(send, receive, count, type, op,
                                                                comm, error);
    };
    if (!fortran_is_readable()) return forward();
    auto from = buffer_of<Binding>(send);
    auto into = buffer_of<Binding>(receive);
    if (!from.understood() || !into.understood()) return forward();
    CollectiveCall call(allreduce_arguments(from.address(), into.address(), *count,
                                            datatype_of(type), operation_of(op),
                                            communicator_of(comm)));
    finish(call, from, into, error, forward);
  }
};

// Allgather and alltoall differ in nothing but the name.
using BlockArguments = CallArguments (*)(UserBuffer send, UserBuffer receive, MPI_Comm comm);

template <typename Binding, SymbolName symbol, BlockArguments arguments>
struct Blocks {
  static void entry(Choice send, Integer send_count, Integer send_type, Choice receive,
                    Integer receive_count, Integer receive_type, Integer comm, int* error) {
    const auto forward = [&] {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          send, send_count, send_type, receive, receive_count, receive_type, comm, error);
    };
    if (!fortran_is_readable()) return forward();
    auto from = buffer_of<Binding>(send);
    auto into = buffer_of<Binding>(receive);
    if (!from.understood() || !into.understood()) return forward();
    CollectiveCall call(arguments({from.address(), *send_count, datatype_of(send_type)},
                                  {into.address(), *receive_count, datatype_of(receive_type)},
                                  communicator_of(comm)));
    finish(call, from, into, error, forward);
  }
};

template <typename Binding, SymbolName symbol>
struct Allgather : Blocks<Binding, symbol, allgather_arguments> {};

template <typename Binding, SymbolName symbol>
struct Alltoall : Blocks<Binding, symbol, alltoall_arguments> {};

}  // namespace

void add_fortran_collective_symbols(SymbolTable& table) {
#define ADD_ONE(Entry, Binding, symbol)                    \
  if (FortranConstants::of(Binding::constants) != nullptr) \
  table[symbol] = reinterpret_cast<void*>(&Entry<Binding, symbol>::entry)
#define ADD(Entry, lower, upper)                \
  ADD_ONE(Entry, MpifH, "mpi_" lower);          \
  ADD_ONE(Entry, MpifH, "mpi_" lower "_");      \
  ADD_ONE(Entry, MpifH, "mpi_" lower "__");     \
  ADD_ONE(Entry, MpifH, "MPI_" upper);          \
  ADD_ONE(Entry, MpiF08, "mpi_" lower "_f08_"); \
  ADD_ONE(Entry, MpiF08WithDescriptors, "mpi_" lower "_f08ts_")
  ADD(Barrier, "barrier", "BARRIER");
  ADD(Bcast, "bcast", "BCAST");
  ADD(Reduce, "reduce", "REDUCE");
  ADD(Allreduce, "allreduce", "ALLREDUCE");
  ADD(Allgather, "allgather", "ALLGATHER");
  ADD(Alltoall, "alltoall", "ALLTOALL");
#undef ADD
#undef ADD_ONE
}

}  // namespace quadrille
