// SPDX-License-Identifier: BSD-3-Clause
// Bytes across cuts, and the slowest cut. The bandwidth terms for p ranks on p equal hosts are the
// textbook ones (E. Chan et al., Concurrency Computat. 19:1749, 2007, doi:10.1002/cpe.1206);
// allreduce's 2 (p-1)/p m is the sum of all sends over all links (P. Patarasuk and X. Yuan, J.
// Parallel Distrib. Comput. 69:117, 2009, doi:10.1016/j.jpdc.2008.09.002), which no single cut
// shows.
#include "network/bounds.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace quadrille {
namespace {

// The ranks on one side of a cut; `holds` is indexed by host.
struct Side {
  std::vector<bool> holds;
  std::uint64_t inside = 0;   // ranks
  std::uint64_t outside = 0;  // ranks
  bool root_inside = false;
  bool lower_inside = false;   // some rank inside has a higher rank outside
  bool lower_outside = false;  // some rank outside has a higher rank inside
};

Side side_of(const BoundedCall& call, std::vector<bool> holds) {
  Side side;
  side.holds = std::move(holds);
  std::size_t lowest_in = call.host_of_rank.size(), highest_in = 0;
  std::size_t lowest_out = call.host_of_rank.size(), highest_out = 0;
  for (std::size_t rank = 0; rank < call.host_of_rank.size(); ++rank) {
    const bool in = side.holds[call.host_of_rank[rank]];
    ++(in ? side.inside : side.outside);
    auto& lowest = in ? lowest_in : lowest_out;
    lowest = std::min(lowest, rank);
    (in ? highest_in : highest_out) = rank;
  }
  side.root_inside = side.holds[call.host_of_rank[static_cast<std::size_t>(call.root)]];
  side.lower_inside = side.inside > 0 && side.outside > 0 && lowest_in < highest_out;
  side.lower_outside = side.inside > 0 && side.outside > 0 && lowest_out < highest_in;
  return side;
}

// Of the blocks that the ranks on one side send, or those on the other get.
std::uint64_t bytes_of_blocks(const BoundedCall& call, const Side& side, bool of_senders) {
  std::uint64_t bytes = 0;
  for (std::size_t rank = 0; rank < call.host_of_rank.size(); ++rank) {
    if (side.holds[call.host_of_rank[rank]] != of_senders) continue;
    const auto own = static_cast<Rank>(rank);
    bytes += of_senders ? call.block_bytes(own, call.root) : call.block_bytes(call.root, own);
  }
  return bytes;
}

std::uint64_t bytes_between(const BoundedCall& call, const Side& side) {
  std::uint64_t bytes = 0;
  for (std::size_t from = 0; from < call.host_of_rank.size(); ++from) {
    if (!side.holds[call.host_of_rank[from]]) continue;
    for (std::size_t to = 0; to < call.host_of_rank.size(); ++to) {
      if (side.holds[call.host_of_rank[to]]) continue;
      bytes += call.block_bytes(static_cast<Rank>(from), static_cast<Rank>(to));
    }
  }
  return bytes;
}

// Bytes that must leave `side`, whatever the algorithm.
std::uint64_t bytes_out(const BoundedCall& call, const Side& side) {
  const std::uint64_t m = call.bytes;
  if (side.inside == 0 || side.outside == 0) return 0;
  switch (call.collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
      return side.root_inside ? m : 0;
    case Collective::reduce:
      return side.root_inside ? 0 : m;
    case Collective::allreduce:
      return m;
    case Collective::allgather:
      return side.inside * m;
    case Collective::alltoall:
      return side.inside * side.outside * m;
    case Collective::gather:
      return side.root_inside ? 0 : side.inside * m;
    case Collective::scatter:
      return side.root_inside ? side.outside * m : 0;
    case Collective::reduce_scatter_block:
      return side.outside * m;
    case Collective::scan:
    case Collective::exscan:
      return side.lower_inside ? m : 0;
    case Collective::allgatherv:
      return bytes_of_blocks(call, side, true);
    case Collective::gatherv:
      return side.root_inside ? 0 : bytes_of_blocks(call, side, true);
    case Collective::scatterv:
      return side.root_inside ? bytes_of_blocks(call, side, false) : 0;
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return bytes_between(call, side);
    case Collective::reduce_scatter:
      return bytes_of_blocks(call, side, false);
  }
  return 0;
}

Side complement(const BoundedCall& call, const Side& side) {
  std::vector<bool> rest = side.holds;
  rest.flip();
  return side_of(call, std::move(rest));
}

std::vector<std::uint64_t> ranks_on_hosts(const BoundedCall& call, const NetworkRates& network) {
  std::vector<std::uint64_t> ranks(network.hosts.size(), 0);
  for (const auto host : call.host_of_rank) ++ranks[host];
  return ranks;
}

// Bytes on a bus. Each member host has to send its own, and those from outside have to come in:
// with multicast that is all, each byte once. Without, each member also takes copies of its own,
// and what leaves is none of these; and an allreduce moves 2 (n - 1) messages' worth among n hosts,
// of which everything outside counts as one.
std::uint64_t bytes_on_bus(const BoundedCall& call, const NetworkRates& network,
                           std::uint32_t segment, Delivery delivery) {
  const auto ranks = ranks_on_hosts(call, network);
  std::vector<bool> members(network.hosts.size(), false);
  std::uint64_t hosts = 0, sent = 0, taken = 0;
  for (std::uint32_t host = 0; host < network.hosts.size(); ++host) {
    if (network.hosts[host].segment != segment || ranks[host] == 0) continue;
    members[host] = true;
    ++hosts;
    std::vector<bool> alone(network.hosts.size(), false);
    alone[host] = true;
    const Side own = side_of(call, std::move(alone));
    sent += bytes_out(call, own);
    taken += bytes_out(call, complement(call, own));
  }
  const Side side = side_of(call, members);
  if (side.inside == 0) return 0;
  const std::uint64_t once = sent + bytes_out(call, complement(call, side));
  if (delivery == Delivery::multicast) return once;
  const std::uint64_t copies = taken + bytes_out(call, side);
  const std::uint64_t combined = call.collective == Collective::allreduce
                                     ? 2 * (hosts - (side.outside > 0 ? 0 : 1)) * call.bytes
                                     : 0;
  return std::max({once, copies, combined});
}

// Hosts (by index) on the first segment's side once `cut` is removed; nothing if another way joins
// the two.
std::optional<std::vector<bool>> hosts_behind(const NetworkRates& network, std::size_t cut) {
  std::vector<bool> reached(network.segments.size(), false);
  std::vector<std::uint32_t> open{network.trunks[cut].first};
  reached[open.front()] = true;
  while (!open.empty()) {
    const std::uint32_t segment = open.back();
    open.pop_back();
    for (std::size_t index = 0; index < network.trunks.size(); ++index) {
      const auto& trunk = network.trunks[index];
      if (index == cut || (trunk.first != segment && trunk.second != segment)) continue;
      const std::uint32_t next = trunk.first == segment ? trunk.second : trunk.first;
      if (!reached[next]) open.push_back(next);
      reached[next] = true;
    }
  }
  if (reached[network.trunks[cut].second]) return std::nullopt;
  std::vector<bool> hosts(network.hosts.size());
  for (std::size_t host = 0; host < hosts.size(); ++host)
    hosts[host] = reached[network.hosts[host].segment];
  return hosts;
}

class SlowestCut {
 public:
  explicit SlowestCut(Framing framing) : framing_(framing) {}

  void consider(std::uint64_t bytes, double bytes_per_second, const std::string& name,
                bool with_multicast = true) {
    if (bytes == 0 || bytes_per_second <= 0) return;
    const double time_ns = static_cast<double>(framing_.on_wire(bytes)) / bytes_per_second * 1e9;
    if (time_ns <= slowest_.bandwidth_ns) return;
    slowest_.bandwidth_ns = time_ns;
    slowest_.bottleneck = name;
    slowest_.with_multicast = with_multicast;
  }
  LowerBound slowest() const { return slowest_; }

 private:
  Framing framing_;
  LowerBound slowest_;
};

// Every allreduce moves 2 (hosts - 1) messages' worth of bytes, so all sending links together need
// that long.
void consider_all_links(const BoundedCall& call, const NetworkRates& network, SlowestCut& cuts) {
  if (call.collective != Collective::allreduce) return;
  const auto ranks = ranks_on_hosts(call, network);
  std::uint64_t used = 0;
  double out = 0;
  for (std::size_t host = 0; host < ranks.size(); ++host) {
    if (ranks[host] == 0) continue;
    if (network.hosts[host].out_bytes_per_second <= 0) return;
    if (network.segments[network.hosts[host].segment].bus_bytes_per_second > 0)
      return;  // its members have no link of their own
    ++used;
    out += network.hosts[host].out_bytes_per_second;
  }
  if (used > 1) cuts.consider(2 * (used - 1) * call.bytes, out, "all host links out", false);
}

void consider_hosts(const BoundedCall& call, const NetworkRates& network, SlowestCut& cuts) {
  const auto ranks = ranks_on_hosts(call, network);
  for (std::size_t host = 0; host < network.hosts.size(); ++host) {
    if (ranks[host] == 0) continue;
    std::vector<bool> alone(network.hosts.size(), false);
    alone[host] = true;
    const Side side = side_of(call, std::move(alone));
    const auto& link = network.hosts[host];
    cuts.consider(bytes_out(call, side), link.out_bytes_per_second, "host " + link.name + " out");
    cuts.consider(bytes_out(call, complement(call, side)), link.in_bytes_per_second,
                  "host " + link.name + " in");
  }
}

// Messages in a row until all hosts have heard: one that knows tells one other at a time, an
// island as many as it has hosts, and the largest come first.
int rounds_to_all(const NetworkRates& network, const std::vector<std::uint64_t>& ranks) {
  std::vector<std::uint64_t> tell;  // at a time, by those that have ranks
  for (std::size_t host = 0; host < ranks.size(); ++host) {
    if (ranks[host] == 0) continue;
    const std::uint64_t hosts = std::max<std::uint64_t>(1, network.hosts[host].members.size());
    tell.push_back(std::min(hosts, ranks[host]));
  }
  std::ranges::sort(tell, std::greater<>());
  int rounds = 0;
  std::uint64_t telling = tell.empty() ? 0 : tell.front();
  for (std::size_t know = 1; know < tell.size(); ++rounds) {
    const std::size_t end = std::min<std::size_t>(tell.size(), know + telling);
    for (; know < end; ++know) telling += tell[know];
  }
  return rounds;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> host_indices(const NetworkRates& network,
                                                       const std::vector<std::string>& names) {
  std::vector<std::uint32_t> indices;
  indices.reserve(names.size());
  for (const std::string& name : names) {
    const auto found = std::ranges::find_if(network.hosts, [&](const NetworkRates::Host& host) {
      return host.name == name || std::ranges::find(host.members, name) != host.members.end();
    });
    if (found == network.hosts.end()) return std::nullopt;
    indices.push_back(static_cast<std::uint32_t>(found - network.hosts.begin()));
  }
  return indices;
}

LowerBound lower_bound(const BoundedCall& call, const NetworkRates& network, Framing framing,
                       Delivery delivery) {
  SlowestCut cuts(framing);
  consider_hosts(call, network, cuts);
  consider_all_links(call, network, cuts);
  for (std::uint32_t segment = 0; segment < network.segments.size(); ++segment) {
    const auto& bus = network.segments[segment];
    if (bus.bus_bytes_per_second <= 0) continue;
    cuts.consider(bytes_on_bus(call, network, segment, delivery), bus.bus_bytes_per_second,
                  "bus " + bus.name, delivery == Delivery::multicast);
  }
  for (std::size_t index = 0; index < network.trunks.size(); ++index) {
    const auto hosts = hosts_behind(network, index);
    if (!hosts) continue;
    const auto& trunk = network.trunks[index];
    const Side side = side_of(call, *hosts);
    cuts.consider(bytes_out(call, side), trunk.forward_bytes_per_second, "trunk " + trunk.name);
    cuts.consider(bytes_out(call, complement(call, side)), trunk.backward_bytes_per_second,
                  "trunk " + trunk.name);
  }
  LowerBound bound = cuts.slowest();
  bound.latency_ns = rounds_to_all(network, ranks_on_hosts(call, network)) * network.latency_ns;
  if (bound.latency_ns > bound.bandwidth_ns) bound.with_multicast = false;
  return bound;
}

}  // namespace quadrille
