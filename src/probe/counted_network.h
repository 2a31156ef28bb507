// SPDX-License-Identifier: BSD-3-Clause
// A network that counts what an investigation asks of it, and tells how far it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "probe/network.h"

namespace quadrille::probe {

class CountedNetwork : public Network {
 public:
  // Called before each round with its purpose and the share of the whole that is done.
  using Progress = std::function<void(const std::string& purpose, double share)>;

  CountedNetwork(Network& network, Progress progress);

  const std::vector<HostFacts>& hosts() const override { return network_.hosts(); }
  const std::vector<CandidateNetwork>& networks() const override { return network_.networks(); }
  Result<RoundResult> perform(const Round& round) override;
  std::int64_t elapsed_ns() const override { return network_.elapsed_ns(); }

  // From here on `share` of the whole is done; the rounds that follow approach `next_share`.
  void reached(double share, double next_share);

  std::uint32_t rounds() const { return rounds_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }
  // The most that one host sent.
  std::uint64_t most_sent_bytes() const;

 private:
  Network& network_;
  Progress progress_;
  double share_ = 0;
  double next_share_ = 0;
  std::uint32_t rounds_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::vector<std::uint64_t> sent_of_host_;
};

}  // namespace quadrille::probe
