// SPDX-License-Identifier: BSD-3-Clause
// Lower-ish: a port that several trees want at once is counted by its load, not by who waits for
// whom, and of a first piece only the port that sends it, or takes it, makes others wait. Trees
// that go around the same ring from different places do wait for each other, as messages of a pair
// of ranks keep their order: that is followed.
#include "planner/tree_cost.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/divide_up.h"
#include "planner/cost_overflow.h"

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
        way_to_(ranks_),
        port_free_(ranks_),
        root_port_free_(ranks_),
        work_ns_(ranks_, 0),
        reductions_(ranks_, 0) {}

  void run(bool up) {
    root_port_free_.assign(ranks_, {});
    in_order_.clear();
    if (traffic_.in_turn && traffic_.trees > 1) in_order_.reserve(traffic_.edges.size());
    Way longest;
    for (std::uint64_t tree = 0; tree < traffic_.trees; ++tree) {
      const std::span edges(traffic_.edges.data() + tree * (ranks_ - 1), ranks_ - 1);
      if (edges.empty()) continue;
      // A root serves its trees one after the other.
      const auto root = index(edges.front().parent);
      way_to_.assign(ranks_, {});
      port_free_.assign(ranks_, {});
      port_free_[root] = root_port_free_[root];
      if (up) {
        for (std::size_t i = edges.size(); i-- > 0;) go_up(edges[i]);
        lengthen(longest, way_to_[root]);
      } else {
        for (const TreeEdge& edge : edges) go_down(edge);
        for (const Way& way : way_to_) lengthen(longest, way);
      }
      root_port_free_[root] = port_free_[root];
    }
    cost_.way_ = cost_.way_ + longest;
  }

  // Every tree that is described stands for so many.
  void settle() {
    for (Load& load : cost_.loads_) load.messages = scaled(load.messages);
    cost_.processor_ns_ = static_cast<std::int64_t>(
        scaled(static_cast<std::uint64_t>(*std::ranges::max_element(work_ns_))));
    cost_.reductions_ = scaled(*std::ranges::max_element(reductions_));
  }

 private:
  // When messages of a pair of ranks begin: of the first tree that has the edge, and the last.
  struct Order {
    Way first;
    Way last;
  };

  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
  std::uint64_t scaled(std::uint64_t amount) const {
    return divide_up(amount * traffic_.all_trees, traffic_.trees);
  }

  void lengthen(Way& way, const Way& other) const {
    if (way.time_ns(usual_bytes_) < other.time_ns(usual_bytes_)) way = other;
  }

  void go_down(const TreeEdge& edge) {
    const Way hop = cross(edge.parent, edge.child);
    Way begin = way_to_[index(edge.parent)];
    Way& free = port_free_[index(edge.parent)];
    lengthen(begin, free);
    keep_order(edge, begin);
    free = begin + through(costs_.out(costs_.host_of(edge.parent), costs_.host_of(edge.child)));
    way_to_[index(edge.child)] = begin + hop;
  }

  // What comes from below is combined one after the other.
  void go_up(const TreeEdge& edge) {
    const Way hop = cross(edge.child, edge.parent);
    Way begin = way_to_[index(edge.child)];
    keep_order(edge, begin);
    Way& free = port_free_[index(edge.parent)];
    free = free + through(costs_.in(costs_.host_of(edge.child), costs_.host_of(edge.parent)));
    lengthen(free, begin + hop);
    lengthen(way_to_[index(edge.parent)], free + Way{costs_.reduce_ps_per_byte, 0, 0});
    ++reductions_[index(edge.parent)];
  }

  // Not before the message of the pair that comes before it.
  void keep_order(const TreeEdge& edge, Way& begin) {
    if (!traffic_.in_turn || traffic_.trees == 1) return;
    const auto [entry, is_first] =
        in_order_.try_emplace(index(edge.parent) * ranks_ + index(edge.child), Order{begin, begin});
    if (is_first) return;
    Order& order = entry->second;
    lengthen(begin, order.last);
    order.last = begin;
    lengthen(cost_.turn_, {begin.ps_per_byte - std::min(begin.ps_per_byte, order.first.ps_per_byte),
                           std::max<std::int64_t>(0, begin.fixed_ns - order.first.fixed_ns), 0});
  }

  Way through(NetworkCosts::ResourceIndex resource) const {
    return {costs_.resources[resource].ps_per_byte, 0, 0};
  }

  // One message, booked.
  Way cross(Rank from, Rank to) {
    const std::uint32_t host = costs_.host_of_rank[index(from)];
    Way hop;
    costs_.for_each_on_way(from, to, [&](NetworkCosts::ResourceIndex resource) {
      Load& load = cost_.loads_[resource];
      ++load.messages;
      if (load.first_host == NetworkCosts::none) load.first_host = host;
      load.several_hosts = load.several_hosts || load.first_host != host;
      hop.ps_per_byte = std::max(hop.ps_per_byte, costs_.resources[resource].ps_per_byte);
    });
    const auto& source = costs_.hosts[host];
    const auto& target = costs_.host_of(to);
    hop.latency_ns = hop.fixed_ns = costs_.latency_ns(source, target);
    if (!costs_.by_network(source, target)) return hop;
    hop.fixed_ns += source.send_overhead_ns + target.receive_overhead_ns;
    work_ns_[index(from)] += source.send_overhead_ns;
    work_ns_[index(to)] += target.receive_overhead_ns;
    count_connection(from, to);
    return hop;
  }

  // Once for each pair of ranks.
  void count_connection(Rank from, Rank to) {
    if (traffic_.trees > 1) {
      if (seen_.empty()) seen_.assign(ranks_ * ranks_, false);
      const std::size_t pair = index(from) * ranks_ + index(to);
      if (seen_[pair]) return;
      seen_[pair] = true;
    }
    costs_.for_each_on_way(from, to, [&](NetworkCosts::ResourceIndex resource) {
      ++cost_.loads_[resource].connections;
    });
  }

  TreeCost& cost_;
  const NetworkCosts& costs_;
  const TreeTraffic& traffic_;
  const std::uint64_t usual_bytes_;
  const std::size_t ranks_;
  std::vector<Way> way_to_;          // [ranks], from the root of this tree, or from below
  std::vector<Way> port_free_;       // [ranks], when it is, along this tree
  std::vector<Way> root_port_free_;  // [ranks], after the trees before
  std::unordered_map<std::size_t, Order> in_order_;  // by parent * ranks + child
  std::vector<std::int64_t> work_ns_;                // [ranks]
  std::vector<std::uint64_t> reductions_;            // [ranks]
  std::vector<bool> seen_;  // [ranks * ranks], where there are several trees
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
