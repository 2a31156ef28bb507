// SPDX-License-Identifier: BSD-3-Clause
// One rank's share of a Fourier transform between plane waves inside a sphere and a cubic grid, as
// plane-wave density-functional programs do it (J. Hutter, A. Curioni, doi:10.1002/cphc.200500059):
// columns of coefficients ("sticks") that lie inside a circle are dealt out in turn and
// transformed; an all-to-all of equal blocks hands each rank its planes; these are transformed.
// Back likewise. No MPI, no clock.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "apps/solvers/partition.h"

namespace quadrille::solvers {

using Complex = std::complex<double>;

// In place; unnormalised; `sign` -1 or 1 of the exponent. REQUIRES: a length that is a power of 2.
void fourier(std::span<Complex> values, int sign);

class PlaneWaves {
 public:
  // A grid of `length`^3 and sticks within `radius` of the middle.
  PlaneWaves(int length, double radius, int rank, int ranks);

  // Complex numbers from one rank to another in an all-to-all.
  std::size_t block() const;
  std::size_t sticks() const { return all_sticks_.size(); }

  // Each is followed by an all-to-all from send() to receive().
  void sticks_to_blocks();
  void planes_to_blocks();
  // What they brought.
  void blocks_to_planes();
  void blocks_to_sticks();

  std::span<Complex> send() { return send_; }
  std::span<Complex> receive() { return receive_; }
  // Shares of sums of squares of coefficients and of values on the grid, which is length^3 of it.
  double power_of_sticks() const;
  double power_of_planes() const;
  // The largest distance of an own coefficient to what it was in the beginning.
  double error() const;

 private:
  std::size_t most_planes() const;
  std::size_t most_sticks() const;
  std::span<Complex> stick(std::size_t own);
  std::span<Complex> plane(int own);
  void transform_planes(int sign);

  int length_;
  int rank_;
  int ranks_;
  Extent planes_;
  std::vector<std::pair<int, int>> all_sticks_;  // stick i is rank i % ranks'
  std::vector<Complex> coefficients_;
  std::vector<Complex> space_;
  std::vector<Complex> send_, receive_;
};

}  // namespace quadrille::solvers
