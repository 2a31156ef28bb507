// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/wire_networks.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "probe/measure/hosts/candidates.h"
#include "probe/measure/hosts/interfaces.h"
#include "probe/measure/udp_socket.h"

namespace quadrille {
namespace {

// Each that is tried in vain costs a job's start a second.
constexpr std::size_t most_networks = 3;

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
  return HostAddress{}.mtu;
}

// A bridge of containers has one address on every host.
bool are_usable(const std::vector<std::string>& addresses, std::uint32_t hosts) {
  std::set<std::uint32_t> different;
  for (const std::string& address : addresses) different.insert(probe::parse_address(address));
  return addresses.size() == hosts && different.size() == hosts && !different.contains(0);
}

}  // namespace

std::vector<std::vector<HostAddress>> networks_of_hosts(const WireRanks& job,
                                                        bool speaks_for_host) {
  const std::vector<probe::HostFacts> facts = facts_of_hosts(job, speaks_for_host);
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

}  // namespace quadrille
