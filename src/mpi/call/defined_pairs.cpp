// SPDX-License-Identifier: BSD-3-Clause
// The MPI library could be asked, by PMPI_Reduce_local, but where it refuses it calls the error
// handler of MPI_COMM_WORLD, which may end the program whatever the communicator's own one does.
#include "mpi/call/defined_pairs.h"

#include <array>
#include <cstdint>

#include "mpi/call/datatype.h"

namespace quadrille {
namespace {

using Kinds = std::uint32_t;
constexpr Kinds c_integer = 1;
constexpr Kinds fortran_integer = 2;
constexpr Kinds floating = 4;
constexpr Kinds logical = 8;
constexpr Kinds complex = 16;
constexpr Kinds byte = 32;
constexpr Kinds multi_language = 64;
constexpr Kinds pair = 128;

struct KindOfType {
  MPI_Datatype type;
  Kinds kind;
};

// MPI_CHAR and MPI_WCHAR are in none: they are text. Where the MPI library has no Fortran or C++,
// their types are null, which no valid type equals.
Kinds kind_of_named(MPI_Datatype type) {
  const auto known = {
      KindOfType{MPI_INT, c_integer},
      KindOfType{MPI_LONG, c_integer},
      KindOfType{MPI_SHORT, c_integer},
      KindOfType{MPI_UNSIGNED_SHORT, c_integer},
      KindOfType{MPI_UNSIGNED, c_integer},
      KindOfType{MPI_UNSIGNED_LONG, c_integer},
      KindOfType{MPI_LONG_LONG, c_integer},
      KindOfType{MPI_UNSIGNED_LONG_LONG, c_integer},
      KindOfType{MPI_SIGNED_CHAR, c_integer},
      KindOfType{MPI_UNSIGNED_CHAR, c_integer},
      KindOfType{MPI_INT8_T, c_integer},
      KindOfType{MPI_INT16_T, c_integer},
      KindOfType{MPI_INT32_T, c_integer},
      KindOfType{MPI_INT64_T, c_integer},
      KindOfType{MPI_UINT8_T, c_integer},
      KindOfType{MPI_UINT16_T, c_integer},
      KindOfType{MPI_UINT32_T, c_integer},
      KindOfType{MPI_UINT64_T, c_integer},
      KindOfType{MPI_INTEGER, fortran_integer},
      KindOfType{MPI_FLOAT, floating},
      KindOfType{MPI_DOUBLE, floating},
      KindOfType{MPI_LONG_DOUBLE, floating},
      KindOfType{MPI_REAL, floating},
      KindOfType{MPI_DOUBLE_PRECISION, floating},
      KindOfType{MPI_LOGICAL, logical},
      KindOfType{MPI_C_BOOL, logical},
      KindOfType{MPI_COMPLEX, complex},
      KindOfType{MPI_DOUBLE_COMPLEX, complex},
      KindOfType{MPI_C_FLOAT_COMPLEX, complex},
      KindOfType{MPI_C_DOUBLE_COMPLEX, complex},
      KindOfType{MPI_C_LONG_DOUBLE_COMPLEX, complex},
      KindOfType{MPI_BYTE, byte},
      KindOfType{MPI_AINT, multi_language},
      KindOfType{MPI_OFFSET, multi_language},
      KindOfType{MPI_COUNT, multi_language},
      KindOfType{MPI_FLOAT_INT, pair},
      KindOfType{MPI_DOUBLE_INT, pair},
      KindOfType{MPI_LONG_INT, pair},
      KindOfType{MPI_2INT, pair},
      KindOfType{MPI_SHORT_INT, pair},
      KindOfType{MPI_LONG_DOUBLE_INT, pair},
      KindOfType{MPI_2REAL, pair},
      KindOfType{MPI_2DOUBLE_PRECISION, pair},
      KindOfType{MPI_2INTEGER, pair},
#ifdef MPI_INTEGER1
      KindOfType{MPI_INTEGER1, fortran_integer},
#endif
#ifdef MPI_INTEGER2
      KindOfType{MPI_INTEGER2, fortran_integer},
#endif
#ifdef MPI_INTEGER4
      KindOfType{MPI_INTEGER4, fortran_integer},
#endif
#ifdef MPI_INTEGER8
      KindOfType{MPI_INTEGER8, fortran_integer},
#endif
#ifdef MPI_REAL4
      KindOfType{MPI_REAL4, floating},
#endif
#ifdef MPI_REAL8
      KindOfType{MPI_REAL8, floating},
#endif
#ifdef MPI_COMPLEX8
      KindOfType{MPI_COMPLEX8, complex},
#endif
#ifdef MPI_COMPLEX16
      KindOfType{MPI_COMPLEX16, complex},
#endif
#ifdef MPI_CXX_BOOL
      KindOfType{MPI_CXX_BOOL, logical},
      KindOfType{MPI_CXX_FLOAT_COMPLEX, complex},
      KindOfType{MPI_CXX_DOUBLE_COMPLEX, complex},
      KindOfType{MPI_CXX_LONG_DOUBLE_COMPLEX, complex},
#endif
  };
  for (const KindOfType& row : known) {
    if (row.type == type) return row.kind;
  }
  return 0;
}

Kinds kind_of(MPI_Datatype type) {
  if (const Kinds kind = kind_of_named(type); kind != 0) return kind;
  switch (combiner_of(type)) {
    case MPI_COMBINER_F90_INTEGER:
      return fortran_integer;
    case MPI_COMBINER_F90_REAL:
      return floating;
    case MPI_COMBINER_F90_COMPLEX:
      return complex;
    default:
      return 0;
  }
}

Kinds kinds_for(MPI_Op op) {
  constexpr Kinds numbers = c_integer | fortran_integer | floating | multi_language;
  if (op == MPI_SUM || op == MPI_PROD) return numbers | complex;
  if (op == MPI_MAX || op == MPI_MIN) return numbers;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return c_integer | logical;
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR)
    return c_integer | fortran_integer | byte | multi_language;
  if (op == MPI_MAXLOC || op == MPI_MINLOC) return pair;
  return 0;
}

}  // namespace

bool is_operation_of_mpi(MPI_Op op) {
  return is_predefined_operation(op) || op == MPI_MAXLOC || op == MPI_MINLOC || op == MPI_REPLACE ||
         op == MPI_NO_OP;
}

bool is_defined(MPI_Op op, MPI_Datatype type) { return (kinds_for(op) & kind_of(type)) != 0; }

}  // namespace quadrille
