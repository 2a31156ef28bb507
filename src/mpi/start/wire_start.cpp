// SPDX-License-Identifier: BSD-3-Clause
// Each step ends in an agreement, so that no rank goes on where another has stopped.
#include "mpi/start/wire_start.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "mpi/start/wire_limits.h"
#include "mpi/start/wire_networks.h"
#include "mpi/start/wire_reach.h"
#include "wire/channels.h"
#include "wire/links/open_link.h"
#include "wire/seal/keys.h"

namespace quadrille {
namespace {

using wire::ip_udp_bytes;

constexpr std::size_t usual_mtu = 1500;
// Of jumbo frames; what else interfaces take, like the loopback's 64 KiB, no switch does.
constexpr std::size_t longest_mtu = 9216;
// What every host has to take (RFC 791).
constexpr std::size_t smallest_mtu = 576;

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
    const auto networks = networks_of_hosts(job_, own_.place == 0);
    if (networks.empty()) return without("the hosts share no network with an address of each");
    if (!all_of(job_.ranks, wire::start_cryptography()))
      return without("libsodium or libaegis cannot start");
    const auto secret = agree_on_secret(settings_, job_.ranks);
    if (!secret) return without("QUADRILLE_JOB_SECRET is not 32 hexadecimal digits");
    WireStart wire;
    for (const auto& hosts : networks) {
      for (const std::size_t mtu : mtus_of(hosts)) {
        wire = open_on(hosts, mtu, *secret);
        if (wire.port) return wire;
      }
    }
    return wire;
  }

 private:
  // To be tried in turn: switches may take less than all interfaces do, and say nothing.
  static std::vector<std::size_t> mtus_of(const std::vector<HostAddress>& hosts) {
    const std::size_t least = std::ranges::min(hosts, {}, &HostAddress::mtu).mtu;
    if (least <= usual_mtu) return {least};
    return {std::min(least, longest_mtu), usual_mtu};
  }

  WireStart open_on(const std::vector<HostAddress>& hosts, std::size_t mtu,
                    const wire::Secret& secret) {
    if (mtu < smallest_mtu) return without("an interface takes less than 576 bytes");
    auto found = wire::open_link(wire::link_kind(settings_.wire).value_or(wire::LinkKind::udp),
                                 {.local = {hosts[host_].address, 0},
                                  .datagram_bytes = mtu - ip_udp_bytes,
                                  .alone = own_.ranks == 1,
                                  .paths = static_cast<std::uint32_t>(settings_.paths),
                                  .link_helper = settings_.link_helper});
    if (!all_of(job_.ranks, found.ok())) return without("a host's UDP socket cannot be opened");
    tell_of_fallback(found.value());
    auto link = std::move(found.value().link);
    auto streams = wire::StreamLink::open({hosts[host_].address, 0}, mtu - ip_udp_bytes);
    wire::PortAddress own{.datagrams = link->local(), .streams = {}};
    if (streams != nullptr) own.streams = streams->local();
    auto addresses = exchange_addresses(own);
    WireStart wire;
    const std::size_t held = link->receive_queue(mtu - ip_udp_bytes);
    wire.board = share_board(secret, hosts[host_].address);
    wire::PortSettings port;
    const WireLimits limits({job_.host_of_rank, job_.hosts, job_.model, job_.model_host}, mtu);
    port.endpoint = limits.of_endpoint(host_);
    port.endpoint.self = static_cast<wire::EndpointId>(rank_);
    port.endpoint.secret = secret_of_start(secret);
    port.endpoint.paths = link->paths();
    port.bulk = wire::bulk_path(settings_.bulk);
    port.addresses = std::move(addresses);
    port.board = wire.board != nullptr ? &wire.board->board() : nullptr;
    port.holder = wire.board != nullptr ? wire.board->holder() : 0;
    const std::uint32_t packets = limits.packets(host_);
    port.budget = budget_within(
        held, wire.board != nullptr ? packets : std::max<std::uint32_t>(1, packets / own_.ranks));
    port.most_budget = limits.most_packets(host_, held);
    port.group = draw_group();
    const std::size_t payload = port.endpoint.limits.payload;
    port.on_tcp_fallback = [rank = rank_](wire::EndpointId peer) {
      std::fprintf(stderr,
                   "quadrille: datagrams of rank %u do not reach rank %zu any more; TCP carries "
                   "what they exchange until some do\n",
                   peer, rank);
    };
    port.on_late = [rank = rank_](const wire::Endpoint::Late& late) {
      std::fprintf(
          stderr,
          "quadrille: rank %u misses much of what rank %zu sends by multicast, and answers "
          "late (up to %lld ms): one of their hosts gives it no processor; multicast goes "
          "on\n",
          late.peer, rank, static_cast<long long>(late.longest.value / 1'000'000));
    };
    port.on_uncut = [rank = rank_] {
      std::fprintf(stderr,
                   "quadrille: what rank %zu's interface is to cut into datagrams does not arrive; "
                   "they leave one by one for a while\n",
                   rank);
    };
    auto opened = wire::Port::open(std::move(link), std::move(streams), std::move(port));
    if (!all_of(job_.ranks, opened.ok())) return without("a rank has no descriptor or thread left");
    wire.port = std::move(opened.value());
    if (reaches_all_hosts(job_.ranks, *wire.port, partners(), payload)) {
      wire.port->release(wire::start_channel);
      if (wire.port->has_group()) find_multicast(wire);
      wire.port->use_streams();
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
    wire.multicast =
        reach_at_once(job_.ranks, *wire.port, all, self, wire::start_to_all_channel).front();
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
    const auto reached =
        reach_at_once(job_.ranks, *wire.port, groups, self, wire::start_to_segment_channel);
    wire.multicast_in_segment.assign(segments.back() + 1, false);
    for (std::size_t i = 0; i < segments.size(); ++i)
      wire.multicast_in_segment[segments[i]] = reached[i];
  }

  wire::Secret secret_of_start(const wire::Secret& job) const {
    wire::Secret drawn{};
    randombytes_buf(drawn.data(), drawn.size());
    PMPI_Bcast(drawn.data(), static_cast<int>(drawn.size()), MPI_BYTE, 0, job_.ranks);
    return wire::secret_of_start(job, drawn);
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

  // What is granted waits at the socket when no rank of the host gets a processor.
  std::uint32_t budget_within(std::size_t held, std::uint32_t wanted) const {
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
