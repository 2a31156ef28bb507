// SPDX-License-Identifier: BSD-3-Clause
// An array argument as `use mpi_f08` passes it where the MPI library takes array descriptors
// (`_f08ts_`): any section of an array, which MPI treats as if its elements lay one behind the
// other. A section that does not is brought into that form for the call and back; how one rank's
// array lies in memory changes no decision.
//
// Source: MPI 4.1, 19.1.12; the descriptors: libgfortran.h (gfc_array_descriptor), LLVM's
// flang/ISO_Fortran_binding.h.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "mpi/intercept/fortran_constants.h"

namespace quadrille {

// What Quadrille needs of a compiler's array descriptor.
struct ArraySection {
  struct Dimension {
    std::ptrdiff_t
        extent;  // elements; not positive in an empty array and at the end of an assumed-size one
    std::ptrdiff_t stride;  // bytes from one element to the next; may be negative
  };
  static constexpr int most_dimensions = 15;

  std::byte* address = nullptr;  // of the first element
  std::size_t element_bytes = 0;
  int rank = -1;  // -1: the descriptor is of a compiler that is not known here
  std::array<Dimension, most_dimensions> dimension{};

  static ArraySection read(const void* descriptor);
  bool contiguous() const;
  // REQUIRES: !contiguous(), for extents to be positive.
  std::size_t elements() const;
};

class FortranArray {
 public:
  FortranArray(const void* descriptor, const FortranConstants& constants);

  bool understood() const { return section_.rank >= 0; }
  // False: there was none for the elements in a row, and the call has to fail.
  bool has_memory() const { return has_memory_; }

  // The elements in a row: the user's own memory where it is contiguous.
  void* address() const { return gathered_ ? gathered_.get() : address_; }

  // Between the user's memory and address(): nothing to do where they are the same.
  void gather();
  void scatter() const;

 private:
  ArraySection section_;
  void* address_;
  std::unique_ptr<std::byte[]> gathered_;
  bool has_memory_ = true;
};

}  // namespace quadrille
