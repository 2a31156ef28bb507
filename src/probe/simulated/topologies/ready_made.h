// SPDX-License-Identifier: BSD-3-Clause
// The lab's ready-made networks (python/quadrille/lab/topologies), of the same shapes, rates and
// buffers, with its token buckets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "probe/simulated/topologies/topology.h"

namespace quadrille::probe {

struct ReadyMadeOptions {
  std::uint32_t hosts = 0;  // 0: as many as the network has by default
  double rate_mbit = 0;     // of a host's cable; other rates keep their ratio to it. 0: default
  double buffer_kib = 0;    // of each port; 0: default
};

std::vector<std::string> ready_made_names();

// Errors: invalid_argument, with the names there are, or how many hosts the network can have.
Result<SimulatedTopology> ready_made(const std::string& name, const ReadyMadeOptions& options = {});

}  // namespace quadrille::probe
