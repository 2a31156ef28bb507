// SPDX-License-Identifier: BSD-3-Clause
// A call on a network, before anything runs: its shape, who executes it, its ranks' schedules and
// the time below which no algorithm is.
#pragma once

#include <string>
#include <vector>

#include "apps/plan/planned_network.h"
#include "apps/simulate/simulate_request.h"
#include "apps/simulate/simulated_cluster.h"
#include "base/error.h"
#include "network/bounds.h"
#include "planner/candidate.h"
#include "schedule/blocks.h"
#include "schedule/prepared_schedule.h"

namespace quadrille::simulate {

struct PlannedCall {
  Cluster cluster;
  plan::PlannedNetwork network;
  Shape shape;
  std::vector<StoredCounts> counts;  // [ranks] of a vector collective, else empty
  Candidate candidate;
  std::string chosen_by;           // in words
  std::vector<std::string> tried;  // what a job's trial would compare, where it is the planner's
  std::vector<PreparedSchedule> schedules;  // [ranks]
  LowerBound bound;
};

// Errors say what is wrong with the request.
Result<PlannedCall> plan_call(const SimulateRequest& request);

}  // namespace quadrille::simulate
