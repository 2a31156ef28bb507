// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bench/kernels/barnes_hut.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quadrille::bench {
namespace {

// Root of the mean squared error of all pulls, over that of the pulls themselves.
double error_of_tree(const Bodies& bodies) {
  const GravityTree tree(bodies.positions, bodies.mass());
  double wrong = 0;
  double right = 0;
  for (std::size_t body = 0; body < bodies.count(); ++body) {
    const Vector exact = direct_pull(bodies.positions, bodies.mass(), body);
    wrong += squared(tree.pull(body) - exact);
    right += squared(exact);
  }
  return std::sqrt(wrong / right);
}

TEST(GravityTree, pulls_as_the_direct_sum_does_within_half_a_percent) {
  for (const std::size_t bodies : {14U, 112U, 1000U, 4000U})
    EXPECT_LT(error_of_tree(sphere(bodies, 7)), 0.005) << bodies;
}

TEST(GravityTree, of_few_bodies_is_the_direct_sum) {
  for (const std::size_t bodies : {2U, 5U, 8U})
    EXPECT_LT(error_of_tree(sphere(bodies, 7)), 1e-14) << bodies;
}

TEST(GravityTree, takes_any_number_of_bodies_on_one_point) {
  Bodies bodies = sphere(40, 7);
  for (std::size_t body = 1; body < 20; ++body) bodies.positions[body] = bodies.positions[0];
  EXPECT_LT(error_of_tree(bodies), 0.005);
  for (Vector& position : bodies.positions) position = {1, 2, 3};
  const GravityTree tree(bodies.positions, bodies.mass());
  EXPECT_EQ(squared(tree.pull(5)), 0);
}

TEST(GravityTree, of_no_bodies_is_empty) { GravityTree({}, 0); }

}  // namespace
}  // namespace quadrille::bench
