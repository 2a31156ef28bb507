// SPDX-License-Identifier: BSD-3-Clause
// A model's rates as the lower bounds need them.
#pragma once

#include "network/bounds.h"
#include "network/model.h"

namespace quadrille {

// Hosts without a segment are left out; junctions become segments without hosts. A rate of which
// only "at least" is known bounds nothing, like one that is unknown.
// REQUIRES: `model` was parsed, or passes check_model.
NetworkRates rates_of(const NetworkModel& model);

}  // namespace quadrille
