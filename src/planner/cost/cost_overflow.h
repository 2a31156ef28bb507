// SPDX-License-Identifier: BSD-3-Clause
// What lost packets cost, a first model. TCP repairs a loss at once while a connection has at least
// four frames under way (three acknowledgements tell of the one that is missing, RFC 5681); with
// fewer it waits for its repetition timer. So each connection that has a message under way to a
// buffer needs four frames of it, or the message where that is less. If they need more than the
// buffer holds, that share of the connections that does not fit waits for the timer, and this share
// of the timer's shortest time is added, once for each time that the buffer filled and emptied
// again. The slowest buffer counts; what a repetition delays in its turn is left out.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "network/network_costs.h"

namespace quadrille {

class BufferOverflow {
 public:
  explicit BufferOverflow(const NetworkCosts& costs);

  // Messages between a pair of ranks share a connection.
  struct Connection {
    Rank from = 0;
    Rank to = 0;
    bool operator==(const Connection&) const = default;
  };

  // A message of `bytes` on the wire is on its way to `resource`; it has arrived.
  void enter(NetworkCosts::ResourceIndex resource, Connection connection, std::uint64_t bytes);
  void leave(NetworkCosts::ResourceIndex resource, Connection connection, std::uint64_t bytes);

  // REQUIRES: every message has left.
  std::int64_t lost_ns() const;

 private:
  struct UnderWay {
    Connection connection;
    std::uint64_t bytes = 0;
  };
  struct Buffer {
    std::vector<UnderWay> connections;
    std::uint64_t needed = 0;       // bytes, by all connections
    std::uint64_t most_needed = 0;  // since the buffer was empty
    std::int64_t lost_ns = 0;
  };

  bool is_from_several_hosts(const Buffer& buffer) const;

  const NetworkCosts& costs_;
  std::uint64_t enough_;         // bytes under way for a connection to repair a loss at once
  std::vector<Buffer> buffers_;  // [resources]
};

// The share of the repetition timer for connections that need `needed` bytes of a buffer that holds
// `holds`.
std::int64_t timer_share_ns(const NetworkCosts& costs, std::uint64_t needed, std::uint64_t holds);

}  // namespace quadrille
