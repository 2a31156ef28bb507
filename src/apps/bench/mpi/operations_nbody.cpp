// SPDX-License-Identifier: BSD-3-Clause
// A step of an N-body integration as P. Tamblyn's MPIM page has it: each rank moves its own bodies
// and broadcasts their positions to all others, one rank after the other, and computes what all
// pull its own with. Both sides' calls go on with one integration. Each rank also integrates all
// bodies alone, outside the timed part: positions have to be the same bits, the energy has to stay.
//
// The timed kinds do not compute but sleep for as long as that takes by the processor's clock, and
// let bodies fly straight on: for emulated hosts, which share the processors of one machine.
#include "apps/bench/mpi/operations_nbody.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "apps/bench/kernels/computing_time.h"
#include "apps/bench/kernels/leapfrog.h"
#include "apps/bench/waiting.h"
#include "base/monotonic_clock.h"

namespace quadrille::bench {

struct Integrated {
  std::size_t first;  // own bodies
  std::size_t own;
  Forces forces;
  Integration shared;
  Integration alone;  // all bodies
  double energy;      // at the beginning
  std::int64_t asleep_ns;
};

namespace {

enum class Computing : std::uint8_t { real, timed };

constexpr std::uint64_t kSeed = 1;

// How long all of them sleep in place of computing, as rank 0 measures it while they wait.
std::int64_t time_to_sleep_ns(const Call& call, const Bodies& bodies, std::size_t own,
                              Forces forces) {
  std::int64_t time = 0;
  if (call.rank == 0) {
    const auto here = static_cast<double>(computing_time_ns(bodies, own, forces));
    time = std::llround(here * call.computing_scale);
  }
  PMPI_Bcast(&time, 1, MPI_INT64_T, 0, call.communicator);
  return time;
}

template <Forces forces, Computing computing>
void prepare_nbody(Call& call) {
  const std::size_t own = call.block_bytes() / sizeof(Vector);
  const std::size_t all = own * static_cast<std::size_t>(call.ranks);
  const std::size_t first = own * static_cast<std::size_t>(call.rank);
  const Bodies bodies = sphere(all, kSeed);
  constexpr bool real = computing == Computing::real;
  constexpr Forces computed = real ? forces : Forces::none;
  call.integrated = std::make_shared<Integrated>(
      Integrated{.first = first,
                 .own = own,
                 .forces = computed,
                 .shared = Integration(bodies, first, own, computed),
                 .alone = Integration(bodies, 0, all, computed),
                 .energy = 0,
                 .asleep_ns = real ? 0 : time_to_sleep_ns(call, bodies, own, forces)});
  if (computed != Forces::none) call.integrated->energy = call.integrated->alone.energy_now();
}

template <auto Bcast>
int call_nbody(Call& call) {
  Integrated& bodies = *call.integrated;
  bodies.shared.move();
  Vector* block = bodies.shared.positions().data();
  for (int root = 0; root < call.ranks; ++root, block += bodies.own) {
    const int told =
        Bcast(block, 3 * static_cast<int>(bodies.own), MPI_DOUBLE, root, call.communicator);
    if (told != MPI_SUCCESS) return told;
    if (call.made_one && root + 1 < call.ranks) call.made_one();
  }
  if (bodies.asleep_ns > 0) wait_until(monotonic_now().value + bodies.asleep_ns, false);
  bodies.shared.turn();
  return MPI_SUCCESS;
}

// Positions of the step before are not to be taken for those of this one.
void forget_others(Call& call, std::uint64_t /*number*/) {
  Integrated& bodies = *call.integrated;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto positions = bodies.shared.positions();
  const auto own_end = bodies.first + bodies.own;
  std::ranges::fill(positions.first(bodies.first), Vector{unknown, unknown, unknown});
  std::ranges::fill(positions.subspan(own_end), Vector{unknown, unknown, unknown});
}

bool check_nbody(const Call& call, std::uint64_t /*number*/) {
  Integrated& bodies = *call.integrated;
  bodies.alone.move();
  bodies.alone.turn();
  const std::span<const Vector> found = bodies.shared.positions();
  const std::span<const Vector> right = bodies.alone.positions();
  if (found.empty()) return true;
  if (std::memcmp(found.data(), right.data(), right.size_bytes()) != 0) return false;
  const auto velocities = bodies.shared.velocities().subspan(bodies.first, bodies.own);
  const auto expected = bodies.alone.velocities().subspan(bodies.first, bodies.own);
  if (std::memcmp(velocities.data(), expected.data(), expected.size_bytes()) != 0) return false;
  if (bodies.forces == Forces::none || right.size() < kLeastBodies) return true;
  const double change = bodies.alone.energy_now() - bodies.energy;
  return std::abs(change) <= kEnergyBound * std::abs(bodies.energy);
}

template <Forces forces, Computing computing>
Operation step(const char* name) {
  return {name,
          "positions of each rank's own bodies, 24 B each: it moves and broadcasts them, then "
          "computes",
          Receipt::unrooted,
          false,
          false,
          call_nbody<MPI_Bcast>,
          call_nbody<PMPI_Bcast>,
          prepare_nbody<forces, computing>,
          forget_others,
          check_nbody};
}

}  // namespace

std::vector<Operation> nbody_operations() {
  return {
      step<Forces::direct, Computing::real>("nbody_step"),
      step<Forces::direct, Computing::timed>("nbody_timed_step"),
      step<Forces::tree, Computing::real>("nbody_tree_step"),
      step<Forces::tree, Computing::timed>("nbody_tree_timed_step"),
  };
}

}  // namespace quadrille::bench
