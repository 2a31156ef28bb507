// SPDX-License-Identifier: BSD-3-Clause
// A control channel on which no wait lasts longer than until a given time.
#pragma once

#include <cstdint>
#include <string>

#include "probe/measure/control_channel.h"
#include "probe/until_deadline.h"

namespace quadrille::probe {

class ChannelUntilDeadline final : public ControlChannel {
 public:
  // `channel` must outlive this.
  ChannelUntilDeadline(ControlChannel& channel, Deadline deadline)
      : channel_(channel), deadline_(std::move(deadline)) {}

  HostIndex hosts() const override { return channel_.hosts(); }
  HostIndex own_host() const override { return channel_.own_host(); }
  Result<bool> send(HostIndex to, std::string message) override;
  Result<bool> flush(std::int64_t patience_ns) override;
  Result<std::string> receive(HostIndex from, std::int64_t patience_ns) override;

 private:
  std::int64_t shortened(std::int64_t patience_ns) const;

  ControlChannel& channel_;
  Deadline deadline_;
};

}  // namespace quadrille::probe
