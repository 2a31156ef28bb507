// SPDX-License-Identifier: BSD-3-Clause
// Networks nobody prepared: drawn by seed, each of a shape that clusters have.
//
// Every trunk can be overloaded, by a quarter, by what the hosts of one side can send and those of
// the other can take: a trunk that cannot be filled cannot be known, and does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probe/simulated/topologies/topology.h"

namespace quadrille::probe {

inline constexpr double kLeastOversubscription = 1.25;

struct RandomOptions {
  // One of random_shapes(); empty: drawn.
  std::string shape;
  // A segment's hosts are drawn between two and this.
  std::uint32_t most_hosts_in_segment = 6;
  double slow_host = 0.3;        // probability that one host's cable is slower, both ways
  double one_directional = 0.3;  // and that one host's cable is slower one way
};

// "three_levels", "unequal_leaves", "two_switches", "bus_behind_switches", "groups_of_three",
// "buses_around_bridge", "mixed".
std::vector<std::string> random_shapes();

// REQUIRES: options.shape is empty or one of random_shapes().
SimulatedTopology random_topology(std::uint64_t seed, const RandomOptions& options = {});

}  // namespace quadrille::probe
