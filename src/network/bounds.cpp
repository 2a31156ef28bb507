// SPDX-License-Identifier: BSD-3-Clause
// Bytes across cuts, and the slowest cut. The bandwidth terms for p ranks on p equal hosts are the
// textbook ones (E. Chan et al., Concurrency Computat. 19:1749, 2007, doi:10.1002/cpe.1206);
// allreduce's 2 (p-1)/p m is the sum of all sends over all links (P. Patarasuk and X. Yuan, J.
// Parallel Distrib. Comput. 69:117, 2009, doi:10.1016/j.jpdc.2008.09.002), which no single cut
// shows.
#include "network/bounds.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace quadrille {
namespace {

constexpr std::array<std::pair<std::string_view, BoundedOperation>, 10> kNames{{
    {"barrier", BoundedOperation::barrier},
    {"bcast", BoundedOperation::bcast},
    {"reduce", BoundedOperation::reduce},
    {"allreduce", BoundedOperation::allreduce},
    {"allgather", BoundedOperation::allgather},
    {"alltoall", BoundedOperation::alltoall},
    {"gather", BoundedOperation::gather},
    {"scatter", BoundedOperation::scatter},
    {"reduce_scatter_block", BoundedOperation::reduce_scatter_block},
    {"scan", BoundedOperation::scan},
}};

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

// Bytes that must leave `side`, whatever the algorithm.
std::uint64_t bytes_out(const BoundedCall& call, const Side& side) {
  const std::uint64_t m = call.bytes;
  if (side.inside == 0 || side.outside == 0) return 0;
  switch (call.operation) {
    case BoundedOperation::barrier:
      return 0;
    case BoundedOperation::bcast:
      return side.root_inside ? m : 0;
    case BoundedOperation::reduce:
      return side.root_inside ? 0 : m;
    case BoundedOperation::allreduce:
      return m;
    case BoundedOperation::allgather:
      return side.inside * m;
    case BoundedOperation::alltoall:
      return side.inside * side.outside * m;
    case BoundedOperation::gather:
      return side.root_inside ? 0 : side.inside * m;
    case BoundedOperation::scatter:
      return side.root_inside ? side.outside * m : 0;
    case BoundedOperation::reduce_scatter_block:
      return side.outside * m;
    case BoundedOperation::scan:
      return side.lower_inside ? m : 0;
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

// Bytes on a bus: what each member host has to send, plus what has to come in from outside, each
// counted once. Operations with one source (bcast, scatter) and one sink (gather) need every
// distinct byte once.
std::uint64_t bytes_on_bus(const BoundedCall& call, const NetworkRates& network,
                           std::uint32_t segment) {
  const auto ranks = ranks_on_hosts(call, network);
  std::vector<bool> members(network.hosts.size(), false);
  std::uint64_t sent = 0;
  for (std::uint32_t host = 0; host < network.hosts.size(); ++host) {
    if (network.hosts[host].segment != segment || ranks[host] == 0) continue;
    members[host] = true;
    std::vector<bool> alone(network.hosts.size(), false);
    alone[host] = true;
    sent += bytes_out(call, side_of(call, std::move(alone)));
  }
  const Side side = side_of(call, members);
  if (side.inside == 0) return 0;
  return sent + bytes_out(call, complement(call, side));
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

  void consider(std::uint64_t bytes, double bytes_per_second, const std::string& name) {
    if (bytes == 0 || bytes_per_second <= 0) return;
    const double time_ns = framing_.on_wire(bytes) / bytes_per_second * 1e9;
    if (time_ns <= slowest_.bandwidth_ns) return;
    slowest_.bandwidth_ns = time_ns;
    slowest_.bottleneck = name;
  }
  LowerBound slowest() const { return slowest_; }

 private:
  Framing framing_;
  LowerBound slowest_;
};

// Every allreduce moves 2 (hosts - 1) messages' worth of bytes, so all sending links together need
// that long.
void consider_all_links(const BoundedCall& call, const NetworkRates& network, SlowestCut& cuts) {
  if (call.operation != BoundedOperation::allreduce) return;
  const auto ranks = ranks_on_hosts(call, network);
  std::uint64_t used = 0;
  double out = 0;
  for (std::size_t host = 0; host < ranks.size(); ++host) {
    if (ranks[host] == 0) continue;
    if (network.hosts[host].out_bytes_per_second <= 0) return;
    if (network.segments[network.hosts[host].segment].bus_bytes_per_second > 0)
      return;  // multicast may do better
    ++used;
    out += network.hosts[host].out_bytes_per_second;
  }
  if (used > 1) cuts.consider(2 * (used - 1) * call.bytes, out, "all host links out");
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

}  // namespace

std::optional<BoundedOperation> bounded_operation_named(std::string_view name) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& row) { return row.first == name; });
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

double Framing::on_wire(std::uint64_t bytes) const {
  const std::uint64_t frames = (bytes + payload - 1) / payload;
  return static_cast<double>(bytes) + static_cast<double>(frames) * static_cast<double>(overhead);
}

LowerBound lower_bound(const BoundedCall& call, const NetworkRates& network, Framing framing) {
  SlowestCut cuts(framing);
  consider_hosts(call, network, cuts);
  consider_all_links(call, network, cuts);
  for (std::uint32_t segment = 0; segment < network.segments.size(); ++segment) {
    const auto& bus = network.segments[segment];
    if (bus.bus_bytes_per_second <= 0) continue;
    cuts.consider(bytes_on_bus(call, network, segment), bus.bus_bytes_per_second,
                  "bus " + bus.name);
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
  const auto ranks = ranks_on_hosts(call, network);
  const auto used = static_cast<std::uint64_t>(
      std::count_if(ranks.begin(), ranks.end(), [](auto n) { return n > 0; }));
  if (used > 1)
    bound.latency_ns = static_cast<double>(std::bit_width(used - 1)) * network.latency_ns;
  return bound;
}

}  // namespace quadrille
