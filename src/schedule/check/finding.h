// SPDX-License-Identifier: BSD-3-Clause
// What the checker says about a schedule that is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace quadrille {

enum class FindingKind : std::uint8_t {
  malformed,          // a peer, dependency or pair of regions that no step may have
  out_of_bounds,      // a region beyond its buffer
  writes_user_data,   // a write into the user's send buffer
  race,               // two accesses of the same elements in no order
  unmatched,          // a message without its other end, or of another length there
  deadlock,           // steps that never start or never complete
  uninitialised,      // a read of elements that nothing has been written to
  wrong_combination,  // a reduction of different elements, or of one contribution twice
  wrong_result,       // final contents that are not the collective's
  different_bits,     // an allreduce whose ranks combine in different orders
  not_synchronised,   // a barrier that a rank may leave before another has come
  too_many_incoming,  // most_incoming is not kept
  too_far_ahead,      // most_ahead is not kept
};

const char* name_of(FindingKind kind);

struct Finding {
  static constexpr StepIndex no_step = 0xffffffffU;

  FindingKind kind = FindingKind::malformed;
  Rank rank = 0;
  StepIndex step = no_step;  // where one step is to blame
  std::string message;       // what is wrong and with whom, without rank and step
};

using Findings = std::vector<Finding>;

// "rank 3 step 7: race: ..."
std::string text_of(const Finding& finding);

// "send[0, 1024)"
std::string text_of(const Region& region);

// "receive of scratch[0, 8) from 3"
std::string text_of(const Step& step);

}  // namespace quadrille
