// SPDX-License-Identifier: BSD-3-Clause
// The view of a cluster of which nothing is known but its ranks.
#include "network/topology_view.h"

#include <numeric>

namespace quadrille {

TopologyView TopologyView::flat(Rank ranks) {
  TopologyView view;
  view.host_of_rank.resize(static_cast<std::size_t>(ranks));
  std::iota(view.host_of_rank.begin(), view.host_of_rank.end(), 0U);
  view.segment_of_host.assign(static_cast<std::size_t>(ranks), 0U);
  return view;
}

}  // namespace quadrille
