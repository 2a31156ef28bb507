// SPDX-License-Identifier: BSD-3-Clause
// What Fortran programs pass as weights of a distributed graph: an array, or MPI_UNWEIGHTED or
// MPI_WEIGHTS_EMPTY, which are variables of the MPI library's Fortran part and hold nothing.
#pragma once

#include "mpi/intercept/fortran_constants.h"

namespace quadrille {

class FortranWeights {
 public:
  static const FortranWeights& of(FortranInterface interface);

  // Where this process's variables were not found no array can be told from them.
  bool known() const { return unweighted_ != nullptr && empty_ != nullptr; }

  bool unweighted(const void* weights) const { return weights == unweighted_; }

  // The array, or null where there is none.
  const int* values(const void* weights) const {
    return weights == unweighted_ || weights == empty_ ? nullptr : static_cast<const int*>(weights);
  }

 private:
  explicit FortranWeights(FortranInterface interface);

  const void* unweighted_ = nullptr;
  const void* empty_ = nullptr;
};

}  // namespace quadrille
