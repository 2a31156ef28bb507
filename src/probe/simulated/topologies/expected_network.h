// SPDX-License-Identifier: BSD-3-Clause
// What a perfect measurement of a simulated network would find.
//
// Segments are switches, groups and buses with hosts of their own; two switches whose trunk their
// hosts cannot fill from either side are one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/model/model.h"
#include "probe/simulated/topologies/topology.h"

namespace quadrille::probe {

struct ExpectedSegment {
  std::string name;
  std::vector<std::string> hosts;  // sorted
  SegmentKind kind = SegmentKind::switched;
  double bus_rate_bit_s = 0;       // of a bus
  std::uint32_t buffer_bytes = 0;  // least of its ports towards hosts; 0 on a bus
  bool multicast = true;
};

struct ExpectedHost {
  std::string name;
  double out_bit_s = 0;
  double in_bit_s = 0;
};

// All trunks that part the hosts in the same two sets, as one.
struct ExpectedTrunk {
  std::vector<std::string> first_side;  // hosts, sorted
  std::vector<std::string> second_side;
  // The least of its trunks' rates; out of a bus, the bus's.
  double forward_bit_s = 0;
  double backward_bit_s = 0;
  bool saturable = false;  // the hosts on one side can fill it
};

struct ExpectedNetwork {
  std::vector<ExpectedSegment> segments;
  std::vector<ExpectedHost> hosts;  // as the topology's
  std::vector<ExpectedTrunk> trunks;
};

std::vector<ExpectedSegment> expected_segments(const SimulatedTopology& topology);
ExpectedNetwork expected_network(const SimulatedTopology& topology);

}  // namespace quadrille::probe
