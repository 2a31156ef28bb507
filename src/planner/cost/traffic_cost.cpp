// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/traffic_cost.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/divide_up.h"
#include "planner/cost/cost_overflow.h"
#include "planner/cost/rank_pairs.h"

namespace quadrille {
namespace {

using ResourceIndex = NetworkCosts::ResourceIndex;

class CostOfTraffic {
 public:
  explicit CostOfTraffic(const NetworkCosts& costs)
      : costs_(costs),
        ranks_(costs.host_of_rank.size()),
        window_(costs.protocol.window_frames * costs.framing.frame()),
        enough_(costs.protocol.repairing_frames * costs.framing.frame()),
        busy_ns_(costs.resources.size(), 0),
        lost_ns_(costs.resources.size(), 0),
        loads_(costs.resources.size()) {}

  CostBreakdown run(const Traffic& traffic) {
    for (const Phase& phase : traffic) total_ns_ += time_ns(phase);
    return breakdown();
  }

 private:
  // Of one phase, one time.
  struct Load {
    std::uint64_t bytes = 0;
    std::uint64_t needed = 0;  // of a buffer, see BufferOverflow
    std::uint32_t first_host = 0;
    bool several_hosts = false;
  };
  // One message alone, on a network that carries nothing else.
  struct Way {
    std::uint64_t wire = 0;
    std::int64_t moving_ns = 0;  // through the slowest of its resources
    std::int64_t fixed_ns = 0;   // latency and both ends' work, and asking where it is long
  };

  std::int64_t time_ns(const Phase& phase) {
    loads_.assign(loads_.size(), {});
    if (phase.order == PhaseOrder::everyone) {
      load_everyone(phase.exchange);
    } else {
      for (const Transfer& transfer : phase.transfers) load(transfer);
    }
    const std::int64_t most_loaded_ns =
        settle(phase.order == PhaseOrder::everyone ? 1 : phase.times);
    switch (phase.order) {
      case PhaseOrder::together:
        return static_cast<std::int64_t>(phase.times) * round_ns(phase, most_loaded_ns);
      case PhaseOrder::down:
        return std::max(most_loaded_ns, down_ns(phase));
      case PhaseOrder::up:
        return std::max(most_loaded_ns, up_ns(phase));
      case PhaseOrder::chain:
        return chain_ns(phase, most_loaded_ns);
      case PhaseOrder::everyone:
        return everyone_ns(phase, most_loaded_ns);
    }
    return 0;
  }

  const NetworkCosts::Host& host_of(Rank rank) const { return costs_.host_of(rank); }
  std::uint32_t host_index(Rank rank) const {
    return costs_.host_of_rank[static_cast<std::size_t>(rank)];
  }

  Way way(const Transfer& transfer) const {
    const auto& source = host_of(transfer.from);
    const auto& target = host_of(transfer.to);
    Way result{.wire = costs_.on_way(source, target, transfer.bytes)};
    std::uint64_t slowest = 0;
    costs_.for_each_on_way(transfer.from, transfer.to, [&](ResourceIndex resource) {
      slowest = std::max(slowest, costs_.resources[resource].ps_per_byte);
    });
    result.moving_ns = duration_ns(result.wire, slowest);
    const bool asks = transfer.bytes > costs_.protocol.eager_bytes;
    result.fixed_ns = costs_.latency_ns(source, target) * (asks ? 3 : 1);
    if (costs_.by_network(source, target))
      result.fixed_ns += source.send_overhead_ns + target.receive_overhead_ns;
    return result;
  }

  void load(const Transfer& transfer) {
    const std::uint32_t host = host_index(transfer.from);
    const std::uint64_t wire =
        costs_.on_way(host_of(transfer.from), host_of(transfer.to), transfer.bytes);
    costs_.for_each_on_way(transfer.from, transfer.to, [&](ResourceIndex resource) {
      Load& load = loads_[resource];
      if (load.bytes == 0) load.first_host = host;
      load.several_hosts = load.several_hosts || load.first_host != host;
      load.bytes += wire;
      load.needed += std::min(wire, enough_);
    });
  }

  // Books the loads, `times` over; returns the longest of one time.
  std::int64_t settle(std::uint64_t times) {
    std::int64_t longest = 0;
    const auto count = static_cast<std::int64_t>(times);
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      if (loads_[i].bytes == 0) continue;
      const auto& resource = costs_.resources[i];
      const std::int64_t takes_ns = duration_ns(loads_[i].bytes, resource.ps_per_byte);
      longest = std::max(longest, takes_ns);
      busy_ns_[i] += takes_ns * count;
      if (resource.buffer_bytes > 0 && loads_[i].several_hosts)
        lost_ns_[i] += timer_share_ns(costs_, loads_[i].needed, resource.buffer_bytes) * count;
    }
    return longest;
  }

  std::int64_t work_ns(const Phase& phase) const {
    return duration_ns(phase.reduced_bytes, costs_.reduce_ps_per_byte) +
           duration_ns(phase.copied_bytes, costs_.copy_ps_per_byte);
  }

  // What a message beyond its first window waits for acknowledgements, as in cost.cpp, where its
  // receiver sends too.
  std::int64_t acknowledgement_wait_ns(const Transfer& transfer, std::uint64_t wire) const {
    if (wire <= window_ || !costs_.by_network(transfer.from, transfer.to)) return 0;
    if (loads_[host_of(transfer.to).out].bytes == 0) return 0;
    return duration_ns(wire - window_, costs_.resources[host_of(transfer.from).out].ps_per_byte);
  }

  std::int64_t round_ns(const Phase& phase, std::int64_t most_loaded_ns) const {
    std::int64_t longest_ns = 0;
    std::int64_t fixed_ns = 0;
    for (const Transfer& transfer : phase.transfers) {
      const Way alone = way(transfer);
      longest_ns =
          std::max(longest_ns, alone.moving_ns + acknowledgement_wait_ns(transfer, alone.wire));
      fixed_ns = std::max(fixed_ns, alone.fixed_ns);
    }
    return std::max(most_loaded_ns, longest_ns) + fixed_ns + work_ns(phase);
  }

  // When the parent's port is through with its child `index` of children [first, end), if their
  // messages take turns in windows.
  std::int64_t port_share_ns(const Phase& phase, std::size_t first, std::size_t index,
                             std::size_t end) const {
    const std::uint64_t own = wire_of(phase.transfers[index]);
    if (own == 0) return 0;  // not through that port
    const std::uint64_t turns = divide_up(own, window_);
    std::uint64_t before = 0;
    for (std::size_t i = first; i < end; ++i)
      before += std::min(wire_of(phase.transfers[i]), (i <= index ? turns : turns - 1) * window_);
    const auto& host = host_of(phase.transfers[index].from);
    return duration_ns(before, costs_.resources[host.out].ps_per_byte);
  }

  std::uint64_t wire_of(const Transfer& transfer) const {
    return costs_.by_network(transfer.from, transfer.to) ? costs_.on_wire(transfer.bytes) : 0;
  }

  std::int64_t down_ns(const Phase& phase) const {
    std::vector<std::int64_t> has_ns(ranks_, 0);
    std::int64_t last_ns = 0;
    for (std::size_t first = 0; first < phase.transfers.size();) {
      const Rank parent = phase.transfers[first].from;
      std::size_t end = first;
      while (end < phase.transfers.size() && phase.transfers[end].from == parent) ++end;
      const std::int64_t begin_ns = has_ns[static_cast<std::size_t>(parent)];
      for (std::size_t i = first; i < end; ++i) {
        const Transfer& transfer = phase.transfers[i];
        const Way alone = way(transfer);
        const std::int64_t through_ns =
            std::max(alone.moving_ns, port_share_ns(phase, first, i, end));
        const std::int64_t sends_before_ns =
            static_cast<std::int64_t>(i - first) * host_of(parent).send_overhead_ns;
        auto& child_ns = has_ns[static_cast<std::size_t>(transfer.to)];
        child_ns = begin_ns + std::max(through_ns, sends_before_ns) + alone.fixed_ns;
        last_ns = std::max(last_ns, child_ns);
      }
      first = end;
    }
    return last_ns;
  }

  std::int64_t up_ns(const Phase& phase) const {
    std::vector<std::int64_t> has_ns(ranks_, 0);
    std::vector<std::int64_t> port_free_ns(ranks_, 0);
    std::int64_t last_ns = 0;
    for (const Transfer& transfer : phase.transfers) {
      const Way alone = way(transfer);
      const auto parent = static_cast<std::size_t>(transfer.to);
      const std::int64_t own_ns = has_ns[static_cast<std::size_t>(transfer.from)];
      const std::int64_t port_ns =
          duration_ns(wire_of(transfer), costs_.resources[host_of(transfer.to).in].ps_per_byte);
      port_free_ns[parent] = std::max(own_ns + alone.moving_ns, port_free_ns[parent] + port_ns);
      has_ns[parent] =
          std::max(has_ns[parent], port_free_ns[parent] + alone.fixed_ns) + work_ns(phase);
      last_ns = std::max(last_ns, has_ns[parent]);
    }
    return last_ns;
  }

  // The first piece's way, then the rest of the pieces at the pace of the slowest place.
  std::int64_t chain_ns(const Phase& phase, std::int64_t most_loaded_ns) const {
    std::int64_t first_ns = 0;
    std::int64_t pace_ns = most_loaded_ns;
    for (const Transfer& transfer : phase.transfers) {
      const Way alone = way(transfer);
      first_ns += alone.moving_ns + alone.fixed_ns + work_ns(phase);
      const std::int64_t processor_ns = host_of(transfer.to).receive_overhead_ns +
                                        host_of(transfer.from).send_overhead_ns + work_ns(phase);
      pace_ns = std::max({pace_ns, alone.moving_ns, processor_ns});
    }
    return first_ns + static_cast<std::int64_t>(phase.times - 1) * pace_ns;
  }

  void load_everyone(const Phase::Exchange& exchange) {
    const std::uint64_t wire = exchange.pieces * costs_.on_wire(exchange.piece_bytes) +
                               (exchange.asks ? exchange.pieces * costs_.on_wire(0) : 0);
    const std::uint64_t needed =
        std::min(exchange.window * costs_.on_wire(exchange.piece_bytes), enough_) *
        exchange.partners;
    const RankPairs pairs(costs_);
    for (std::size_t i = 0; i < costs_.hosts.size(); ++i) {
      const auto& host = costs_.hosts[i];
      const std::uint64_t inside_bytes = exchange.pieces * exchange.piece_bytes;
      const std::uint64_t on_host = pairs.ranks_on(i);
      const std::uint64_t near = pairs.ranks_near(i);
      add(host.out, on_host * (ranks_ - near) * wire, 0);
      add(host.in, on_host * (ranks_ - near) * wire, on_host * needed);
      add(host.memory, on_host * (on_host - 1) * inside_bytes, 0);
      if (host.island == NetworkCosts::none) continue;
      add(host.island_out, on_host * (near - on_host) * inside_bytes, 0);
      add(host.island_in, on_host * (near - on_host) * inside_bytes, 0);
    }
    for (std::uint32_t from = 0; from < costs_.segments; ++from) {
      for (std::uint32_t to = 0; to < costs_.segments; ++to) {
        const std::uint64_t apart = pairs.by_network(from, to);
        for (const auto resource : costs_.resources_of(costs_.path(from, to)))
          add(resource, apart * wire, apart * needed / (ranks_ - 1));
      }
    }
  }

  void add(ResourceIndex resource, std::uint64_t bytes, std::uint64_t needed) {
    loads_[resource].bytes += bytes;
    loads_[resource].needed += needed;
    loads_[resource].several_hosts = true;
  }

  // From rank 0; its last rank where there is none.
  Rank last_by_network() const {
    Rank far = costs_.ranks() - 1;
    while (far > 0 && !costs_.by_network(0, far)) --far;
    return far > 0 ? far : costs_.ranks() - 1;
  }
  std::uint64_t partners_by_network() const {
    std::uint64_t partners = 0;
    for (Rank rank = 1; rank < costs_.ranks(); ++rank) partners += costs_.by_network(0, rank);
    return partners;
  }

  std::int64_t everyone_ns(const Phase& phase, std::int64_t most_loaded_ns) const {
    const Phase::Exchange& exchange = phase.exchange;
    const std::uint64_t in_a_row =
        exchange.turns > 0 ? exchange.turns : divide_up(ranks_ - 1, exchange.partners);
    const auto turns =
        static_cast<std::int64_t>(divide_up(in_a_row * exchange.pieces, exchange.window));
    // The way to the last rank by the network stands for all.
    const Rank far = last_by_network();
    const Transfer piece{0, far, exchange.piece_bytes};
    const Way alone = way(piece);
    const std::int64_t asking_ns = exchange.asks ? way({far, 0, 0}).fixed_ns : 0;
    const std::int64_t processor_ns =
        static_cast<std::int64_t>(partners_by_network() * exchange.pieces *
                                  (exchange.asks ? 2 : 1)) *
        (host_of(0).send_overhead_ns + host_of(0).receive_overhead_ns);
    const std::int64_t turns_ns =
        turns * (static_cast<std::int64_t>(exchange.window) * alone.moving_ns +
                 acknowledgement_wait_ns(piece, alone.wire) + alone.fixed_ns + asking_ns);
    return std::max({most_loaded_ns + alone.fixed_ns, processor_ns, turns_ns}) + work_ns(phase);
  }

  CostBreakdown breakdown() const {
    CostBreakdown result;
    result.retransmissions = {*std::max_element(lost_ns_.begin(), lost_ns_.end())};
    result.total = Nanoseconds{total_ns_} + result.retransmissions;
    result.set_busy(busy_ns_);
    return result;
  }

  const NetworkCosts& costs_;
  const std::size_t ranks_;
  const std::uint64_t window_;  // bytes
  const std::uint64_t enough_;  // bytes under way for a connection to repair a loss at once
  std::vector<std::int64_t> busy_ns_;
  std::vector<std::int64_t> lost_ns_;
  std::vector<Load> loads_;
  std::int64_t total_ns_ = 0;
};

}  // namespace

CostBreakdown cost_of_traffic(const Traffic& traffic, const NetworkCosts& costs) {
  return CostOfTraffic(costs).run(traffic);
}

}  // namespace quadrille
