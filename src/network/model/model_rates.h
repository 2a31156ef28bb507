// SPDX-License-Identifier: BSD-3-Clause
// A model's rates as the lower bounds need them.
#pragma once

#include "network/bounds.h"
#include "network/model/model.h"

namespace quadrille {

// Segments, junctions and trunks alone.
// REQUIRES: `model` was parsed, or passes check_model.
NetworkRates segment_rates_of(const NetworkModel& model);

// Hosts without a segment are left out; junctions become segments without hosts. A rate of which
// only "at least" is known bounds nothing, like one that is unknown. An island is one host; where
// its hosts are in several segments, it has a segment of its own, numbered behind all others.
// REQUIRES: `model` was parsed, or passes check_model.
NetworkRates rates_of(const NetworkModel& model);

}  // namespace quadrille
