// SPDX-License-Identifier: BSD-3-Clause
// Lower-ish: a port that several trees want at once is counted by its load, not by who waits for
// whom, and of a first piece only the port that sends it, or takes it, makes others wait. Trees
// that go around the same ring from different places do wait for each other, as messages of a pair
// of ranks keep their order: that is followed.
#include "planner/cost/tree_cost.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/divide_up.h"
#include "planner/cost/cost_overflow.h"
#include "planner/cost/numbered_edges.h"

namespace quadrille {

// Through all trees in one direction.
class TreeCost::Walk {
 public:
  Walk(TreeCost& cost, const TreeTraffic& traffic, std::uint64_t usual_bytes)
      : cost_(cost),
        costs_(cost.costs_),
        traffic_(traffic),
        usual_bytes_(usual_bytes),
        ranks_(costs_.host_of_rank.size()),
        numbered_(traffic.edges, traffic.trees),
        way_to_(ranks_),
        port_free_(ranks_),
        root_port_free_(ranks_),
        work_ns_(ranks_, 0),
        reductions_(ranks_, 0) {}

  void run(bool up) {
    root_port_free_.assign(ranks_, {});
    pairs_.assign(numbered_.pairs(), {});
    Way longest;
    for (std::uint64_t tree = 0; tree < traffic_.trees; ++tree) {
      const std::size_t first = tree * (ranks_ - 1);
      const std::size_t end = first + ranks_ - 1;
      if (first == end) continue;
      // A root serves its trees one after the other.
      const auto root = index(traffic_.edges[first].parent);
      way_to_.assign(ranks_, {});
      port_free_.assign(ranks_, {});
      port_free_[root] = root_port_free_[root];
      if (up) {
        for (std::size_t i = end; i-- > first;) go_up(traffic_.edges[i], pair_of(i, true));
        lengthen(longest, way_to_[root]);
      } else {
        for (std::size_t i = first; i < end; ++i) go_down(traffic_.edges[i], pair_of(i, false));
        for (const Way& way : way_to_) lengthen(longest, way);
      }
      root_port_free_[root] = port_free_[root];
    }
    cost_.way_ = cost_.way_ + longest;
    for (const Pair& pair : pairs_) book(pair, up);
  }

  // Every tree that is described stands for so many.
  void settle() {
    for (Load& load : cost_.loads_) load.messages = scaled(load.messages);
    cost_.processor_ns_ = static_cast<std::int64_t>(
        scaled(static_cast<std::uint64_t>(*std::ranges::max_element(work_ns_))));
    cost_.reductions_ = scaled(*std::ranges::max_element(reductions_));
  }

 private:
  // The messages from a rank to another.
  struct Pair {
    Rank from = 0;
    Rank to = 0;
    std::uint64_t messages = 0;
    Way hop;  // of one of them
    // When they begin: of the first tree that has the edge, and the last.
    Way first;
    Way last;
  };

  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
  std::uint64_t scaled(std::uint64_t amount) const {
    return divide_up(amount * traffic_.all_trees, traffic_.trees);
  }

  void lengthen(Way& way, const Way& other) const {
    if (other.ps_per_byte <= way.ps_per_byte && other.fixed_ns <= way.fixed_ns) return;
    if (way.time_ns(usual_bytes_) < other.time_ns(usual_bytes_)) way = other;
  }

  void go_down(const TreeEdge& edge, Pair& pair) {
    Way begin = way_to_[index(edge.parent)];
    Way& free = port_free_[index(edge.parent)];
    lengthen(begin, free);
    keep_order(pair, begin);
    free = begin + through(costs_.out(costs_.host_of(edge.parent), costs_.host_of(edge.child)));
    way_to_[index(edge.child)] = begin + pair.hop;
  }

  // What comes from below is combined one after the other.
  void go_up(const TreeEdge& edge, Pair& pair) {
    Way begin = way_to_[index(edge.child)];
    keep_order(pair, begin);
    Way& free = port_free_[index(edge.parent)];
    free = free + through(costs_.in(costs_.host_of(edge.child), costs_.host_of(edge.parent)));
    lengthen(free, begin + pair.hop);
    lengthen(way_to_[index(edge.parent)], free + Way{costs_.reduce_ps_per_byte, 0, 0});
    ++reductions_[index(edge.parent)];
  }

  // Not before the message of the pair that comes before it. Counts the message.
  void keep_order(Pair& pair, Way& begin) {
    if (pair.messages++ == 0) {
      pair.first = pair.last = begin;
      return;
    }
    if (!traffic_.in_turn) return;
    lengthen(begin, pair.last);
    pair.last = begin;
    lengthen(cost_.turn_, {begin.ps_per_byte - std::min(begin.ps_per_byte, pair.first.ps_per_byte),
                           std::max<std::int64_t>(0, begin.fixed_ns - pair.first.fixed_ns), 0});
  }

  Way through(NetworkCosts::ResourceIndex resource) const {
    return {costs_.resources[resource].ps_per_byte, 0, 0};
  }

  // Of an edge, in one direction.
  Pair& pair_of(std::size_t edge, bool up) {
    Pair& pair = pairs_[numbered_.pair_of(edge)];
    if (pair.messages > 0) return pair;
    const TreeEdge& ends = traffic_.edges[edge];
    pair.from = up ? ends.child : ends.parent;
    pair.to = up ? ends.parent : ends.child;
    pair.hop = hop_between(pair.from, pair.to);
    return pair;
  }

  Way hop_between(Rank from, Rank to) const {
    Way hop;
    costs_.for_each_on_way(from, to, [&](NetworkCosts::ResourceIndex resource) {
      hop.ps_per_byte = std::max(hop.ps_per_byte, costs_.resources[resource].ps_per_byte);
    });
    const auto& source = costs_.host_of(from);
    const auto& target = costs_.host_of(to);
    hop.latency_ns = hop.fixed_ns = costs_.latency_ns(source, target);
    if (costs_.by_network(source, target))
      hop.fixed_ns += source.send_overhead_ns + target.receive_overhead_ns;
    return hop;
  }

  // What its messages load. A connection that other trees have used on the way up counts once.
  void book(const Pair& pair, bool up) {
    const std::uint32_t host = costs_.host_of_rank[index(pair.from)];
    const bool by_network = costs_.by_network(pair.from, pair.to);
    const bool was_used = !up && traffic_.up && numbered_.has(pair.to, pair.from);
    costs_.for_each_on_way(pair.from, pair.to, [&](NetworkCosts::ResourceIndex resource) {
      Load& load = cost_.loads_[resource];
      load.messages += pair.messages;
      load.connections += by_network && !was_used ? 1 : 0;
      if (load.first_host == NetworkCosts::none) load.first_host = host;
      load.several_hosts = load.several_hosts || load.first_host != host;
    });
    if (!by_network) return;
    const auto messages = static_cast<std::int64_t>(pair.messages);
    work_ns_[index(pair.from)] += messages * costs_.host_of(pair.from).send_overhead_ns;
    work_ns_[index(pair.to)] += messages * costs_.host_of(pair.to).receive_overhead_ns;
  }

  TreeCost& cost_;
  const NetworkCosts& costs_;
  const TreeTraffic& traffic_;
  const std::uint64_t usual_bytes_;
  const std::size_t ranks_;
  const NumberedEdges numbered_;
  std::vector<Pair> pairs_;                // in one direction
  std::vector<Way> way_to_;                // [ranks], from the root of this tree, or from below
  std::vector<Way> port_free_;             // [ranks], when it is, along this tree
  std::vector<Way> root_port_free_;        // [ranks], after the trees before
  std::vector<std::int64_t> work_ns_;      // [ranks]
  std::vector<std::uint64_t> reductions_;  // [ranks]
};

TreeCost::TreeCost(const TreeTraffic& traffic, const NetworkCosts& costs, std::uint64_t usual_bytes)
    : costs_(costs), loads_(costs.resources.size()) {
  Walk walk(*this, traffic, usual_bytes);
  if (traffic.up) walk.run(true);
  if (traffic.down) walk.run(false);
  walk.settle();
}

std::int64_t TreeCost::losses_ns(std::uint64_t bytes_of_connection) const {
  const std::uint64_t enough = costs_.protocol.repairing_frames * costs_.framing.frame();
  std::int64_t slowest_ns = 0;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const std::uint64_t holds = costs_.resources[i].buffer_bytes;
    if (holds == 0 || !loads_[i].several_hosts) continue;
    const std::uint64_t needed = loads_[i].connections * std::min(bytes_of_connection, enough);
    slowest_ns = std::max(slowest_ns, timer_share_ns(costs_, needed, holds));
  }
  return slowest_ns;
}

CostBreakdown TreeCost::of(const TreePieces& pieces) const {
  const std::uint64_t wire = costs_.on_wire(pieces.bytes);
  const auto count = static_cast<std::int64_t>(pieces.count);
  std::vector<std::int64_t> busy_ns(loads_.size(), 0);
  std::int64_t longest_ns = 0;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (loads_[i].messages == 0) continue;
    const std::int64_t piece_ns =
        duration_ns(loads_[i].messages * wire, costs_.resources[i].ps_per_byte);
    busy_ns[i] = piece_ns * count;
    longest_ns = std::max(longest_ns, piece_ns);
  }
  const std::int64_t work_ns =
      processor_ns_ +
      static_cast<std::int64_t>(reductions_) * duration_ns(pieces.bytes, costs_.reduce_ps_per_byte);
  const bool asks = pieces.bytes > costs_.protocol.eager_bytes;
  const std::int64_t first_ns = way_.time_ns(wire) + (asks ? 2 * way_.latency_ns : 0);
  const std::int64_t pace_ns = std::max({longest_ns, work_ns, turn_.time_ns(wire)});
  CostBreakdown result;
  result.retransmissions = {losses_ns(pieces.count * wire)};
  result.total =
      Nanoseconds{std::max(first_ns, pace_ns) + (count - 1) * pace_ns} + result.retransmissions;
  result.set_busy(busy_ns);
  return result;
}

}  // namespace quadrille
