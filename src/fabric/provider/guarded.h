// SPDX-License-Identifier: BSD-3-Clause
// What stands in the tables that libfabric calls. Its callers are C: no exception may pass them, so
// each call is entered by way of `guarded`, which tells of one through fi_log() and returns its
// error: -FI_ENOMEM where no memory was left, else -FI_EOTHER.
//
// Thread rule: any thread.
#pragma once

#include <type_traits>

namespace quadrille::fabric {

// Tells of the exception that is being handled; returns FI_ENOMEM or FI_EOTHER. REQUIRES: called
// from a handler.
int tell_exception() noexcept;

template <auto call>
struct Guarded;

template <typename Answer, typename... Arguments, Answer (*call)(Arguments...)>
struct Guarded<call> {
  static Answer enter(Arguments... arguments) noexcept {
    try {
      return call(arguments...);
    } catch (...) {
      const int error = tell_exception();
      if constexpr (std::is_signed_v<Answer>) return -error;
      if constexpr (std::is_same_v<Answer, const char*>) return "error";
      return Answer();  // counts and nothing at all tell no errors
    }
  }
};

template <auto call>
inline constexpr auto guarded = &Guarded<call>::enter;

}  // namespace quadrille::fabric
