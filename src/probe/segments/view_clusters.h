// SPDX-License-Identifier: BSD-3-Clause
// Groups hosts by how the loaded network looks from them.
//
// Two hosts of one segment reach all others over the same queues, so the same ways wait, whatever
// is overloaded; hosts of different segments differ as soon as something between them is. Pure
// functions of one view.
#pragma once

#include <optional>
#include <vector>

#include "probe/segments/loaded_view.h"

namespace quadrille::probe {

// Hosts by average-linkage clustering: the distance of two hosts is the share of third
// hosts towards or from which one waits and the other does not. Until the nearest two clusters
// differ in more than `most_difference` of their ways; by default where the differences leap.
// Ascending by first host.
std::vector<HostSet> view_clusters(const LoadedViews& views, const LoadedView& view,
                                   const HostSet& hosts,
                                   std::optional<double> most_difference = std::nullopt);

// `cluster` and the `more` hosts whose view is likest to its hosts'.
HostSet with_likest(const LoadedViews& views, const LoadedView& view, const HostSet& cluster,
                    std::size_t more);

}  // namespace quadrille::probe
