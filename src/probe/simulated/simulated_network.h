// SPDX-License-Identifier: BSD-3-Clause
// A network whose rounds are performed by a packet-level simulation: the same decisions run on it
// as on real hosts, on topologies nobody has, and every run with one seed is the same.
//
// Time goes on from round to round, so what a round leaves in the queues is still there when the
// next begins. No threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "probe/network.h"
#include "probe/simulated/carrier.h"
#include "probe/simulated/conditions.h"
#include "probe/simulated/host_behaviour.h"
#include "probe/simulated/reach.h"
#include "probe/simulated/topologies/topology.h"

namespace quadrille::probe {

class SimulatedNetwork : public Network {
 public:
  // REQUIRES: problem_of(topology) is empty.
  explicit SimulatedNetwork(const SimulatedTopology& topology, Conditions conditions = {});

  const std::vector<HostFacts>& hosts() const override { return facts_; }
  const std::vector<CandidateNetwork>& networks() const override { return candidates_; }
  Result<RoundResult> perform(const Round& round) override;
  std::int64_t elapsed_ns() const override { return now_ns_; }

  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint32_t rounds() const { return rounds_; }
  std::uint64_t events() const;

 private:
  struct Way {
    std::unique_ptr<Carrier> carrier;
    Reach reach;
  };

  void add_main_network(const SimulatedTopology& topology);
  void add_other_network(const SimulatedTopology& topology, const OtherNetwork& other);

  Conditions conditions_;
  std::vector<HostBehaviour> behaviours_;
  std::vector<HostFacts> facts_;
  std::vector<CandidateNetwork> candidates_;
  std::vector<Way> ways_;  // [candidates]
  std::int64_t now_ns_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::uint32_t rounds_ = 0;
};

}  // namespace quadrille::probe
