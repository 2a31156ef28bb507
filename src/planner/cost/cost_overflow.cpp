// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/cost_overflow.h"

#include <algorithm>

namespace quadrille {

BufferOverflow::BufferOverflow(const NetworkCosts& costs)
    : costs_(costs),
      enough_(costs.protocol.repairing_frames * costs.framing.frame()),
      buffers_(costs.resources.size()) {}

void BufferOverflow::enter(NetworkCosts::ResourceIndex resource, Connection connection,
                           std::uint64_t bytes) {
  if (costs_.resources[resource].buffer_bytes == 0) return;
  Buffer& buffer = buffers_[resource];
  auto entry = std::find_if(buffer.connections.begin(), buffer.connections.end(),
                            [&](const UnderWay& one) { return one.connection == connection; });
  if (entry == buffer.connections.end()) entry = buffer.connections.insert(entry, {connection, 0});
  buffer.needed -= std::min(entry->bytes, enough_);
  entry->bytes += bytes;
  buffer.needed += std::min(entry->bytes, enough_);
  if (buffer.needed > buffer.most_needed && is_from_several_hosts(buffer))
    buffer.most_needed = buffer.needed;
}

void BufferOverflow::leave(NetworkCosts::ResourceIndex resource, Connection connection,
                           std::uint64_t bytes) {
  const std::uint64_t holds = costs_.resources[resource].buffer_bytes;
  if (holds == 0) return;
  Buffer& buffer = buffers_[resource];
  const auto entry =
      std::find_if(buffer.connections.begin(), buffer.connections.end(),
                   [&](const UnderWay& one) { return one.connection == connection; });
  buffer.needed -= std::min(entry->bytes, enough_);
  entry->bytes -= bytes;
  buffer.needed += std::min(entry->bytes, enough_);
  if (entry->bytes == 0) buffer.connections.erase(entry);
  if (!buffer.connections.empty()) return;
  buffer.lost_ns += timer_share_ns(costs_, buffer.most_needed, holds);
  buffer.most_needed = 0;
}

std::int64_t BufferOverflow::lost_ns() const {
  std::int64_t slowest = 0;
  for (const Buffer& buffer : buffers_) slowest = std::max(slowest, buffer.lost_ns);
  return slowest;
}

// What one host sends passes its own link first and waits there.
bool BufferOverflow::is_from_several_hosts(const Buffer& buffer) const {
  const auto host = [&](const UnderWay& one) {
    return costs_.host_of_rank[static_cast<std::size_t>(one.connection.from)];
  };
  return std::any_of(
      buffer.connections.begin(), buffer.connections.end(),
      [&](const UnderWay& one) { return host(one) != host(buffer.connections.front()); });
}

std::int64_t timer_share_ns(const NetworkCosts& costs, std::uint64_t needed, std::uint64_t holds) {
  if (needed <= holds) return 0;
  return costs.protocol.retransmission_ns * static_cast<std::int64_t>(needed - holds) /
         static_cast<std::int64_t>(needed);
}

}  // namespace quadrille
