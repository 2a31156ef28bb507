// SPDX-License-Identifier: BSD-3-Clause
// What one host hears of streams, fans and multicasts in a round.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "probe/measure/agent/datagram.h"
#include "probe/measure/agent/round_part.h"

namespace quadrille::probe {

// One stream, fan or multicast. Each datagram counts once, however often it comes.
class ArrivalTally {
 public:
  explicit ArrivalTally(const Incoming& expected) : expected_(expected), seen_(expected.count) {}

  void take(const Datagram& datagram, std::int64_t at_ns, std::int64_t receive_call_ns);
  HostIndex from() const { return expected_.from; }
  HeardDatagrams report();

 private:
  Incoming expected_;
  std::vector<bool> seen_;
  std::vector<std::int64_t> delays_;
  std::vector<Arrival> arrivals_;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t receive_call_ns_ = 0;
  std::uint32_t highest_index_ = 0;
};

class ArrivalTallies {
 public:
  explicit ArrivalTallies(const RoundPart& part);
  // False when this host was not to hear that datagram. `receive_call_ns`: what the receive call
  // took that found it alone, or 0.
  bool take(const Datagram& datagram, std::int64_t at_ns, std::int64_t receive_call_ns);
  void report(PartResult& result);
  bool expects_any() const { return !streams_.empty() || !fans_.empty() || !multicasts_.empty(); }

 private:
  using ById = std::unordered_map<std::uint32_t, ArrivalTally>;
  ById* of_kind(DatagramKind kind);
  ById streams_;
  ById fans_;
  ById multicasts_;
};

}  // namespace quadrille::probe
