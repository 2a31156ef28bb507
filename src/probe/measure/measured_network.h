// SPDX-License-Identifier: BSD-3-Clause
// The real network: rounds are performed by the agents of all hosts, this process being host 0's
// agent and the coordinator. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "probe/measure/agent/agent.h"
#include "probe/measure/agent/agent_calls.h"
#include "probe/measure/agent/agent_service.h"
#include "probe/measure/agent/start_margin.h"
#include "probe/measure/host_clock.h"
#include "probe/measure/hosts/kernel_counters.h"
#include "probe/network.h"

namespace quadrille::probe {

struct MeasureOptions {
  AgentOptions own;       // of host 0
  std::string interface;  // preferred: names, subnets, addresses; empty: what MPI settings name
  // Hosts of one kernel have one clock; off only to test the alignment.
  bool trust_shared_clock = true;
  // Sees every round that has been performed.
  std::function<void(const Round&, const RoundResult&)> observer;
};

class MeasuredNetwork final : public Network {
 public:
  // Learns the hosts, their networks and clocks. Every other host of `channel` must be serving.
  static Result<std::unique_ptr<MeasuredNetwork>> open(ControlChannel& channel,
                                                       MeasureOptions options);

  const std::vector<HostFacts>& hosts() const override { return hosts_; }
  const std::vector<CandidateNetwork>& networks() const override { return networks_; }
  // A round that hosts were not punctual for is repeated, twice at most.
  Result<RoundResult> perform(const Round& round) override;
  std::int64_t elapsed_ns() const override;

  std::uint64_t sent_bytes() const { return sent_bytes_; }  // of frames, all hosts
  std::uint32_t rounds() const { return number_; }          // repeated ones included
  std::uint32_t repeated() const { return repeated_; }      // because of hosts held up
  std::uint64_t foreign() const { return foreign_; }        // datagrams that were not ours
  std::int64_t start_margin_ns() const { return margin_.ns(); }

  // By host, since this was last asked.
  Result<std::vector<KernelCounters>> counters();
  // By host, text in JSON.
  Result<std::vector<std::string>> settings();
  // The agents end their service.
  Result<bool> finish();

 private:
  MeasuredNetwork(ControlChannel& channel, MeasureOptions options);
  Result<bool> learn_hosts();
  Result<bool> learn_clocks();
  Result<bool> open_sockets();
  std::vector<bool> reachable_on(std::uint32_t network) const;
  JobOpening opening_for(HostIndex host) const;
  bool oversubscribed(const HostFacts& host) const;

  Result<bool> align_clocks(std::uint32_t network);
  Round alignment_round(std::uint32_t network) const;
  // One attempt; fills `reports` by host.
  Result<bool> attempt(const Round& round, std::vector<PartResult>& reports);
  Result<bool> collect(const std::vector<bool>& takes_part, std::vector<PartResult>& reports);
  Result<bool> take_report(HostIndex host, std::string_view encoded,
                           std::vector<PartResult>& reports) const;
  Result<bool> fetch_long(const std::vector<std::size_t>& bytes, std::vector<PartResult>& reports);
  Result<RoundResult> merge(const Round& round, const std::vector<PartResult>& reports);

  AgentCalls agents_;
  MeasureOptions options_;
  Agent own_agent_;
  std::vector<HostFacts> hosts_;
  std::vector<CandidateNetwork> networks_;
  std::vector<HostClock> clocks_;
  std::vector<bool> own_clock_;  // [hosts] that share the coordinator's clock
  std::int64_t aligned_at_ns_ = 0;
  std::vector<std::int64_t> trip_ns_;  // [hosts], fastest that aligned its clock; 0: none yet
  std::uint64_t job_ = 0;
  StartMargin margin_;
  std::int64_t empty_at_ns_ = 0;  // by then the last round's datagrams have left the network
  KernelCounters own_counters_;
  std::int64_t began_ns_;
  std::uint32_t number_ = 0;
  std::uint32_t repeated_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t foreign_ = 0;
};

}  // namespace quadrille::probe
