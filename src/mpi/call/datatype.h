// SPDX-License-Identifier: BSD-3-Clause
// How a user's datatype lies in memory, and its packed form where it is not one run of bytes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace quadrille {

struct Layout {
  std::uint64_t size = 0;       // bytes of data in one element
  std::int64_t extent = 0;      // bytes from one element to the next
  std::int64_t true_lower = 0;  // where an element's data begin, from its address
  std::int64_t true_extent = 0;
  // Elements in a row are one run of bytes in type-map order, beginning at the user's address; one
  // of none where an element has no data, whatever its extent.
  bool contiguous = false;
  bool predefined = false;
};

Layout layout_of(MPI_Datatype type);

// Copies `count` elements to or from their packed form: size * count bytes. Return an MPI error
// code.
int pack(const void* from, std::uint64_t count, MPI_Datatype type, const Layout& layout,
         std::byte* into);
int unpack(const std::byte* from, void* into, std::uint64_t count, MPI_Datatype type,
           const Layout& layout);

// Whether it is one of the predefined handles that C programs reduce with or of: those name nothing
// else later. Asks nothing of the MPI library, so any handle may be asked for.
bool is_predefined_operation(MPI_Op op);
bool is_predefined_type(MPI_Datatype type);

// How a type was made: MPI_COMBINER_NAMED and so on. REQUIRES: a valid handle.
int combiner_of(MPI_Datatype type);

// Whether the operation is for such elements: MPI's own are for some predefined types only, and
// what else an MPI library may take is left to it. Alike on all ranks. REQUIRES: valid handles.
bool may_combine(MPI_Op op, MPI_Datatype type);

// Whether a reduction gives the same bits in every order of evaluation: MPI's own operations on
// integers and bytes.
bool is_exact(MPI_Op op, MPI_Datatype type);

}  // namespace quadrille
