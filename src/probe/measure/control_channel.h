// SPDX-License-Identifier: BSD-3-Clause
// How the coordinator and the hosts' agents speak to each other: whole messages between host 0's
// process and each other host's, in order, every wait bounded. Nothing of it happens while a round
// runs.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "probe/round.h"

namespace quadrille::probe {

// Host 0 speaks with everybody, everybody else with host 0 only. One thread at a time.
class ControlChannel {
 public:
  virtual ~ControlChannel() = default;
  virtual HostIndex hosts() const = 0;
  virtual HostIndex own_host() const = 0;

  // Begins to send; the message is copied and goes on its way in later calls too.
  virtual Result<bool> send(HostIndex to, std::string message) = 0;
  // Waits until all that was sent has left, for at most `patience_ns`; false when it has not.
  virtual Result<bool> flush(std::int64_t patience_ns) = 0;
  // The next message of host `from`. Error peer_lost, with the host's number, when none came
  // within `patience_ns`.
  virtual Result<std::string> receive(HostIndex from, std::int64_t patience_ns) = 0;
};

}  // namespace quadrille::probe
