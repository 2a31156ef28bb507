// SPDX-License-Identifier: BSD-3-Clause
// The loop that performs one host's part of a round.
#pragma once

#include <array>
#include <cstdint>

#include "probe/measure/agent/arrival_tally.h"
#include "probe/measure/agent/datagram_sender.h"
#include "probe/measure/agent/exchange_ends.h"
#include "probe/measure/agent/round_part.h"
#include "probe/measure/agent/traffic_sources.h"
#include "probe/measure/network_end.h"

namespace quadrille::probe {

class PartPerformer {
 public:
  PartPerformer(const RoundPart& part, const JobOpening& opening, NetworkEnd& network);
  PartResult run();

 private:
  void wait_for_start();
  bool receive(UdpSocket& socket);
  void take(const Received& received, std::int64_t receive_call_ns);
  void drain(std::int64_t now_ns);
  void wait(std::int64_t now_ns);
  std::int64_t next_due_ns(std::int64_t now_ns) const;

  const RoundPart& part_;
  const JobOpening& opening_;
  NetworkEnd& network_;
  DatagramSender sender_;
  ArrivalTallies tallies_;
  TrafficSources sources_;
  ExchangeEnds exchanges_;
  std::int64_t drain_interval_ns_;
  std::int64_t next_drain_ns_ = 0;
  std::uint32_t drained_ = 0;
  std::int64_t held_up_ns_ = 0;
  std::uint64_t foreign_ = 0;
};

}  // namespace quadrille::probe
