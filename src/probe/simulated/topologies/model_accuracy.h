// SPDX-License-Identifier: BSD-3-Clause
// How a measured model compares with what there is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/model/model.h"
#include "probe/simulated/topologies/expected_network.h"

namespace quadrille::probe {

struct ModelAccuracy {
  bool partition_right = false;
  bool kinds_right = false;
  bool multicast_right = false;  // nothing wrong is said; unknown is not wrong
  // The largest relative errors. A value that says "at least" is wrong only where it says too much.
  double worst_host_rate_error = 0;
  double worst_trunk_rate_error = 0;
  std::uint32_t unknown_host_rates = 0;  // of two for each host
  std::uint32_t false_trunks = 0;        // that part the hosts as no trunk does
  std::uint32_t missing_trunks = 0;      // saturable ones
  // Safe burst over the true buffer; 0 where no segment has one.
  double least_burst_share = 0;
  double most_burst_share = 0;
  std::vector<std::string> differences;  // in words
};

ModelAccuracy accuracy_of(const NetworkModel& model, const ExpectedNetwork& expected);

}  // namespace quadrille::probe
