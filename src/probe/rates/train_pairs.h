// SPDX-License-Identifier: BSD-3-Clause
// Who sends a train to whom, so that every host sends one and receives one.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "probe/host_set.h"
#include "probe/rates/cable_evidence.h"

namespace quadrille::probe {

using TrainPairs = std::vector<std::pair<HostIndex, HostIndex>>;  // from, to

// In random order, each to the next, the last to the first.
TrainPairs cycle_of(const HostSet& hosts, std::mt19937_64& chance);

// Everybody with a partner about as fast: sorted by rate, in random order where rates are alike,
// and half a class further on so that partners differ from one time to the next. A host that would
// have to send to itself is left out. REQUIRES: at least two hosts.
TrainPairs fast_with_fast(const HostSet& hosts, const CableEvidence& cables,
                          std::mt19937_64& chance);

}  // namespace quadrille::probe
