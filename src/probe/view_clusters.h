// SPDX-License-Identifier: BSD-3-Clause
// Groups hosts by how the loaded network looks from them.
//
// Two hosts of one segment reach all others over the same queues, so the same ways wait, whatever
// is overloaded; hosts of different segments differ as soon as something between them is. Pure
// functions of one view.
#pragma once

#include <vector>

#include "probe/loaded_view.h"

namespace quadrille::probe {

// The share of third hosts towards or from which the ways of `one` and `other` differ: one waits
// clearly longer. Negative where fewer than two ways can be compared.
double view_difference(const LoadedViews& views, const LoadedView& view, HostIndex one,
                       HostIndex other);

// Hosts by average-linkage clustering of view_difference, until the nearest two clusters differ in
// more than `most_difference` of their ways. Ascending by first host.
std::vector<HostSet> view_clusters(const LoadedViews& views, const LoadedView& view,
                                   const HostSet& hosts, double most_difference = 0.12);

}  // namespace quadrille::probe
