// SPDX-License-Identifier: BSD-3-Clause
// The share of one rank in an integration of all bodies: it moves its own, knows where all are, and
// is told the others' positions by other ranks. Leapfrog, kick drift kick (L. Verlet, Computer
// experiments on classical fluids, Phys. Rev. 159 (1967), doi:10.1103/PhysRev.159.98), so that
// energy does not drift.
//
// A step: move(), whereupon ranks exchange their positions; turn(). No MPI, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/bench/kernels/gravity.h"

namespace quadrille::bench {

// none: bodies fly straight on.
enum class Forces : std::uint8_t { none, direct, tree };

// By how much of itself the energy of at least `kLeastBodies` may have changed: 2000 steps of
// spheres of 14 to 400 bodies change it by up to a third of that. Close pairs of fewer bodies
// change it more.
inline constexpr double kEnergyBound = 2e-3;
inline constexpr std::size_t kLeastBodies = 14;

class Integration {
 public:
  // `own` of `bodies` from `first` on.
  Integration(Bodies bodies, std::size_t first, std::size_t own, Forces forces);

  // Half a kick and the drift of the own bodies.
  void move();
  // The forces where all bodies are now, and the other half of the kick.
  void turn();

  std::span<Vector> positions() { return bodies_.positions; }
  std::span<const Vector> positions() const { return bodies_.positions; }
  std::span<const Vector> velocities() const { return bodies_.velocities; }
  // REQUIRES: all bodies are its own.
  double energy_now() const;

 private:
  void pull_own();
  void kick();

  Bodies bodies_;
  std::size_t first_;
  std::size_t own_;
  Forces forces_;
  std::vector<Vector> pulls_;
};

}  // namespace quadrille::bench
