// SPDX-License-Identifier: BSD-3-Clause
// The stages of the checker: each needs what the one before has made sure of.
#include "schedule/check/check.h"

#include "schedule/check/check_promises.h"
#include "schedule/check/check_result.h"
#include "schedule/check/check_steps.h"
#include "schedule/check/execution.h"
#include "schedule/check/whole_call.h"

namespace quadrille {

Findings check(const Shape& shape, std::span<const Schedule> schedules,
               std::span<const LocalCounts> counts) {
  Findings findings;
  if (schedules.size() != static_cast<std::size_t>(shape.ranks)) {
    findings.push_back({FindingKind::malformed, 0, Finding::no_step,
                        std::to_string(schedules.size()) + " schedules for " +
                            std::to_string(shape.ranks) + " ranks"});
    return findings;
  }
  for (Rank rank = 0; rank < shape.ranks; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const LocalCounts known = counts.empty() ? LocalCounts{} : counts[index];
    check_steps({shape, rank, known}, schedules[index], findings);
  }
  if (!findings.empty()) return findings;
  const WholeCall call(schedules);
  call.find_unmatched(findings);
  if (!findings.empty()) return findings;
  Execution execution(shape, call, counts);
  execution.run(findings);
  if (!findings.empty()) return findings;
  check_result(shape, counts, execution, findings);
  check_promises(shape, call, execution.events(), findings);
  return findings;
}

}  // namespace quadrille
