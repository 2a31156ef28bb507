// SPDX-License-Identifier: BSD-3-Clause
// The next definition of an MPI function after ours: another preloaded tool's, or the MPI
// library's. Forwarding a user's untouched call goes there; everything Quadrille does for itself
// calls PMPI_.
#pragma once

#include <algorithm>
#include <cstddef>

namespace quadrille {

// Set once, when the shim attaches, before any other function here is called.
void set_next_symbol_lookup(void* (*lookup)(const char* symbol));
void* look_up_next_symbol(const char* symbol);

template <std::size_t length>
struct SymbolName {
  char text[length];
  consteval SymbolName(const char (&name)[length]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(name, length, text);
  }
};

template <SymbolName name>
void* next_symbol() {
  static void* const found = look_up_next_symbol(name.text);
  return found;
}

// NEXT(MPI_Bcast)(buffer, ...) calls the next MPI_Bcast with the signature of PMPI_Bcast.
#define NEXT(function) reinterpret_cast<decltype(&P##function)>(quadrille::next_symbol<#function>())
// The same for an entry that the program may have called by its PMPI_ name: what comes next then is
// the MPI library's.
#define NEXT_OF(profiling, function)                                                             \
  reinterpret_cast<decltype(&P##function)>((profiling) ? quadrille::next_symbol<"P" #function>() \
                                                       : quadrille::next_symbol<#function>())

}  // namespace quadrille
