// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/played_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apps/plan/message_rounds.h"
#include "schedule/whole_call.h"

namespace quadrille::plan {
namespace {

std::vector<TimedMessage> messages_of(const PlayedPlan& plan, std::uint32_t element_bytes) {
  const WholeCall call(plan.schedules);
  const auto rounds = message_rounds(call);
  std::vector<TimedMessage> messages;
  for (GlobalStep step = 0; step < call.size(); ++step) {
    if (call[step].kind != StepKind::send) continue;
    messages.push_back({.from = call.rank_of(step),
                        .to = call[step].peer,
                        .bytes = call[step].from.length * element_bytes,
                        .round = rounds[step],
                        .start = plan.times[step].start,
                        .end = plan.times[call.other_end(step)].end});
  }
  std::ranges::stable_sort(messages, {}, [](const TimedMessage& message) {
    return std::tuple(message.start, message.from);
  });
  return messages;
}

}  // namespace

std::optional<PlayedPlan> play(const Candidate& candidate, const Shape& shape,
                               const PlannedNetwork& network) {
  auto schedules = schedules_within(candidate, shape, network.known.view, kMostToldSteps);
  if (!schedules) return std::nullopt;
  PlayedPlan plan;
  plan.schedules = std::move(*schedules);
  plan.cost = cost_of(plan.schedules, shape.element_bytes, network.costs(), &plan.times);
  plan.messages = messages_of(plan, shape.element_bytes);
  return plan;
}

}  // namespace quadrille::plan
