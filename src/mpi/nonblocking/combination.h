// SPDX-License-Identifier: BSD-3-Clause
// MPI's own operations on numbers, for a thread that may not call the MPI library.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace quadrille {

// into = from op into, for `length` elements without gaps. Empty for operations of the program's,
// and for types that are neither integers nor floating-point numbers of C.
using Combination =
    std::function<void(const std::byte* from, std::byte* into, std::uint64_t length)>;
Combination own_combination(MPI_Op op, MPI_Datatype type);

}  // namespace quadrille
