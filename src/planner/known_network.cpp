// SPDX-License-Identifier: BSD-3-Clause
#include "planner/known_network.h"

#include <utility>

namespace quadrille {

KnownNetwork known_network(const NetworkModel& model, TopologyView view,
                           std::span<const std::uint32_t> model_host_of_rank) {
  return {std::move(view), network_costs(model, model_host_of_rank), library_costs(model)};
}

}  // namespace quadrille
