// SPDX-License-Identifier: BSD-3-Clause
// Counts what rounds take, control between them left out: what an investigation is bounded in.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/network.h"

namespace quadrille::probe {

class StopwatchNetwork : public Network {
 public:
  // REQUIRES: `inner` outlives this.
  explicit StopwatchNetwork(Network& inner) : inner_(inner) {}

  const std::vector<HostFacts>& hosts() const override { return inner_.hosts(); }
  const std::vector<CandidateNetwork>& networks() const override { return inner_.networks(); }
  Result<RoundResult> perform(const Round& round) override {
    round_s_ += static_cast<double>(round.duration_ns) * 1e-9;
    return inner_.perform(round);
  }
  std::int64_t elapsed_ns() const override { return inner_.elapsed_ns(); }

  double round_s() const { return round_s_; }

 private:
  Network& inner_;
  double round_s_ = 0;
};

}  // namespace quadrille::probe
