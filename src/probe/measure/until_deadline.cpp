// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/until_deadline.h"

#include <algorithm>
#include <utility>

namespace quadrille::probe {
namespace {

std::string milliseconds(std::int64_t ns) { return std::to_string(ns / 1'000'000) + " ms"; }

}  // namespace

std::int64_t ChannelUntilDeadline::shortened(std::int64_t patience_ns) const {
  return std::clamp<std::int64_t>(deadline_.left_ns(), 0, patience_ns);
}

Result<bool> ChannelUntilDeadline::send(HostIndex to, std::string message) {
  return channel_.send(to, std::move(message));
}

Result<bool> ChannelUntilDeadline::flush(std::int64_t patience_ns) {
  return channel_.flush(shortened(patience_ns));
}

Result<std::string> ChannelUntilDeadline::receive(HostIndex from, std::int64_t patience_ns) {
  auto received = channel_.receive(from, shortened(patience_ns));
  if (received.ok() || deadline_.left_ns() > 0) return received;
  return Error{ErrorKind::timeout, "has not answered before the time for measuring was over"};
}

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
