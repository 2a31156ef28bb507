// SPDX-License-Identifier: BSD-3-Clause
// How findings, steps and regions are printed.
#include "schedule/check/finding.h"

namespace quadrille {

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::malformed:
      return "malformed";
    case FindingKind::out_of_bounds:
      return "out of bounds";
    case FindingKind::writes_user_data:
      return "writes user data";
    case FindingKind::race:
      return "race";
    case FindingKind::unmatched:
      return "unmatched";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::uninitialised:
      return "uninitialised";
    case FindingKind::wrong_combination:
      return "wrong combination";
    case FindingKind::wrong_result:
      return "wrong result";
    case FindingKind::different_bits:
      return "different bits";
    case FindingKind::not_synchronised:
      return "not synchronised";
    case FindingKind::too_many_incoming:
      return "too many incoming";
    case FindingKind::too_far_ahead:
      return "too far ahead";
  }
  return "unknown";
}

std::string text_of(const Finding& finding) {
  std::string text = "rank " + std::to_string(finding.rank);
  if (finding.step != Finding::no_step) text += " step " + std::to_string(finding.step);
  return text + ": " + name_of(finding.kind) + ": " + finding.message;
}

std::string text_of(const Region& region) {
  return std::string(name_of(region.buffer)) + "[" + std::to_string(region.offset) + ", " +
         std::to_string(region.offset + region.length) + ")";
}

std::string text_of(const Step& step) {
  std::string kind = name_of(step.kind);
  switch (step.kind) {
    case StepKind::send:
      return kind + " of " + text_of(step.from) + " to " + std::to_string(step.peer);
    case StepKind::receive:
      return kind + " of " + text_of(step.into) + " from " + std::to_string(step.peer);
    case StepKind::copy:
    case StepKind::reduce:
      return kind + " of " + text_of(step.from) + " into " + text_of(step.into);
    case StepKind::group_bcast:
    case StepKind::group_reduce:
      return kind + " from " + text_of(step.from) + " into " + text_of(step.into) + ", root " +
             std::to_string(step.peer);
  }
  return kind;
}

}  // namespace quadrille
