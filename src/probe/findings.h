// SPDX-License-Identifier: BSD-3-Clause
// What the phases of an investigation hand to each other: plain values, each made by one phase.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/model/model.h"
#include "probe/round.h"

namespace quadrille::probe {

// A square table over pairs of hosts, row = from.
template <typename T>
class PairTable {
 public:
  PairTable() = default;
  explicit PairTable(std::size_t hosts, const T& value = {})
      : hosts_(hosts), cells_(hosts * hosts, value) {}
  std::size_t hosts() const { return hosts_; }
  T& at(HostIndex from, HostIndex to) { return cells_[from * hosts_ + to]; }
  const T& at(HostIndex from, HostIndex to) const { return cells_[from * hosts_ + to]; }

 private:
  std::size_t hosts_ = 0;
  std::vector<T> cells_;
};

// Round trips between pairs of hosts.
struct PairLatency {
  std::int64_t least_round_trip_ns = 0;  // 0: never answered
  std::int64_t mean_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t most_ns = 0;
  std::uint32_t answered = 0;
  std::uint8_t time_to_live = 0;
};

// What one host's own cable carries, measured with nothing else of ours under way.
struct HostRates {
  MaybeMeasured out_bit_s;          // capacity from the host
  MaybeMeasured in_bit_s;           // capacity towards the host
  MaybeMeasured ambient_out_share;  // of the capacity, taken by others while we measured
  MaybeMeasured ambient_in_share;

  // What trains usually got of it; 0 where unknown.
  double usual_out_bit_s = 0;
  double usual_in_bit_s = 0;

  // What is left for us; 0 where unknown.
  double free_out_bit_s() const {
    return free_bit_s(out_bit_s, ambient_out_share, usual_out_bit_s);
  }
  double free_in_bit_s() const { return free_bit_s(in_bit_s, ambient_in_share, usual_in_bit_s); }

 private:
  static double free_bit_s(const MaybeMeasured& capacity, const MaybeMeasured& taken,
                           double usual) {
    if (!capacity) return usual;
    if (usual > 0) return std::min(usual, capacity->value);
    return capacity->value * (1 - (taken ? taken->value : 0));
  }
};

// How many bytes may arrive at once before something is lost.
struct Burst {
  MaybeMeasured one_port_bytes;
  MaybeMeasured all_ports_bytes;
  bool lossless =
      false;  // nothing was lost up to the end of the test: flow control or deep buffers
};

}  // namespace quadrille::probe
