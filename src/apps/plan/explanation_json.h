// SPDX-License-Identifier: BSD-3-Clause
// An explanation as JSON: what `quadrille-plan choose` prints, schemas/plan.json describes and
// `quadrille plan` tells.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/plan/planned_network.h"
#include "apps/plan/played_plan.h"
#include "planner/explanation.h"

namespace quadrille::plan {

struct ToldPlan {
  const Shape& shape;
  const PlannedNetwork& network;
  const Explanation& explanation;
  bool asked = false;    // for this plan, whatever is cheapest
  Nanoseconds planning;  // that the search took
  const std::optional<PlayedPlan>& played;
  std::optional<Rank> steps_of;  // this rank's schedule too
  bool timeline = false;         // each step's time too
};

nlohmann::ordered_json json_of(const ToldPlan& told);

// {"name", "algorithm", "parameters", "time_ns", "retransmissions_ns", "bottleneck"}
nlohmann::ordered_json json_of(const CostedCandidate& candidate, const NetworkCosts& costs);

}  // namespace quadrille::plan
