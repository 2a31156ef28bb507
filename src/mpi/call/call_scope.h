// SPDX-License-Identifier: BSD-3-Clause
// Which calls on a thread are the program's own, and which a part of one that has been passed on:
// a library's Fortran entry calls the C one, a PMPI entry may follow an MPI one. A scope stands on
// the stack for as long as its call lasts.
//
// A program may leave a call by longjmp, out of an error handler or an operation of its own; no
// destructor runs then. So what an enclosing call has left behind is believed only if its scope
// still lies further up the stack, is unharmed, and was of the same collective on the same
// communicator.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "schedule/collective.h"

namespace quadrille {

class CallScope {
 public:
  CallScope(Collective collective, MPI_Comm comm);
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { end(); }

  // Whether this call is a part of another one of this thread's, to which it belongs.
  bool is_nested() const { return is_nested_; }
  // Before the destructor, where the program's own code runs next.
  void end();

 private:
  bool is_alive_above(const CallScope& inner) const;

  volatile std::uintptr_t mark_;
  Collective collective_;
  MPI_Comm comm_;
  CallScope* enclosing_;
  bool is_nested_;
};

}  // namespace quadrille
