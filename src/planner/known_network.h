// SPDX-License-Identifier: BSD-3-Clause
// What is known of the network between a communicator's ranks. Equal on all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/model/model.h"
#include "network/network_costs.h"
#include "network/topology_view.h"
#include "planner/cost/library_cost.h"

namespace quadrille {

struct KnownNetwork {
  TopologyView view;
  std::optional<NetworkCosts> costs;  // none: no model
  std::vector<LibraryCost> library;
};

// By a model; `model_host_of_rank` are indices into model.hosts. REQUIRES: `view` is of the same
// ranks.
KnownNetwork known_network(const NetworkModel& model, TopologyView view,
                           std::span<const std::uint32_t> model_host_of_rank);

}  // namespace quadrille
