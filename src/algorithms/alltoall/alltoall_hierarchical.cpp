// SPDX-License-Identifier: BSD-3-Clause
// All-to-all in which a receiver takes blocks from its own host, its own segment and other segments
// at the same time, each kind at its own pace.
//
// Every block goes straight to its target, as in alltoall_ordered, and the receiver says who may
// send. But there are lanes for each kind of way, so that trunks, the ports of a segment and the
// memory of a host all have something to carry from beginning to end: in one common order the
// trunks would idle while all take blocks from their neighbours, and have to carry too much at once
// afterwards. Of its far sources each receiver begins with another one, so that no two ask the same
// at the same time.
//
//   5 ranks in segments 0 2 4 / 1 3, far blocks, who sends:   to 0   to 2   to 4   to 1   to 3
//                                                               1      3      1      0      2
//                                                               3      1      3      2      4
//                                                                                    4      0
//   and meanwhile inside:                                       2      4      0      3      1
//                                                               4      0      2
//
// near, far    lanes for sources of the own segment and of others; the own host has one
// window       messages under way in a lane; piece_bytes: the most in one
//
// Steps:  (p - 1) P messages of data with P = ceil(m / piece_bytes), about as many requests, one
//         copy.
// Bytes:  each rank sends and receives (p - 1) m; under way to one rank: at most (near + far + 1) *
//         window * piece_bytes, of that far * window * piece_bytes through trunks.
// Needs:  nothing, no scratch. Promises: most_incoming, the sum of all lanes' windows, checked.
// Loses:  on one segment it is alltoall_ordered.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703
#include <array>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/alltoall/ordered_exchange.h"
#include "algorithms/trees/segment_layout.h"

namespace quadrille {

bool supports_alltoall_hierarchical(const Shape&) { return true; }

namespace {

// A run of places on the circle of all ranks by segment, host and rank.
struct Arc {
  std::uint64_t first = 0;
  std::uint64_t length = 0;

  bool holds(std::uint64_t place) const { return place >= first && place < first + length; }
  // How far after the arc's first place, around it.
  std::uint64_t after(std::uint64_t first_place, std::uint64_t place) const {
    return (place + length - first_place) % length;
  }
};

class Circle {
 public:
  explicit Circle(const TopologyView& view) : view_(view) {
    const std::vector<std::vector<Rank>> ranks_on = view.ranks_by_host();
    const SegmentLayout layout = lay_out_segments(view, 0);
    std::vector<std::vector<std::uint32_t>> hosts_in(1);
    for (std::uint32_t host = 0; host < view.hosts(); ++host) {
      const std::uint32_t segment = view.segment_of_host[host];
      if (segment >= hosts_in.size()) hosts_in.resize(segment + 1);
      hosts_in[segment].push_back(host);
    }
    place_of_.resize(view.host_of_rank.size());
    host_arc_.resize(view.hosts());
    segment_arc_.resize(hosts_in.size());
    for (const std::uint32_t segment : layout.segments) {
      const std::uint64_t first = rank_at_.size();
      for (const std::uint32_t host : hosts_in[segment]) {
        host_arc_[host] = {rank_at_.size(), ranks_on[host].size()};
        for (const Rank rank : ranks_on[host]) {
          place_of_[static_cast<std::size_t>(rank)] = rank_at_.size();
          rank_at_.push_back(rank);
        }
      }
      segment_arc_[segment] = {first, rank_at_.size() - first};
    }
  }

  // Kinds of ways, each the kind of those in arc k + 1 around the receiver that are not in arc k.
  enum Kind : std::uint32_t { on_host, near, far };

  // The turn at which `receiver` takes the block of `sender`, without the partner.
  ExchangeTurn turn(Rank sender, Rank receiver) const {
    const std::array<Arc, 4> around = arcs_around(receiver);
    const std::uint64_t place = place_of(sender);
    std::uint32_t kind = on_host;
    while (!around[kind + 1].holds(place)) ++kind;
    const Arc& inner = around[kind];
    const Arc& outer = around[kind + 1];
    const std::uint64_t sources = outer.length - inner.length;
    const std::uint64_t number = outer.after(inner.first + inner.length, place);
    const std::uint64_t start = (place_of(receiver) - inner.first) % sources;
    return {(number + sources - start) % sources, kind, -1};
  }

 private:
  std::uint64_t place_of(Rank rank) const { return place_of_[static_cast<std::size_t>(rank)]; }
  std::array<Arc, 4> arcs_around(Rank rank) const {
    const std::uint32_t host = view_.host_of_rank[static_cast<std::size_t>(rank)];
    return {Arc{place_of(rank), 1}, host_arc_[host], segment_arc_[view_.segment_of_host[host]],
            Arc{0, rank_at_.size()}};
  }

  const TopologyView& view_;
  std::vector<Rank> rank_at_;
  std::vector<std::uint64_t> place_of_;  // by rank
  std::vector<Arc> host_arc_;
  std::vector<Arc> segment_arc_;
};

}  // namespace

Schedule generate_alltoall_hierarchical(const GeneratorInput& input) {
  const Circle circle(input.view);
  OrderedExchange exchange;
  exchange.groups = {{1, 1},
                     LaneGroup::of(input.parameters, "near", "window"),
                     LaneGroup::of(input.parameters, "far", "window")};
  exchange.groups[Circle::on_host].window = exchange.groups[Circle::near].window;
  exchange.piece_bytes = input.parameters["piece_bytes"];
  for (Rank partner = 0; partner < input.shape.ranks; ++partner) {
    if (partner == input.rank) continue;
    ExchangeTurn source = circle.turn(partner, input.rank);
    ExchangeTurn target = circle.turn(input.rank, partner);
    source.partner = target.partner = partner;
    exchange.sources.push_back(source);
    exchange.targets.push_back(target);
  }
  return exchange_in_order(std::move(exchange), input.shape, input.rank);
}

}  // namespace quadrille
