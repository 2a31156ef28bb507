// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/combination.h"

#include <cstring>
#include <type_traits>

namespace quadrille {
namespace {

// Integers wrap around, as the MPI libraries' do, in the unsigned type, which C++ defines; short
// ones would be promoted to int.
template <typename Number>
using Wrapping = typename std::conditional_t<
    std::is_integral_v<Number>,
    std::conditional_t<sizeof(Number) < sizeof(unsigned), std::type_identity<unsigned>,
                       std::make_unsigned<Number>>,
    std::type_identity<Number>>::type;

// Buffers of a program's need not be aligned.
template <typename Number, typename Operation>
Combination each(Operation operation) {
  return [operation](const std::byte* from, std::byte* into, std::uint64_t length) {
    for (std::uint64_t i = 0; i < length; ++i) {
      Number one;
      Number other;
      std::memcpy(&one, from + i * sizeof(Number), sizeof(Number));
      std::memcpy(&other, into + i * sizeof(Number), sizeof(Number));
      other = static_cast<Number>(operation(one, other));
      std::memcpy(into + i * sizeof(Number), &other, sizeof(Number));
    }
  };
}

template <typename Number>
Combination combination_of(MPI_Op op) {
  using Wide = Wrapping<Number>;
  if (op == MPI_SUM)
    return each<Number>(
        [](Number a, Number b) { return static_cast<Wide>(a) + static_cast<Wide>(b); });
  if (op == MPI_PROD)
    return each<Number>(
        [](Number a, Number b) { return static_cast<Wide>(a) * static_cast<Wide>(b); });
  if (op == MPI_MAX) return each<Number>([](Number a, Number b) { return a > b ? a : b; });
  if (op == MPI_MIN) return each<Number>([](Number a, Number b) { return a < b ? a : b; });
  if constexpr (std::is_integral_v<Number>) {
    if (op == MPI_LAND) return each<Number>([](Number a, Number b) { return a != 0 && b != 0; });
    if (op == MPI_LOR) return each<Number>([](Number a, Number b) { return a != 0 || b != 0; });
    if (op == MPI_LXOR)
      return each<Number>([](Number a, Number b) { return (a != 0) != (b != 0); });
    if (op == MPI_BAND) return each<Number>([](Number a, Number b) { return a & b; });
    if (op == MPI_BOR) return each<Number>([](Number a, Number b) { return a | b; });
    if (op == MPI_BXOR) return each<Number>([](Number a, Number b) { return a ^ b; });
  }
  return {};
}

}  // namespace

Combination own_combination(MPI_Op op, MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return {};  // as some are where Fortran is missing
#define COMBINE(Type, Number) \
  if (type == (Type)) return combination_of<Number>(op)
  COMBINE(MPI_DOUBLE, double);
  COMBINE(MPI_FLOAT, float);
  COMBINE(MPI_LONG_DOUBLE, long double);
  COMBINE(MPI_INT, int);
  COMBINE(MPI_LONG, long);
  COMBINE(MPI_LONG_LONG, long long);
  COMBINE(MPI_SHORT, short);
  COMBINE(MPI_SIGNED_CHAR, signed char);
  COMBINE(MPI_UNSIGNED, unsigned);
  COMBINE(MPI_UNSIGNED_LONG, unsigned long);
  COMBINE(MPI_UNSIGNED_LONG_LONG, unsigned long long);
  COMBINE(MPI_UNSIGNED_SHORT, unsigned short);
  COMBINE(MPI_UNSIGNED_CHAR, unsigned char);
  COMBINE(MPI_INT8_T, std::int8_t);
  COMBINE(MPI_INT16_T, std::int16_t);
  COMBINE(MPI_INT32_T, std::int32_t);
  COMBINE(MPI_INT64_T, std::int64_t);
  COMBINE(MPI_UINT8_T, std::uint8_t);
  COMBINE(MPI_UINT16_T, std::uint16_t);
  COMBINE(MPI_UINT32_T, std::uint32_t);
  COMBINE(MPI_UINT64_T, std::uint64_t);
#undef COMBINE
  // Fortran's lengths are its compiler's affair.
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  if (type == MPI_INTEGER && bytes == sizeof(int)) return combination_of<int>(op);
  if (type == MPI_REAL && bytes == sizeof(float)) return combination_of<float>(op);
  if (type == MPI_DOUBLE_PRECISION && bytes == sizeof(double)) return combination_of<double>(op);
  return {};
}

}  // namespace quadrille
