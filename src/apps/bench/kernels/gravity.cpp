// SPDX-License-Identifier: BSD-3-Clause
// Initial conditions, the direct sum, and the energy that has to stay.
#include "apps/bench/kernels/gravity.h"

#include <random>

namespace quadrille::bench {
namespace {

// Inside the ball of radius 1, evenly. Of the engine alone, whose sequence the standard fixes.
Vector inside_ball(std::mt19937_64& engine) {
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
  for (;;) {
    const Vector point{uniform(), uniform(), uniform()};
    if (squared(point) <= 1) return point;
  }
}

void bring_to_rest(std::vector<Vector>& vectors) {
  Vector sum;
  for (const Vector& one : vectors) add(sum, 1, one);
  for (Vector& one : vectors) add(one, -1.0 / static_cast<double>(vectors.size()), sum);
}

}  // namespace

Bodies sphere(std::size_t count, std::uint64_t seed) {
  Bodies bodies;
  bodies.positions.resize(count);
  bodies.velocities.resize(count);
  // In equilibrium (virial theorem) the mean square of velocities is 3/5, as is that of the
  // distance of points in the ball from its centre.
  std::mt19937_64 engine(seed);
  for (std::size_t body = 0; body < count; ++body) {
    bodies.positions[body] = inside_ball(engine);
    bodies.velocities[body] = inside_ball(engine);
  }
  bring_to_rest(bodies.velocities);
  return bodies;
}

Vector direct_pull(std::span<const Vector> positions, double mass, std::size_t body) {
  Vector total;
  const Vector here = positions[body];
  // Itself is at distance 0 and adds 0: no branch in the inner loop.
  for (const Vector& other : positions) add_pull(total, mass, other - here);
  return total;
}

double energy(std::span<const Vector> positions, std::span<const Vector> velocities, double mass) {
  double kinetic = 0;
  double potential = 0;
  for (std::size_t body = 0; body < positions.size(); ++body) {
    kinetic += mass * squared(velocities[body]) / 2;
    for (std::size_t other = 0; other < body; ++other) {
      const double distance = squared(positions[other] - positions[body]) + kSofteningSquared;
      potential -= mass * mass / std::sqrt(distance);
    }
  }
  return kinetic + potential;
}

}  // namespace quadrille::bench
