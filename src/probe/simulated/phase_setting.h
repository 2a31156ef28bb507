// SPDX-License-Identifier: BSD-3-Clause
// What a single phase of the investigation is tried with: all hosts of a network, conditions of
// which the truth is known.
#pragma once

#include <cstdint>
#include <numeric>

#include "probe/investigation.h"
#include "probe/simulated/conditions.h"

namespace quadrille::probe {

inline Setting setting_on(Network& network, std::uint64_t seed = 1, Depth depth = Depth::full) {
  Setting setting{.network = network, .network_index = 0, .hosts = {}, .depth = depth};
  setting.hosts.resize(network.hosts().size());
  std::iota(setting.hosts.begin(), setting.hosts.end(), HostIndex{0});
  setting.chance.seed(seed);
  return setting;
}

// One sample in twenty is nonsense.
inline Conditions wrong_samples(std::uint64_t seed) {
  Conditions conditions;
  conditions.seed = seed;
  conditions.wrong_samples = 0.05;
  return conditions;
}

}  // namespace quadrille::probe
