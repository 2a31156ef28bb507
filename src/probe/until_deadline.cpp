// SPDX-License-Identifier: BSD-3-Clause
#include "probe/until_deadline.h"

#include <algorithm>
#include <string>

namespace quadrille::probe {
namespace {

std::string milliseconds(std::int64_t ns) { return std::to_string(ns / 1'000'000) + " ms"; }

}  // namespace

Result<RoundResult> NetworkUntilDeadline::perform(const Round& round) {
  const std::int64_t left_ns = deadline_.left_ns();
  if (round.duration_ns > left_ns) {
    return Error{ErrorKind::timeout,
                 "round \"" + round.purpose + "\" of " + milliseconds(round.duration_ns) +
                     " does not fit into the " + milliseconds(std::max<std::int64_t>(left_ns, 0)) +
                     " that are left for measuring; `quadrille probe` "
                     "measures without that limit"};
  }
  return network_.perform(round);
}

}  // namespace quadrille::probe
