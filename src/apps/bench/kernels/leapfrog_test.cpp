// SPDX-License-Identifier: BSD-3-Clause
// Spheres are integrated by one rank and by several, which are told each other's positions.
#include "apps/bench/kernels/leapfrog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "apps/bench/kernels/computing_time.h"

namespace quadrille::bench {
namespace {

bool same_bits(std::span<const Vector> one, std::span<const Vector> other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size_bytes()) == 0;
}

// The ranks of a job of which each has `own` bodies.
class Ranks {
 public:
  Ranks(std::size_t ranks, std::size_t own, Forces forces) : own_(own) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      all_.emplace_back(sphere(ranks * own, 1), rank * own, own, forces);
  }
  void step() {
    for (auto& one : all_) one.move();
    for (auto& from : all_) {
      const std::size_t first = static_cast<std::size_t>(&from - all_.data()) * own_;
      const auto block = from.positions().subspan(first, own_);
      for (auto& to : all_)
        std::copy(block.begin(), block.end(),
                  to.positions().begin() + static_cast<std::ptrdiff_t>(first));
    }
    for (auto& one : all_) one.turn();
  }
  const Integration& rank(std::size_t number) const { return all_[number]; }

 private:
  std::size_t own_;
  std::vector<Integration> all_;
};

TEST(Leapfrog, of_any_number_of_ranks_gives_the_bits_of_one_alone) {
  for (const Forces forces : {Forces::direct, Forces::tree, Forces::none}) {
    for (const std::size_t ranks : {1U, 2U, 3U, 7U, 16U}) {
      Ranks several(ranks, 14, forces);
      Integration alone(sphere(ranks * 14, 1), 0, ranks * 14, forces);
      for (int step = 0; step < 20; ++step) {
        several.step();
        alone.move();
        alone.turn();
      }
      for (std::size_t rank = 0; rank < ranks; ++rank)
        EXPECT_TRUE(same_bits(several.rank(rank).positions(), alone.positions())) << ranks;
    }
  }
}

TEST(Leapfrog, keeps_the_energy_within_its_bound) {
  for (const Forces forces : {Forces::direct, Forces::tree}) {
    for (const std::size_t bodies : {kLeastBodies, std::size_t{112}, std::size_t{400}}) {
      Integration all(sphere(bodies, 1), 0, bodies, forces);
      const double before = all.energy_now();
      double worst = 0;
      for (int step = 0; step < 300; ++step) {
        all.move();
        all.turn();
        if (step % 10 == 9) worst = std::max(worst, std::abs(all.energy_now() / before - 1));
      }
      EXPECT_LT(worst, kEnergyBound) << bodies;
    }
  }
}

TEST(Leapfrog, without_its_second_kick_would_not_keep_it) {
  Integration all(sphere(112, 1), 0, 112, Forces::direct);
  const double before = all.energy_now();
  for (int step = 0; step < 300; ++step) {
    all.move();
    all.move();
    all.turn();
  }
  EXPECT_GT(std::abs(all.energy_now() / before - 1), 10 * kEnergyBound);
}

TEST(Sphere, is_at_rest_and_about_in_equilibrium) {
  const Bodies bodies = sphere(1000, 3);
  Vector momentum;
  double twice_kinetic = 0;
  for (const Vector& velocity : bodies.velocities) {
    add(momentum, bodies.mass(), velocity);
    twice_kinetic += bodies.mass() * squared(velocity);
  }
  EXPECT_LT(squared(momentum), 1e-24);
  EXPECT_NEAR(twice_kinetic, 0.6, 0.03);
  EXPECT_NEAR(energy(bodies.positions, bodies.velocities, bodies.mass()), -0.3, 0.03);
}

TEST(DirectPull, is_that_of_two_bodies) {
  const std::vector<Vector> two{{0, 0, 0}, {3, 4, 0}};
  const double expected = 0.5 / std::pow(25 + kSofteningSquared, 1.5);
  const Vector pull = direct_pull(two, 0.5, 0);
  EXPECT_NEAR(pull.x, 3 * expected, 1e-15);
  EXPECT_NEAR(pull.y, 4 * expected, 1e-15);
  EXPECT_EQ(direct_pull(two, 0.5, 1).x, -pull.x);
}

TEST(ComputingTime, grows_with_the_bodies_and_is_none_without_forces) {
  const Bodies bodies = sphere(2000, 1);
  EXPECT_EQ(computing_time_ns(bodies, 2000, Forces::none), 0);
  EXPECT_EQ(computing_time_ns(bodies, 0, Forces::direct), 0);
  const std::int64_t all = computing_time_ns(bodies, 2000, Forces::direct);
  EXPECT_GT(all, 5 * computing_time_ns(bodies, 200, Forces::direct));
  EXPECT_LT(computing_time_ns(bodies, 2000, Forces::tree), all);
}

}  // namespace
}  // namespace quadrille::bench
