// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/played_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apps/plan/message_rounds.h"
#include "schedule/check/whole_call.h"

namespace quadrille::plan {
namespace {

std::vector<TimedMessage> messages_of(const PlayedPlan& plan, std::uint32_t element_bytes) {
  const WholeCall call(plan.schedules);
  const auto rounds = message_rounds(call);
  std::vector<TimedMessage> messages;
  const auto add = [&](GlobalStep from, GlobalStep to) {
    const std::uint64_t length = std::max(call[from].from.length, call[to].into.length);
    messages.push_back({.from = call.rank_of(from),
                        .to = call.rank_of(to),
                        .bytes = length * element_bytes,
                        .round = rounds[from],
                        .start = plan.times[from].start,
                        .end = plan.times[to].end});
  };
  for (GlobalStep step = 0; step < call.size(); ++step) {
    if (call[step].kind == StepKind::send) add(step, call.other_end(step));
    // What the MPI library does inside is drawn as messages of its root's.
    if (call.is_group(step) && call.rank_of(step) == call[step].peer)
      call.for_each_message_of_meeting(step, add);
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
