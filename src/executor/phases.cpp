// SPDX-License-Identifier: BSD-3-Clause
#include "executor/phases.h"

#include <algorithm>
#include <map>
#include <utility>

namespace quadrille {
namespace {

CallPhase phase_of(const Step& step, const StepSpan& time, const Transport& transport,
                   std::size_t element_bytes) {
  const std::uint64_t elements = std::max(step.from.length, step.into.length);
  return {.kind = step.kind,
          .carrier = has_peer(step.kind) ? transport.carrier_of(step) : Carrier::own_memory,
          .peer = step.peer,
          .bytes = {elements * element_bytes},
          .start = time.start,
          .end = time.end};
}

void put_to(CallPhase& phase, const CallPhase& more) {
  phase.steps += more.steps;
  phase.bytes.value += more.bytes.value;
  phase.start = std::min(phase.start, more.start);
  phase.end = std::max(phase.end, more.end);
}

}  // namespace

std::vector<CallPhase> phases_of(const Schedule& schedule, std::span<const StepSpan> times,
                                 const Transport& transport, std::size_t element_bytes) {
  const std::vector<Step>& steps = schedule.steps;
  const bool single = steps.size() <= most_single_steps;
  std::vector<CallPhase> phases;
  std::map<std::pair<StepKind, Rank>, std::size_t> place;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const CallPhase phase = phase_of(steps[i], times[i], transport, element_bytes);
    const auto [found, is_new] =
        single ? std::pair{place.end(), true}
               : place.try_emplace({steps[i].kind, steps[i].peer}, phases.size());
    if (is_new) {
      phases.push_back(phase);
    } else {
      put_to(phases[found->second], phase);
    }
  }
  return phases;
}

}  // namespace quadrille
