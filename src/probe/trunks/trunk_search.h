// SPDX-License-Identifier: BSD-3-Clause
// Finds which segments share a trunk beyond their own, and what each trunk carries.
#pragma once

#include <vector>

#include "probe/trunks/trunk_tree.h"

namespace quadrille::probe {

// The tree of `segments`. `proven` are the sets of hosts that find_segments proved to share
// something.
Result<std::vector<TreeNode>> find_trunks(LoadedViews& views, const std::vector<HostSet>& segments,
                                          const std::vector<SegmentKind>& kinds,
                                          const std::vector<HostSet>& proven);

}  // namespace quadrille::probe
