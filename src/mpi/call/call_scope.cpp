// SPDX-License-Identifier: BSD-3-Clause
// Stacks grow towards lower addresses on all machines that the shim is for.
#include "mpi/call/call_scope.h"

namespace quadrille {
namespace {

thread_local CallScope* innermost = nullptr;

// A scope's own address, disguised so that a stray copy of a pointer to it is no mark.
std::uintptr_t mark_of(const CallScope* scope) {
  return reinterpret_cast<std::uintptr_t>(scope) ^ std::uintptr_t{0x5ca1ab1e0ddba11};
}

}  // namespace

// It may read what other frames have since written where a scope was.
__attribute__((no_sanitize("address"))) bool CallScope::is_alive_above(
    const CallScope& inner) const {
  return this > &inner && mark_ == mark_of(this);
}

CallScope::CallScope(Collective collective, MPI_Comm comm)
    : mark_(mark_of(this)), collective_(collective), comm_(comm) {
  enclosing_ = innermost != nullptr && innermost->is_alive_above(*this) ? innermost : nullptr;
  is_nested_ =
      enclosing_ != nullptr && enclosing_->collective_ == collective && enclosing_->comm_ == comm;
  innermost = this;
}

void CallScope::end() {
  if (mark_ == 0) return;
  mark_ = 0;
  innermost = enclosing_;
}

}  // namespace quadrille
