// SPDX-License-Identifier: BSD-3-Clause
// A plan played through once more, with the time of each of its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/plan/planned_network.h"
#include "planner/candidate.h"
#include "planner/cost/cost.h"

namespace quadrille::plan {

struct TimedMessage {
  Rank from = 0;
  Rank to = 0;
  std::uint64_t bytes = 0;  // payload
  std::uint32_t round = 0;  // see message_rounds.h
  Nanoseconds start;        // from where the sender may begin
  Nanoseconds end;          // of the receipt
};

struct PlayedPlan {
  std::vector<Schedule> schedules;     // [ranks]
  std::vector<StepTime> times;         // [steps of all ranks], rank after rank
  std::vector<TimedMessage> messages;  // by start; of equals the lower sender first
  CostBreakdown cost;
};

// Steps of all ranks that are played and told: ten times what a search may play. More is neither
// read nor drawn.
inline constexpr std::size_t kMostToldSteps = 200'000;

// Nothing where that are more steps. REQUIRES: candidate.algorithm, and it supports the shape,
// which is for network.ranks() ranks.
std::optional<PlayedPlan> play(const Candidate& candidate, const Shape& shape,
                               const PlannedNetwork& network);

}  // namespace quadrille::plan
