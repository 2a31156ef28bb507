// SPDX-License-Identifier: BSD-3-Clause
// What the Fortran entries of all collectives share: how each interface passes choice buffers, how
// a call is taken over, and under which names it comes.
#pragma once

#include <mpi.h>

#include <memory>
#include <new>

#include "mpi/call/collective_call.h"
#include "mpi/intercept/fortran_array.h"
#include "mpi/intercept/fortran_constants.h"
#include "mpi/intercept/fortran_handles.h"
#include "mpi/intercept/fortran_names.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/nonblocking/nonblocking_call.h"
#include "mpi/nonblocking/persistent_call.h"

namespace quadrille {

// A choice buffer that is passed as its address.
class PlainBuffer {
 public:
  bool understood() const { return true; }
  bool has_memory() const { return true; }
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
  bool understood() const { return true; }
  bool has_memory() const { return true; }
  void* address() const { return nullptr; }
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

template <typename Binding>
typename Binding::Buffer buffer_of(Choice passed) {
  return {passed, *FortranConstants::of(Binding::constants)};
}
template <typename Binding>
NoBuffer buffer_of(NoBuffer none) {
  return none;
}

// Executes an entry's call or passes it on by `forward()`. Each buffer is a Choice or NoBuffer;
// `error` may be null in mpi_f08. `arguments(from, into)` makes C's arguments of the buffers'
// addresses; it is called only where INTEGERs can be read.
// REQUIRES: what these arguments point to lives until this returns.
template <typename Binding, typename Send, typename Receive, typename Forward, typename Arguments>
void take_over(Send send, Receive receive, int* error, const Forward& forward,
               const Arguments& arguments) {
  if (!fortran_is_readable()) return forward();
  auto from = buffer_of<Binding>(send);
  auto into = buffer_of<Binding>(receive);
  if (!from.understood() || !into.understood()) return forward();
  CollectiveCall call(arguments(from.address(), into.address()));
  if (!call.replaced()) {
    forward();
    call.forwarded(MPI_SUCCESS);
    return;
  }
  if (from.has_memory() && into.has_memory()) {
    from.gather();
    into.gather();
  } else {
    call.fail(MPI_ERR_NO_MEM);
  }
  const int code = call.execute();
  into.scatter();
  if (error != nullptr) *error = code;
}

// The buffers of a call that goes on when its entry has returned.
template <typename Send, typename Receive>
struct LastingBuffers {
  Send from;
  Receive into;

  bool understood() const { return from.understood() && into.understood(); }
  bool have_memory() const { return from.has_memory() && into.has_memory(); }
  void gather() {
    from.gather();
    into.gather();
  }
};

// Null where there is no memory for them, which the error handler and `error` have been told.
template <typename Binding, typename Send, typename Receive>
auto lasting_buffers(Send send, Receive receive, int* error) {
  using Buffers =
      LastingBuffers<decltype(buffer_of<Binding>(send)), decltype(buffer_of<Binding>(receive))>;
  try {
    return std::make_shared<Buffers>(
        Buffers{buffer_of<Binding>(send), buffer_of<Binding>(receive)});
  } catch (const std::bad_alloc&) {
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    if (error != nullptr) *error = MPI_ERR_NO_MEM;
    return std::shared_ptr<Buffers>();
  }
}

// The same of a nonblocking call, whose buffers last until its data have come.
template <typename Binding, typename Send, typename Receive, typename Forward, typename Arguments>
void take_over_nonblocking(Send send, Receive receive, int* request, int* error,
                           const Forward& forward, const Arguments& arguments) {
  if (!fortran_is_readable()) return forward();
  const auto buffers = lasting_buffers<Binding>(send, receive, error);
  if (buffers == nullptr) return;
  if (!buffers->understood()) return forward();
  NonblockingCall call(arguments(buffers->from.address(), buffers->into.address()));
  if (!call.replaced()) {
    forward();
    call.forwarded(MPI_SUCCESS, request_of(request));
    return;
  }
  if (buffers->have_memory()) {
    buffers->gather();
  } else {
    call.fail(MPI_ERR_NO_MEM);
  }
  MPI_Request started = MPI_REQUEST_NULL;
  const int code = call.start(&started, [buffers] { buffers->into.scatter(); });
  if (code == MPI_SUCCESS) *request = fortran_request_of(started);
  if (error != nullptr) *error = code;
}

// And of the initialization of a persistent one, whose buffers last until its request is freed.
template <typename Binding, typename Send, typename Receive, typename Forward, typename Arguments>
void take_over_persistent(Send send, Receive receive, int* request, int* error,
                          const Forward& forward, PersistentCall::StartByLibrary start_by_library,
                          const Arguments& arguments) {
  if (!fortran_is_readable()) return forward();
  const auto buffers = lasting_buffers<Binding>(send, receive, error);
  if (buffers == nullptr) return;
  if (!buffers->understood()) return forward();
  PersistentCall call(arguments(buffers->from.address(), buffers->into.address()),
                      start_by_library);
  if (!call.replaced()) {
    forward();
    call.forwarded(MPI_SUCCESS);
    return;
  }
  if (!buffers->have_memory()) call.fail(MPI_ERR_NO_MEM);
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = call.make(&made, {.before = [buffers] { buffers->gather(); },
                                     .after = [buffers] { buffers->into.scatter(); }});
  if (code == MPI_SUCCESS) *request = fortran_request_of(made);
  if (error != nullptr) *error = code;
}

// Adds Entry<Binding, symbol>::entry under an interface's name where the process has that
// interface.
#define QUADRILLE_ADD_FORTRAN_ONE(Binding, symbol, Entry)  \
  if (FortranConstants::of(Binding::constants) != nullptr) \
  table[symbol] = reinterpret_cast<void*>(&Entry<Binding, symbol>::entry)
#define QUADRILLE_ADD_FORTRAN(Entry, lower, upper) \
  QUADRILLE_FORTRAN_NAMES(QUADRILLE_ADD_FORTRAN_ONE, lower, upper, Entry)

}  // namespace quadrille
