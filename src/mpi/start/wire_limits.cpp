// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/wire_limits.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "wire/budget/credit_budget.h"
#include "wire/links/link.h"

namespace quadrille {
namespace {

using wire::ethernet_bytes;
using wire::ip_udp_bytes;

constexpr double assumed_burst_bytes = 32 * 1024;
// Where it takes jumbo frames it holds some of them.
constexpr double assumed_burst_frames = 8;
constexpr double assumed_rate_bit_s = 10e6;
// Three quarters of what a port holds.
constexpr double usable_part = 0.75;
// A buffer that never overflowed still delays everybody behind it.
constexpr double longest_queue_packets = 256;
// A packet arriving and one on its way.
constexpr double least_packets = 2;
// However small its share of a trunk: a few packets from many, and what the link carries in a round
// trip by the kernel's sockets.
constexpr double least_of_trunk_packets = 16;
constexpr double round_trip_s = 35e-6;
// What a sender to a group may be ahead is to hide a round trip.
constexpr double most_group_ahead = 8;

}  // namespace

WireLimits::Port WireLimits::port_of(std::uint32_t host) const {
  Port port{least_burst_bytes(), assumed_rate_bit_s};
  if (job_.model == nullptr) return port;
  const ModelHost& known = job_.model->hosts[job_.model_host[host]];
  if (known.to_host_bit_s) port.rate_bit_s = known.to_host_bit_s->value;
  for (const Segment& segment : job_.model->segments) {
    if (segment.name != known.segment) continue;
    if (segment.bus_rate_bit_s) port.rate_bit_s = segment.bus_rate_bit_s->value;
    if (segment.safe_burst_all_ports_bytes) {
      port.burst_bytes = segment.safe_burst_all_ports_bytes->value;
    } else if (segment.safe_burst_bytes) {
      port.burst_bytes = segment.safe_burst_bytes->value;
    }
    port.lossless = segment.lossless.value_or(false);
  }
  return port;
}

std::optional<double> WireLimits::trunk_share_bytes(std::uint32_t host) const {
  if (job_.model == nullptr) return std::nullopt;
  const std::vector<ModelHost>& known = job_.model->hosts;
  const std::string& segment = known[job_.model_host[host]].segment;
  double hosts = 0;
  double together_bit_s = 0;
  for (const std::uint32_t index : job_.model_host) {
    if (known[index].segment != segment) continue;
    ++hosts;
    together_bit_s += known[index].to_host_bit_s ? known[index].to_host_bit_s->value : 0;
  }
  std::optional<double> least;
  const auto look = [&](const MaybeMeasured& bit_s, const MaybeMeasured& buffer_bytes) {
    if (!bit_s || !buffer_bytes || bit_s->value >= together_bit_s) return;
    const double share = buffer_bytes->value / hosts;
    least = least ? std::min(*least, share) : share;
  };
  for (const Trunk& trunk : job_.model->trunks) {
    if (trunk.first != segment && trunk.second != segment) continue;
    look(trunk.forward_bit_s, trunk.forward_buffer_bytes);
    look(trunk.backward_bit_s, trunk.backward_buffer_bytes);
  }
  return least;
}

std::uint32_t WireLimits::most_packets(std::uint32_t host, std::size_t datagrams_kept) const {
  const std::uint32_t most = wire::CreditBudget::most_with(datagrams_kept);
  return trunk_share_bytes(host) ? std::min(most, packets(host)) : most;
}

std::uint32_t WireLimits::packets(std::uint32_t host) const {
  const Port port = port_of(host);
  const double packet_bytes = static_cast<double>(mtu_ + ethernet_bytes);
  double held = port.burst_bytes * usable_part / packet_bytes;
  if (const auto share = trunk_share_bytes(host)) {
    const double least =
        std::max(least_of_trunk_packets, port.rate_bit_s / 8 * round_trip_s / packet_bytes);
    held = std::min(held, std::max(*share * usable_part / packet_bytes, least));
  }
  return static_cast<std::uint32_t>(port.lossless
                                        ? longest_queue_packets
                                        : std::clamp(held, least_packets, longest_queue_packets));
}

wire::EndpointSettings WireLimits::of_endpoint(std::uint32_t host) const {
  const Port port = port_of(host);
  wire::EndpointSettings settings;
  settings.peers = static_cast<std::uint32_t>(job_.host_of_rank.size());
  settings.limits.payload = mtu_ - ip_udp_bytes - wire::overhead_bytes;
  settings.limits.unscheduled = unscheduled_bytes();
  settings.tells_of_failure = true;
  // Those of two communicators at least.
  settings.most_idle_flows = std::max(settings.most_idle_flows, 2 * std::size_t{settings.peers});
  settings.limits.group_ahead = static_cast<std::uint32_t>(
      std::clamp(smallest_burst_bytes() / 4 / static_cast<double>(mtu_ + ethernet_bytes), 1.0,
                 most_group_ahead));
  settings.window = std::min(settings.window, packets(host));
  const double twice_buffer_s = 2 * port.burst_bytes * 8 / port.rate_bit_s;
  settings.times.first = std::clamp(Nanoseconds{std::llround(twice_buffer_s * 1e9)},
                                    settings.times.shortest, settings.times.first);
  return settings;
}

double WireLimits::least_burst_bytes() const {
  return std::max(assumed_burst_bytes,
                  assumed_burst_frames * static_cast<double>(mtu_ + ethernet_bytes));
}

double WireLimits::smallest_burst_bytes() const {
  double smallest = least_burst_bytes();
  for (std::uint32_t host = 0; host < job_.hosts; ++host)
    smallest = std::min(smallest, port_of(host).burst_bytes);
  return smallest;
}

// A quarter of what the smallest port holds, for all ranks of other hosts and all own ones; the
// same on all ranks, since it is a bound on both ends.
std::size_t WireLimits::unscheduled_bytes() const {
  std::vector<std::uint32_t> ranks(job_.hosts, 0);
  for (const std::uint32_t host : job_.host_of_rank) ++ranks[host];
  const auto senders = static_cast<double>(job_.host_of_rank.size());
  const double receivers = *std::ranges::max_element(ranks);
  const double each = smallest_burst_bytes() / 4 / (senders * receivers);
  constexpr double framing = ethernet_bytes + ip_udp_bytes + wire::overhead_bytes;
  return each > framing ? static_cast<std::size_t>(each - framing) : 0;
}

}  // namespace quadrille
