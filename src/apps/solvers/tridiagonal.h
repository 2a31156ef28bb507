// SPDX-License-Identifier: BSD-3-Clause
// One rank's columns of a dense symmetric matrix that all ranks together reduce to tridiagonal form
// by Householder's reflections: what a diagonalisation of a density-functional program does most,
// and the order of messages of it: for each column a broadcast and a sum of vectors (J. Dongarra,
// S. Hammarling, D. Sorensen, doi:10.1016/0377-0427(89)90367-1). The eigenvalues are known: 1 to
// the order of the matrix.
//
// A step for column k: its owner's reflector(k) goes to all; all multiply(k) and sum; all
// update(k). Columns are dealt out in turn. No MPI, no clock.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace quadrille::solvers {

struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;  // one element less
};

// How many eigenvalues are less than `bound`: changes of sign in Sturm's sequence.
int eigenvalues_below(const Tridiagonal& matrix, double bound);
// Whether they are 1, 2, 3 ..., each within `tolerance`.
bool has_known_eigenvalues(const Tridiagonal& matrix, double tolerance);

class OwnColumns {
 public:
  OwnColumns(int order, int rank, int ranks);

  int owner(int column) const { return column % ranks_; }
  // Elements below the diagonal in column `column`.
  int below(int column) const { return order_ - 1 - column; }
  // Own columns behind it.
  int own_behind(int column) const;

  // Of the own column `column`: a vector of unit length or zero, then the elements of the
  // tridiagonal matrix on the diagonal and beside it. REQUIRES: room for below(column) + 2.
  void reflector(int column, std::span<double> made) const;
  // This rank's elements of what is behind `column` times `reflector`; others are zero.
  void multiply(int column, std::span<const double> reflector, std::span<double> product) const;
  // Reflects what is behind `column` from both sides; `product` is complete.
  void update(int column, std::span<const double> reflector, std::span<const double> product);

 private:
  int first_own_behind(int column) const;
  std::span<const double> own(int column) const;

  int order_;
  int rank_;
  int ranks_;
  std::vector<double> columns_;
  std::vector<double> partner_;  // of the reflector in an update
};

}  // namespace quadrille::solvers
