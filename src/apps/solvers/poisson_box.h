// SPDX-License-Identifier: BSD-3-Clause
// One rank's box of a cube of elements, in which Poisson's equation with zero at the boundary is
// solved by conjugate gradients (M. Hestenes, E. Stiefel, J. Res. NBS 49 (1952),
// doi:10.6028/jres.049.044), six neighbours an element. The solution is known: the right hand side
// is made of it.
//
// An iteration: halos are exchanged; apply(); its sum over all ranks; advance(); its sum; turn().
// No MPI, no clock.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "apps/solvers/partition.h"

namespace quadrille::solvers {

class PoissonBox {
 public:
  static constexpr int sides = 6;  // two to a dimension: low, high

  // `box` of a cube of length^3 elements.
  PoissonBox(int length, const std::array<Extent, 3>& box);

  std::size_t face_elements(int side) const;
  // The outermost own elements of the search direction on that side.
  void copy_face(int side, std::span<double> face) const;
  // Those of the neighbour there.
  void set_halo(int side, std::span<const double> face);

  // Each returns this box's share of a sum over all.
  double start();                // square of the residual
  double apply();                // direction times operator times direction
  double advance(double alpha);  // square of the new residual
  void turn(double beta);

  // The search direction becomes the solution; after its halos are exchanged, residual_share().
  void look_at_solution();
  // Of the square of what is really left over.
  double residual_share();
  // Of the square of the distance to the known solution.
  double error_share() const;

 private:
  template <typename Visit>
  void each(Visit visit) const;
  template <typename Visit>
  void each_of_face(int side, int layer, Visit visit) const;
  std::size_t at(int x, int y, int z) const;
  double known(int x, int y, int z) const;
  double stencil(std::size_t middle, const std::vector<double>& of) const;

  int length_;
  std::array<int, 3> first_;
  std::array<int, 3> size_;
  std::array<std::size_t, 3> stride_;
  // With a layer of halo around.
  std::vector<double> solution_, right_, residual_, direction_, applied_;
};

}  // namespace quadrille::solvers
