// SPDX-License-Identifier: BSD-3-Clause
#include "planner/decision_text.h"

#include <cstddef>

namespace quadrille {
namespace {

std::string microseconds(std::int64_t time_ns) { return std::to_string(time_ns / 1000); }

std::string class_of(const Shape& shape, Bytes size) {
  return std::string(shape.is_nonblocking ? " collective=i" : " collective=") +
         name_of(shape.collective) + " ranks=" + std::to_string(shape.ranks) +
         " bytes=" + std::to_string(size.value);
}

}  // namespace

std::string stage_line(const Shape& shape, Bytes size, const Decision& decision,
                       std::span<const std::int64_t> longest) {
  std::string line = "event=trial" + class_of(shape, size);
  for (const std::uint32_t candidate : decision.trial.in_stage()) {
    line += " " + decision.candidates[candidate].name + "_us=";
    const char* separator = "";
    for (std::size_t call = 0; call < longest.size(); ++call) {
      if (decision.trial.candidate_of(call) != candidate) continue;
      line += separator + microseconds(longest[call]);
      separator = ",";
    }
  }
  return line;
}

std::string plan_line(const Shape& shape, Bytes size, const Decision& decision) {
  const std::uint32_t chosen = decision.trial.candidate();
  std::string line = "event=plan" + class_of(shape, size) +
                     " chosen=" + decision.candidates[chosen].name + " reason=\"" +
                     decision.reason + "\"";
  // The one that finds the verdict has begun.
  if (decision.trial.begun() > 1)
    line += " after_calls=" + std::to_string(decision.trial.begun() - 1);
  if (decision.predicted[chosen].value > 0)
    line += " predicted_us=" + microseconds(decision.predicted[chosen].value);
  for (std::uint32_t other = 0; other < decision.candidates.size(); ++other) {
    if (other == chosen || decision.predicted[other].value == 0) continue;
    line += " instead_of=" + decision.candidates[other].name +
            " its_predicted_us=" + microseconds(decision.predicted[other].value);
  }
  return line;
}

}  // namespace quadrille
