// SPDX-License-Identifier: BSD-3-Clause
// Flows towards a trunk, summed over the tree behind it.
#include "probe/simulated/saturation.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr double kRounding = 1e-9;

double limited(double offered_bit_s, double rate_bit_s) {
  return rate_bit_s > 0 ? std::min(offered_bit_s, rate_bit_s) : offered_bit_s;
}

class Offers {
 public:
  explicit Offers(const SimulatedTopology& topology)
      : topology_(topology), trunks_of_(topology.nodes.size()), own_(topology.nodes.size()) {
    for (std::uint32_t at = 0; at < topology.trunks.size(); ++at) {
      trunks_of_[topology.trunks[at].first].push_back(at);
      trunks_of_[topology.trunks[at].second].push_back(at);
    }
    for (const auto& host : topology.hosts) own_[host.node] += host.out_bit_s;
  }

  // What `node` and all behind it, seen from `trunk`, can send.
  double from(NodeIndex node, std::uint32_t trunk) const {
    double offered = own_[node];
    for (const std::uint32_t other : trunks_of_[node]) {
      if (other == trunk) continue;
      const SimulatedTrunk& link = topology_.trunks[other];
      const bool is_first = link.first == node;
      const NodeIndex behind = is_first ? link.second : link.first;
      offered += limited(from(behind, other), is_first ? link.backward_bit_s : link.forward_bit_s);
    }
    const SimulatedNode& here = topology_.nodes[node];
    return here.bus ? limited(offered, here.rate_bit_s) : offered;
  }

 private:
  const SimulatedTopology& topology_;
  std::vector<std::vector<std::uint32_t>> trunks_of_;
  std::vector<double> own_;
};

// How many times its rate a direction can be offered; 0 where it has no rate.
double oversubscribed(double rate_bit_s, double offered_bit_s) {
  return rate_bit_s > 0 ? offered_bit_s / rate_bit_s : 0;
}

}  // namespace

std::vector<TrunkOffers> trunk_offers(const SimulatedTopology& topology) {
  const Offers offers(topology);
  std::vector<TrunkOffers> result;
  result.reserve(topology.trunks.size());
  for (std::uint32_t at = 0; at < topology.trunks.size(); ++at) {
    const SimulatedTrunk& trunk = topology.trunks[at];
    result.push_back({offers.from(trunk.first, at), offers.from(trunk.second, at)});
  }
  return result;
}

bool is_saturable(const SimulatedTrunk& trunk, const TrunkOffers& offers, double oversubscription) {
  return std::max(oversubscribed(trunk.forward_bit_s, offers.forward_bit_s),
                  oversubscribed(trunk.backward_bit_s, offers.backward_bit_s)) >=
         oversubscription * (1 - kRounding);
}

void make_saturable(SimulatedTopology& topology, double oversubscription) {
  // Lowering one lowers what it offers to others; rates only fall, so this ends.
  for (bool changed = true; changed;) {
    changed = false;
    const auto offers = trunk_offers(topology);
    for (std::size_t at = 0; at < offers.size(); ++at) {
      SimulatedTrunk& trunk = topology.trunks[at];
      if (is_saturable(trunk, offers[at], oversubscription)) continue;
      const double most = std::max(trunk.forward_bit_s > 0 ? offers[at].forward_bit_s : 0,
                                   trunk.backward_bit_s > 0 ? offers[at].backward_bit_s : 0);
      if (trunk.forward_bit_s > 0) trunk.forward_bit_s = most / oversubscription;
      if (trunk.backward_bit_s > 0) trunk.backward_bit_s = most / oversubscription;
      changed = true;
    }
  }
}

}  // namespace quadrille::probe
