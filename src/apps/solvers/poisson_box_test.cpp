// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a cube hand each other their faces here, as ranks do.
#include "apps/solvers/poisson_box.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace quadrille::solvers {
namespace {

// A cube of `length`^3 elements in boxes, as many to a dimension as `boxes` says.
class Cube {
 public:
  Cube(int length, std::array<int, 3> boxes) : boxes_(boxes) {
    for (int x = 0; x < boxes[0]; ++x)
      for (int y = 0; y < boxes[1]; ++y)
        for (int z = 0; z < boxes[2]; ++z)
          all_.push_back(std::make_unique<PoissonBox>(
              length,
              std::array<Extent, 3>{part_of(length, boxes[0], x), part_of(length, boxes[1], y),
                                    part_of(length, boxes[2], z)}));
  }

  // The number of iterations until the residual is `goal` of what it was.
  int solve(double goal) {
    double square = sum([](PoissonBox& box) { return box.start(); });
    const double end = square * goal * goal;
    int iterations = 0;
    for (; square > end && iterations < 1000; ++iterations) {
      exchange();
      const double alpha = square / sum([](PoissonBox& box) { return box.apply(); });
      const double next = sum([&](PoissonBox& box) { return box.advance(alpha); });
      for (const auto& box : all_) box->turn(next / square);
      square = next;
    }
    return iterations;
  }

  double residual() {
    for (const auto& box : all_) box->look_at_solution();
    exchange();
    return std::sqrt(sum([](PoissonBox& box) { return box.residual_share(); }));
  }
  double error() {
    return std::sqrt(sum([](const PoissonBox& box) { return box.error_share(); }));
  }

 private:
  template <typename Of>
  double sum(Of of) {
    double total = 0;
    for (const auto& box : all_) total += of(*box);
    return total;
  }

  void exchange() {
    for (int x = 0; x < boxes_[0]; ++x)
      for (int y = 0; y < boxes_[1]; ++y)
        for (int z = 0; z < boxes_[2]; ++z)
          for (int side = 0; side < PoissonBox::sides; ++side) give({x, y, z}, side);
  }
  void give(std::array<int, 3> from, int side) {
    std::array<int, 3> to = from;
    to[static_cast<std::size_t>(side / 2)] += side % 2 == 0 ? -1 : 1;
    for (std::size_t dimension = 0; dimension < 3; ++dimension)
      if (to[dimension] < 0 || to[dimension] >= boxes_[dimension]) return;
    std::vector<double> face(box(from).face_elements(side));
    box(from).copy_face(side, face);
    box(to).set_halo(side ^ 1, face);
  }
  PoissonBox& box(std::array<int, 3> at) {
    return *all_[static_cast<std::size_t>((at[0] * boxes_[1] + at[1]) * boxes_[2] + at[2])];
  }

  std::array<int, 3> boxes_;
  std::vector<std::unique_ptr<PoissonBox>> all_;
};

TEST(PoissonBox, any_division_of_the_cube_finds_the_known_solution) {
  int alone = 0;
  for (const std::array<int, 3> boxes :
       {std::array{1, 1, 1}, {2, 1, 1}, {2, 2, 2}, {3, 2, 1}, {5, 1, 3}}) {
    Cube cube(13, boxes);
    const int iterations = cube.solve(1e-9);
    if (alone == 0) alone = iterations;
    EXPECT_LT(iterations, 100);
    EXPECT_NEAR(iterations, alone, 1);
    EXPECT_LT(cube.error(), 1e-6);
    EXPECT_LT(cube.residual(), 1e-6);
  }
}

TEST(PoissonBox, a_solution_that_is_not_yet_one_has_a_residual) {
  Cube cube(13, {2, 2, 1});
  cube.solve(1e-1);
  EXPECT_GT(cube.residual(), 1e-2);
  EXPECT_GT(cube.error(), 1e-2);
}

}  // namespace
}  // namespace quadrille::solvers
