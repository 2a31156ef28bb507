// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm may know of the network: which host each rank is on, which segment each host is
// in. Equal on all ranks of a communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace quadrille {

struct TopologyView {
  std::vector<std::uint32_t> host_of_rank;  // [ranks], hosts numbered from 0 by their lowest rank
  std::vector<std::uint32_t> segment_of_host;  // [hosts], 0 where nothing is known

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(segment_of_host.size()); }

  // One rank a host, one segment.
  static TopologyView flat(Rank ranks);
};

}  // namespace quadrille
