// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of pairs, as B. Kernighan and S. Lin have them (Bell Syst. Tech. J. 49:291, 1970,
// doi:10.1002/j.1538-7305.1970.tb01770.x), judged by the cost itself instead of by a cut; way out
// of local optima by iterated local search (H. Lourenco, O. Martin, T. Stutzle, in Handbook of
// Metaheuristics, 2003, doi:10.1007/0-306-48056-5_11).
#include "mapping/refinement.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace quadrille {
namespace {

class Exchanges {
 public:
  Exchanges(Placement& placement, const CommunicationGraph& graph, Effort& effort)
      : placement_(placement), graph_(graph), effort_(effort) {
    std::uint32_t hosts = 0;
    std::uint32_t segments = 0;
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      hosts = std::max(hosts, placement_.host_of(rank) + 1);
      segments = std::max(segments, placement_.segment_of(rank) + 1);
    }
    on_host_.resize(hosts);
    in_segment_.resize(segments);
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      on_host_[placement_.host_of(rank)].push_back(rank);
      in_segment_[placement_.segment_of(rank)].push_back(rank);
    }
    seen_host_.resize(hosts, 0);
    seen_segment_.resize(segments, 0);
  }

  void run() {
    TrafficCost cost = placement_.cost();
    for (bool bettered = true; bettered && effort_.left > 0;) {
      bettered = false;
      for (Rank rank = 0; rank < graph_.ranks() && effort_.left > 0; ++rank)
        bettered |= better(rank, cost);
    }
  }

 private:
  // Exchanges `rank` with the best partner: on a neighbour's host, or in a neighbour's segment.
  bool better(Rank rank, TrafficCost& cost) {
    const TrafficCost before = cost;
    Rank best = rank;
    ++mark_;
    seen_host_[placement_.host_of(rank)] = mark_;
    seen_segment_[placement_.segment_of(rank)] = mark_;
    const std::uint32_t own_segment = placement_.segment_of(rank);
    for (const auto& neighbour : graph_.neighbours(rank)) {
      const std::uint32_t segment = placement_.segment_of(neighbour.rank);
      const std::uint32_t host = placement_.host_of(neighbour.rank);
      if (segment != own_segment && std::exchange(seen_segment_[segment], mark_) != mark_) {
        try_all(rank, in_segment_[segment], cost, best);
      } else if (segment == own_segment && std::exchange(seen_host_[host], mark_) != mark_) {
        try_all(rank, on_host_[host], cost, best);
      }
    }
    if (best != rank) exchange(rank, best);
    return cost < before;
  }

  void try_all(Rank rank, const std::vector<Rank>& partners, TrafficCost& cost, Rank& best) {
    for (const Rank partner : partners) {
      if (!effort_.spend(2 * placement_.effort(rank, partner))) return;
      placement_.swap(rank, partner);
      const TrafficCost found = placement_.cost();
      placement_.swap(rank, partner);
      if (found < cost) {
        cost = found;
        best = partner;
      }
    }
  }

  void exchange(Rank one, Rank other) {
    replace(on_host_[placement_.host_of(one)], one, other);
    replace(on_host_[placement_.host_of(other)], other, one);
    if (placement_.segment_of(one) != placement_.segment_of(other)) {
      replace(in_segment_[placement_.segment_of(one)], one, other);
      replace(in_segment_[placement_.segment_of(other)], other, one);
    }
    placement_.swap(one, other);
  }

  static void replace(std::vector<Rank>& members, Rank old, Rank by) {
    for (Rank& member : members) {
      if (member == old) {
        member = by;
        return;
      }
    }
  }

  Placement& placement_;
  const CommunicationGraph& graph_;
  Effort& effort_;
  std::vector<std::vector<Rank>> on_host_;
  std::vector<std::vector<Rank>> in_segment_;
  std::vector<std::uint64_t> seen_host_;  // [hosts], the mark of whom it was seen for
  std::vector<std::uint64_t> seen_segment_;
  std::uint64_t mark_ = 0;
};

// G. Marsaglia, J. Stat. Softw. 8(14), 2003, doi:10.18637/jss.v008.i14: the same everywhere, which
// the standard library's distributions are not.
class Lot {
 public:
  Rank below(Rank bound) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<Rank>(state_ % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_ = 88172645463325252ULL;  // the paper's own
};

}  // namespace

void refine(Placement& placement, const CommunicationGraph& graph, Effort& effort) {
  Exchanges(placement, graph, effort).run();
}

void refine_by_lot(Placement& placement, const CommunicationGraph& graph, Effort& effort) {
  const Rank ranks = graph.ranks();
  if (ranks < 3) return;
  Lot lot;
  Placement best = placement;
  TrafficCost least = best.cost();
  while (effort.left > 0) {
    for (Rank kick = 0, kicks = 2 + lot.below(3); kick < kicks; ++kick)
      placement.swap(lot.below(ranks), lot.below(ranks));
    // Copying and listing all ranks takes about as much as a step along each edge.
    if (!effort.spend(2 * static_cast<std::uint64_t>(ranks) + graph.edges())) break;
    refine(placement, graph, effort);
    const TrafficCost found = placement.cost();
    if (found <= least) {
      least = found;
      best = placement;
    } else {
      placement = best;
    }
  }
  if (placement.cost() > least) placement = std::move(best);
}

}  // namespace quadrille
