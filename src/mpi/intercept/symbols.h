// SPDX-License-Identifier: BSD-3-Clause
// The tables by which the shim finds our definition of an MPI symbol.
#pragma once

#include <string_view>
#include <unordered_map>

namespace quadrille {

using SymbolTable = std::unordered_map<std::string_view, void*>;

// Each adds the symbols it defines.
void add_lifecycle_symbols(SymbolTable& table);
void add_collective_symbols(SymbolTable& table);
void add_nonblocking_symbols(SymbolTable& table);
void add_persistent_symbols(SymbolTable& table);
void add_request_symbols(SymbolTable& table);
void add_completion_symbols(SymbolTable& table);
void add_topology_symbols(SymbolTable& table);
void add_fortran_lifecycle_symbols(SymbolTable& table);
void add_fortran_collective_symbols(SymbolTable& table);
void add_fortran_completion_symbols(SymbolTable& table);
void add_fortran_topology_symbols(SymbolTable& table);

}  // namespace quadrille
