// SPDX-License-Identifier: BSD-3-Clause
// Kick, drift, kick.
#include "apps/bench/kernels/leapfrog.h"

#include <utility>

#include "apps/bench/kernels/barnes_hut.h"

namespace quadrille::bench {
namespace {

// A body crosses a tenth of the softening length in it.
constexpr double kStep = 0.005;

}  // namespace

Integration::Integration(Bodies bodies, std::size_t first, std::size_t own, Forces forces)
    : bodies_(std::move(bodies)), first_(first), own_(own), forces_(forces), pulls_(own) {
  pull_own();
}

void Integration::move() {
  kick();
  for (std::size_t body = 0; body < own_; ++body)
    add(bodies_.positions[first_ + body], kStep, bodies_.velocities[first_ + body]);
}

void Integration::turn() {
  pull_own();
  kick();
}

double Integration::energy_now() const {
  return energy(bodies_.positions, bodies_.velocities, bodies_.mass());
}

void Integration::pull_own() {
  const std::span<const Vector> all = bodies_.positions;
  if (forces_ == Forces::direct) {
    for (std::size_t body = 0; body < own_; ++body)
      pulls_[body] = direct_pull(all, bodies_.mass(), first_ + body);
  } else if (forces_ == Forces::tree) {
    const GravityTree tree(all, bodies_.mass());
    for (std::size_t body = 0; body < own_; ++body) pulls_[body] = tree.pull(first_ + body);
  }
}

void Integration::kick() {
  for (std::size_t body = 0; body < own_; ++body)
    add(bodies_.velocities[first_ + body], kStep / 2, pulls_[body]);
}

}  // namespace quadrille::bench
