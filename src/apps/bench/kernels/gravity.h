// SPDX-License-Identifier: BSD-3-Clause
// Bodies of equal mass that attract each other, softened so that close encounters stay harmless
// (H. C. Plummer, On the problem of distribution in globular star clusters, MNRAS 71 (1911),
// doi:10.1093/mnras/71.5.460): the pull of a body at distance d is m d / (d^2 + e^2)^(3/2).
// Units: the constant of gravitation, all mass together, and the radius of the sphere are 1.
//
// A body's pull is the sum over the others in the order of their numbers, whoever computes it, so
// that any partition over ranks gives the same bits as one rank alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quadrille::bench {

struct Vector {
  double x = 0;
  double y = 0;
  double z = 0;
};

// e: a twentieth of the sphere, and about the distance of neighbours among 8000 bodies.
inline constexpr double kSoftening = 0.05;
inline constexpr double kSofteningSquared = kSoftening * kSoftening;

inline Vector operator-(const Vector& one, const Vector& other) {
  return {one.x - other.x, one.y - other.y, one.z - other.z};
}
inline double squared(const Vector& v) { return v.x * v.x + v.y * v.y + v.z * v.z; }
// `to` += `factor` * `what`.
inline void add(Vector& to, double factor, const Vector& what) {
  to.x += factor * what.x;
  to.y += factor * what.y;
  to.z += factor * what.z;
}

// Adds what `mass` at `offset` pulls.
inline void add_pull(Vector& total, double mass, const Vector& offset) {
  const double softened = squared(offset) + kSofteningSquared;
  add(total, mass / (softened * std::sqrt(softened)), offset);
}

struct Bodies {
  std::vector<Vector> positions;
  std::vector<Vector> velocities;

  std::size_t count() const { return positions.size(); }
  double mass() const { return positions.empty() ? 0 : 1.0 / static_cast<double>(count()); }
};

// A sphere of even density at rest as a whole, its bodies' random velocities those of equilibrium.
// The same bits for the same `count` and `seed`.
Bodies sphere(std::size_t count, std::uint64_t seed);

// What all others, each of `mass`, pull `body` with. O(n).
Vector direct_pull(std::span<const Vector> positions, double mass, std::size_t body);

// Kinetic and potential energy together. O(n^2).
double energy(std::span<const Vector> positions, std::span<const Vector> velocities, double mass);

}  // namespace quadrille::bench
