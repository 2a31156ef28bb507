// SPDX-License-Identifier: BSD-3-Clause
// Which segments share a trunk. Unions of segments are loaded towards all others: where less
// arrives than the trunks that are known would bring, there is one more.
#pragma once

#include <vector>

#include "base/error.h"
#include "probe/segments/loaded_view.h"
#include "probe/trunks/known_trunks.h"

namespace quadrille::probe {

// Adds to `known.joint`. `likely`: sets of hosts that looked alike from elsewhere, tested first.
// Errors: of the network.
Result<bool> find_shared_trunks(LoadedViews& views, const std::vector<HostSet>& likely,
                                KnownTrunks& known);

}  // namespace quadrille::probe
