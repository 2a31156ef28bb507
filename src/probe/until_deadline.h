// SPDX-License-Identifier: BSD-3-Clause
// Measuring that has to be over at a given time: no round begins that could not end before it. What
// does not fit is an error of the kind timeout.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "probe/network.h"

namespace quadrille::probe {

struct Deadline {
  std::int64_t at_ns = 0;  // in the time of `now_ns`
  std::function<std::int64_t()> now_ns;

  std::int64_t left_ns() const { return at_ns - now_ns(); }
};

class NetworkUntilDeadline final : public Network {
 public:
  // `network` must outlive this.
  NetworkUntilDeadline(Network& network, Deadline deadline)
      : network_(network), deadline_(std::move(deadline)) {}

  const std::vector<HostFacts>& hosts() const override { return network_.hosts(); }
  const std::vector<CandidateNetwork>& networks() const override { return network_.networks(); }
  Result<RoundResult> perform(const Round& round) override;
  std::int64_t elapsed_ns() const override { return network_.elapsed_ns(); }

 private:
  Network& network_;
  Deadline deadline_;
};

}  // namespace quadrille::probe
