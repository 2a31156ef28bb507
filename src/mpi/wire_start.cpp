// SPDX-License-Identifier: BSD-3-Clause
// Each step ends in an agreement, so that no rank goes on where another has stopped.
#include "mpi/wire_start.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "mpi/wire_reach.h"
#include "probe/measure/candidates.h"
#include "probe/measure/interfaces.h"
#include "probe/measure/udp_socket.h"
#include "wire/authentication.h"
#include "wire/links/open_link.h"

namespace quadrille {
namespace {

using wire::ethernet_bytes;
using wire::ip_udp_bytes;

constexpr std::size_t usual_mtu = 1500;
// What every host has to take (RFC 791).
constexpr std::size_t smallest_mtu = 576;
// What small switches hold for a port, where no model tells.
constexpr double assumed_burst_bytes = 32 * 1024;
constexpr double assumed_rate_bit_s = 10e6;
// A buffer that never overflowed still delays everybody behind it.
constexpr std::uint32_t most_packets = 256;
// What a sender to a group may be ahead is to hide a round trip.
constexpr std::uint32_t most_group_ahead = 8;

// Each that is tried in vain costs a job's start a second.
constexpr std::size_t most_networks = 3;

// A host's address on the job's network, and the largest datagram there.
struct HostAddress {
  std::uint32_t address = 0;  // 0: none
  std::size_t mtu = usual_mtu;
};

// The facts of each host's lowest rank.
std::vector<probe::HostFacts> facts_of_hosts(const WireRanks& job, bool speaks_for_host) {
  const std::string own = speaks_for_host ? encode(probe::own_facts()) : std::string();
  int length = static_cast<int>(own.size());
  std::vector<int> lengths(job.host_of_rank.size());
  PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, job.ranks);
  std::vector<int> offsets(lengths.size());
  int total = 0;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    offsets[rank] = total;
    total += lengths[rank];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  PMPI_Allgatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                  MPI_CHAR, job.ranks);
  std::vector<probe::HostFacts> facts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    if (lengths[rank] == 0) continue;
    const auto decoded = probe::decode_facts(std::string_view(all).substr(
        static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
    facts.push_back(decoded.ok() ? decoded.value() : probe::HostFacts{});
  }
  return facts;
}

// What the MPI library's settings name there: not all launchers pass them on.
std::string wanted_on_rank_0(MPI_Comm ranks) {
  std::string wanted = probe::wanted_by_mpi_settings();
  auto length = static_cast<std::uint64_t>(wanted.size());
  PMPI_Bcast(&length, 1, MPI_UINT64_T, 0, ranks);
  wanted.resize(length);
  PMPI_Bcast(wanted.data(), static_cast<int>(length), MPI_CHAR, 0, ranks);
  return wanted;
}

std::size_t mtu_of(const probe::HostFacts& facts, const std::string& address) {
  for (const probe::Interface& interface : facts.interfaces) {
    if (interface.address == address && interface.mtu_bytes > 0) return interface.mtu_bytes;
  }
  return usual_mtu;
}

// A bridge of containers has one address on every host.
bool are_usable(const std::vector<std::string>& addresses, std::uint32_t hosts) {
  std::set<std::uint32_t> different;
  for (const std::string& address : addresses) different.insert(probe::parse_address(address));
  return addresses.size() == hosts && different.size() == hosts && !different.contains(0);
}

// Networks to try in turn, the addresses of [hosts] in each: the one that the model names, then
// those that all hosts are on, the best first. That all have an address there does not say that
// they reach each other: bridges of virtual machines have different ones on each.
std::vector<std::vector<HostAddress>> networks_of_hosts(
    const WireRanks& job, const std::vector<probe::HostFacts>& facts) {
  const std::string wanted = wanted_on_rank_0(job.ranks);
  std::vector<std::vector<std::string>> usable;
  const auto also = [&](const std::vector<std::string>& addresses) {
    if (usable.size() < most_networks && are_usable(addresses, job.hosts) &&
        std::ranges::find(usable, addresses) == usable.end())
      usable.push_back(addresses);
  };
  if (job.model != nullptr) {
    std::vector<std::string> named;
    for (const std::uint32_t host : job.model_host) named.push_back(job.model->hosts[host].address);
    also(named);
  }
  for (const auto& network : probe::candidate_networks(facts, wanted)) also(network.address);
  std::vector<std::vector<HostAddress>> networks;
  for (const auto& addresses : usable) {
    auto& hosts = networks.emplace_back();
    for (std::size_t host = 0; host < addresses.size(); ++host)
      hosts.push_back(
          {probe::parse_address(addresses[host]), mtu_of(facts[host], addresses[host])});
  }
  return networks;
}

// What a port of this host holds and how fast it is, as far as the model knows.
struct PortLimits {
  double burst_bytes = assumed_burst_bytes;
  double rate_bit_s = assumed_rate_bit_s;
  bool lossless = false;
};

PortLimits limits_of(const WireRanks& job, std::uint32_t host) {
  PortLimits limits;
  if (job.model == nullptr) return limits;
  const ModelHost& known = job.model->hosts[job.model_host[host]];
  if (known.to_host_bit_s) limits.rate_bit_s = known.to_host_bit_s->value;
  for (const Segment& segment : job.model->segments) {
    if (segment.name != known.segment) continue;
    if (segment.bus_rate_bit_s) limits.rate_bit_s = segment.bus_rate_bit_s->value;
    if (segment.safe_burst_all_ports_bytes) {
      limits.burst_bytes = segment.safe_burst_all_ports_bytes->value;
    } else if (segment.safe_burst_bytes) {
      limits.burst_bytes = segment.safe_burst_bytes->value;
    }
    limits.lossless = segment.lossless.value_or(false);
  }
  return limits;
}

bool all_of(MPI_Comm ranks, bool own) {
  int mine = own ? 1 : 0;
  int all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, ranks);
  return all != 0;
}

// The launcher's, or one that rank 0 draws and the MPI library carries.
std::optional<wire::Secret> agree_on_secret(const Settings& settings, MPI_Comm ranks) {
  wire::Secret secret{};
  std::size_t length = 0;
  auto* bytes = reinterpret_cast<unsigned char*>(secret.data());
  const bool given = !settings.job_secret.empty();
  const bool usable =
      !given || (sodium_hex2bin(bytes, secret.size(), settings.job_secret.data(),
                                settings.job_secret.size(), nullptr, &length, nullptr) == 0 &&
                 length == secret.size());
  if (!all_of(ranks, usable)) return std::nullopt;
  if (all_of(ranks, given)) return secret;
  randombytes_buf(bytes, secret.size());
  PMPI_Bcast(bytes, static_cast<int>(secret.size()), MPI_BYTE, 0, ranks);
  return secret;
}

// A rank's numbers within its host.
struct PlaceOnHost {
  std::size_t place = 0;
  std::uint32_t ranks = 1;
};

class Opening {
 public:
  Opening(const Settings& settings, const WireRanks& job) : settings_(settings), job_(job) {
    int rank = 0;
    PMPI_Comm_rank(job.ranks, &rank);
    rank_ = static_cast<std::size_t>(rank);
    host_ = job.host_of_rank[rank_];
    own_.ranks = 0;
    for (std::size_t other = 0; other < job.host_of_rank.size(); ++other) {
      if (job.host_of_rank[other] != host_) continue;
      if (other < rank_) ++own_.place;
      ++own_.ranks;
    }
  }

  WireStart run() {
    const auto networks = networks_of_hosts(job_, facts_of_hosts(job_, own_.place == 0));
    if (networks.empty()) return without("the hosts share no network with an address of each");
    if (!all_of(job_.ranks, wire::start_authentication())) return without("libsodium cannot start");
    const auto secret = agree_on_secret(settings_, job_.ranks);
    if (!secret) return without("QUADRILLE_JOB_SECRET is not 32 hexadecimal digits");
    WireStart wire;
    for (const auto& hosts : networks) {
      wire = open_on(hosts, *secret);
      if (wire.port) break;
    }
    return wire;
  }

 private:
  WireStart open_on(const std::vector<HostAddress>& hosts, const wire::Secret& secret) {
    std::size_t mtu = usual_mtu;
    for (const HostAddress& host : hosts) mtu = std::min(mtu, host.mtu);
    if (mtu < smallest_mtu) return without("an interface takes less than 576 bytes");
    auto found = wire::open_link(wire::link_kind(settings_.wire).value_or(wire::LinkKind::udp),
                                 {.local = {hosts[host_].address, 0},
                                  .datagram_bytes = mtu - ip_udp_bytes,
                                  .alone = own_.ranks == 1,
                                  .link_helper = settings_.link_helper});
    if (!all_of(job_.ranks, found.ok())) return without("a host's UDP socket cannot be opened");
    tell_of_fallback(found.value());
    auto link = std::move(found.value().link);
    auto streams = wire::StreamLink::open({hosts[host_].address, 0}, mtu - ip_udp_bytes);
    wire::PortAddress own{.datagrams = link->local(), .streams = {}};
    if (streams != nullptr) own.streams = streams->local();
    auto addresses = exchange_addresses(own);
    WireStart wire;
    const std::size_t held = link->receive_queue();
    wire.board = share_board(secret, hosts[host_].address);
    wire::PortSettings port;
    port.endpoint = settings_for(secret, mtu);
    port.addresses = std::move(addresses);
    port.board = wire.board != nullptr ? &wire.board->board() : nullptr;
    port.holder = wire.board != nullptr ? wire.board->holder() : 0;
    port.budget = budget_within(held, wire.board != nullptr, mtu);
    port.group = draw_group();
    const std::size_t payload = port.endpoint.limits.payload;
    port.on_detour = [rank = rank_](wire::EndpointId peer) {
      std::fprintf(stderr,
                   "quadrille: datagrams of rank %u do not reach rank %zu any more; TCP carries "
                   "what they exchange until some do\n",
                   peer, rank);
    };
    auto opened = wire::Port::open(std::move(link), std::move(streams), std::move(port));
    if (!all_of(job_.ranks, opened.ok())) return without("a rank has no descriptor or thread left");
    wire.port = std::move(opened.value());
    if (all_of(job_.ranks, reaches_all_hosts(job_.ranks, *wire.port, partners(), payload))) {
      if (wire.port->has_group()) find_multicast(wire);
      wire.port->use_detours();
      return wire;
    }
    // Others may still ask for what was the last of it to arrive.
    PMPI_Barrier(job_.ranks);
    wire.port.reset();
    return without("datagrams do not reach every host from every other");
  }

  // Once a job: the first rank that did not get the link that was wanted says why.
  void tell_of_fallback(const wire::OpenedLink& opened) const {
    const int own = opened.why_not.empty() ? 0 : 1;
    std::array<int, 2> ranks{own,
                             own == 0 ? std::numeric_limits<int>::max() : static_cast<int>(rank_)};
    std::array<int, 2> all{};
    PMPI_Allreduce(ranks.data(), all.data(), 1, MPI_INT, MPI_SUM, job_.ranks);
    PMPI_Allreduce(&ranks[1], &all[1], 1, MPI_INT, MPI_MIN, job_.ranks);
    if (own == 0 || all[1] != static_cast<int>(rank_)) return;
    std::fprintf(stderr,
                 "quadrille: %d of %zu ranks use another link than QUADRILLE_WIRE=%s (rank %zu "
                 "uses %s: %s)\n",
                 all[0], job_.host_of_rank.size(), settings_.wire.c_str(), rank_,
                 opened.link->name(), opened.why_not.c_str());
  }

  static WireStart without(const char* problem) {
    WireStart wire;
    wire.problem = problem;
    return wire;
  }

  void find_multicast(WireStart& wire) const {
    const auto self = static_cast<wire::EndpointId>(rank_);
    const std::vector<std::vector<wire::EndpointId>> all{first_ranks()};
    wire.multicast = reach_at_once(job_.ranks, *wire.port, all, self, all_hosts_channel).front();
    if (wire.multicast) return;
    // Of few hosts each may as well be sent a message.
    std::map<std::uint32_t, std::vector<wire::EndpointId>> members;
    for (const wire::EndpointId rank : all.front())
      members[job_.segment_of_rank[rank]].push_back(rank);
    if (members.size() < 2) return;
    std::vector<std::uint32_t> segments;
    std::vector<std::vector<wire::EndpointId>> groups;
    for (auto& [segment, ranks] : members) {
      if (ranks.size() < 3) continue;
      segments.push_back(segment);
      groups.push_back(std::move(ranks));
    }
    if (groups.empty()) return;
    const auto reached = reach_at_once(job_.ranks, *wire.port, groups, self, segments_channel);
    wire.multicast_in_segment.assign(segments.back() + 1, false);
    for (std::size_t i = 0; i < segments.size(); ++i)
      wire.multicast_in_segment[segments[i]] = reached[i];
  }

  // Null where not all ranks of the host have found the same one.
  std::unique_ptr<wire::HostBoard> share_board(const wire::Secret& secret,
                                               std::uint32_t address) const {
    auto board = wire::HostBoard::join(secret, address);
    MPI_Comm on_host = MPI_COMM_NULL;
    PMPI_Comm_split(job_.ranks, static_cast<int>(host_), static_cast<int>(rank_), &on_host);
    const std::uint64_t own = board ? board->identity() : 0;
    std::array<std::uint64_t, 2> bounds{own, ~own};
    PMPI_Allreduce(MPI_IN_PLACE, bounds.data(), 2, MPI_UINT64_T, MPI_MIN, on_host);
    PMPI_Comm_free(&on_host);
    const bool is_shared = bounds[0] != 0 && bounds[0] == ~bounds[1];
    return is_shared ? std::move(board) : nullptr;
  }

  std::vector<wire::PortAddress> exchange_addresses(wire::PortAddress own) const {
    std::vector<wire::PortAddress> all(job_.host_of_rank.size());
    PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, job_.ranks);
    return all;
  }

  wire::EndpointSettings settings_for(const wire::Secret& secret, std::size_t mtu) const {
    const PortLimits port = limits_of(job_, host_);
    wire::EndpointSettings settings;
    settings.self = static_cast<wire::EndpointId>(rank_);
    settings.peers = static_cast<std::uint32_t>(job_.host_of_rank.size());
    settings.secret = secret;
    settings.limits.payload = mtu - ip_udp_bytes - wire::overhead_bytes;
    settings.limits.unasked = unasked_bytes();
    settings.limits.group_ahead = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(smallest_burst_bytes() / 4 /
                                   static_cast<double>(mtu + ethernet_bytes)),
        1, most_group_ahead);
    settings.window = std::min(settings.window, packets(port, mtu));
    const double twice_buffer_s = 2 * port.burst_bytes * 8 / port.rate_bit_s;
    settings.times.first = std::clamp(Nanoseconds{std::llround(twice_buffer_s * 1e9)},
                                      settings.times.shortest, settings.times.first);
    return settings;
  }

  double smallest_burst_bytes() const {
    double smallest = assumed_burst_bytes;
    for (std::uint32_t host = 0; host < job_.hosts; ++host)
      smallest = std::min(smallest, limits_of(job_, host).burst_bytes);
    return smallest;
  }

  // A quarter of what the smallest port holds, for all ranks of other hosts and all own ones; the
  // same on all ranks, since it is a bound on both ends.
  std::size_t unasked_bytes() const {
    std::vector<std::uint32_t> ranks(job_.hosts, 0);
    for (const std::uint32_t host : job_.host_of_rank) ++ranks[host];
    const auto senders = static_cast<double>(job_.host_of_rank.size());
    const double receivers = *std::ranges::max_element(ranks);
    const double each = smallest_burst_bytes() / 4 / (senders * receivers);
    constexpr double framing = ethernet_bytes + ip_udp_bytes + wire::overhead_bytes;
    return each > framing ? static_cast<std::size_t>(each - framing) : 0;
  }

  // Three quarters of what the port holds.
  static std::uint32_t packets(const PortLimits& port, std::size_t mtu) {
    if (port.lossless) return most_packets;
    const double packet = static_cast<double>(mtu + ethernet_bytes);
    return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(port.burst_bytes * 0.75 / packet),
                                     2, most_packets);
  }

  std::uint32_t budget(bool is_shared, std::size_t mtu) const {
    const std::uint32_t all = packets(limits_of(job_, host_), mtu);
    return is_shared ? all : std::max<std::uint32_t>(1, all / own_.ranks);
  }

  // What is granted waits at the socket when no rank of the host gets a processor.
  std::uint32_t budget_within(std::size_t held, bool is_shared, std::size_t mtu) const {
    const std::uint32_t wanted = budget(is_shared, mtu);
    const bool is_cut = held < wanted;
    const int rank = static_cast<int>(rank_);
    const int own = is_cut ? rank : std::numeric_limits<int>::max();
    int first = own;
    PMPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, job_.ranks);
    if (is_cut && first == rank) {
      std::fprintf(stderr,
                   "quadrille: the system keeps %zu datagrams for a socket on rank %d's host, "
                   "fewer than the network holds (%u): exchanges may be slower; raise "
                   "net.core.rmem_max to 4194304\n",
                   held, rank, wanted);
    }
    return std::max<std::uint32_t>(
        1, std::min<std::uint32_t>(wanted, static_cast<std::uint32_t>(held)));
  }

  // The ranks of this one's place on every other host.
  std::vector<wire::EndpointId> partners() const {
    std::map<std::uint32_t, std::size_t> seen;
    std::vector<wire::EndpointId> partners;
    for (std::size_t rank = 0; rank < job_.host_of_rank.size(); ++rank) {
      const std::uint32_t host = job_.host_of_rank[rank];
      if (seen[host]++ == own_.place && host != host_)
        partners.push_back(static_cast<wire::EndpointId>(rank));
    }
    return partners;
  }

  std::vector<wire::EndpointId> first_ranks() const {
    std::set<std::uint32_t> seen;
    std::vector<wire::EndpointId> ranks;
    for (std::size_t rank = 0; rank < job_.host_of_rank.size(); ++rank) {
      if (seen.insert(job_.host_of_rank[rank]).second)
        ranks.push_back(static_cast<wire::EndpointId>(rank));
    }
    return ranks;
  }

  // 239.192.0.0/14 is for use within an organisation (RFC 2365). Ports below those that Linux gives
  // to anybody who asks for any. Another job's packets there have another key.
  std::optional<wire::NetworkAddress> draw_group() const {
    if (settings_.multicast == "off" || job_.hosts < 3) return std::nullopt;
    std::array<std::uint32_t, 2> drawn{randombytes_uniform(1U << 18U), randombytes_uniform(20'000)};
    PMPI_Bcast(drawn.data(), 2, MPI_UINT32_T, 0, job_.ranks);
    return wire::NetworkAddress{0xEFC00000U | drawn[0],
                                static_cast<std::uint16_t>(10'000 + drawn[1])};
  }

  const Settings& settings_;
  const WireRanks& job_;
  std::size_t rank_ = 0;
  std::uint32_t host_ = 0;
  PlaceOnHost own_;
};

}  // namespace

WireStart open_wire(const Settings& settings, const WireRanks& job) {
  if (settings.wire == "off" || job.hosts < 2) return {};
  return Opening(settings, job).run();
}

}  // namespace quadrille
