// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/channel_until_deadline.h"

#include <algorithm>
#include <utility>

namespace quadrille::probe {

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

}  // namespace quadrille::probe
