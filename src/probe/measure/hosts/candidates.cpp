// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/hosts/candidates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "probe/measure/udp_socket.h"

namespace quadrille::probe {
namespace {

struct Subnet {
  std::uint32_t network = 0;
  std::uint32_t bits = 0;
  auto operator<=>(const Subnet&) const = default;
};

Subnet subnet_of(std::uint32_t address, std::uint32_t bits) {
  const std::uint32_t mask = bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits);
  return {address & mask, bits};
}

std::string name_of(Subnet subnet) {
  std::string name;
  for (int shift = 24; shift >= 0; shift -= 8) {
    name += std::to_string((subnet.network >> static_cast<unsigned>(shift)) & 0xFFU);
    name += shift > 0 ? '.' : '/';
  }
  return name + std::to_string(subnet.bits);
}

// One name, subnet or address of the wish.
bool matches(std::string_view wish, const Interface& interface) {
  if (wish == interface.name) return true;
  const auto slash = wish.find('/');
  const std::uint32_t wished = parse_address(std::string(wish.substr(0, slash)));
  if (wished == 0) return false;
  std::uint32_t bits = 32;
  if (slash != std::string_view::npos) {
    const char* const end = wish.data() + wish.size();
    const auto read = std::from_chars(wish.data() + slash + 1, end, bits);
    if (read.ec != std::errc{} || read.ptr != end || bits > 32) return false;
  }
  return subnet_of(wished, bits) == subnet_of(parse_address(interface.address), bits);
}

bool is_wanted(std::string_view wanted, const Interface& interface) {
  while (!wanted.empty()) {
    const auto comma = wanted.find(',');
    if (matches(wanted.substr(0, comma), interface)) return true;
    if (comma == std::string_view::npos) return false;
    wanted.remove_prefix(comma + 1);
  }
  return false;
}

struct Draft {
  CandidateNetwork candidate;
  std::size_t hosts = 0;
  std::size_t physical = 0;

  explicit Draft(std::string name, std::size_t all_hosts) {
    candidate.name = std::move(name);
    candidate.interface.resize(all_hosts);
    candidate.address.resize(all_hosts);
  }
  // The first interface of a host in a subnet counts, but a wanted one more.
  void take(std::size_t host, const Interface& interface, bool wanted) {
    const bool empty = candidate.address[host].empty();
    if (!empty && !(wanted && !candidate.preferred)) return;
    if (empty) ++hosts;
    if (empty && interface.physical) ++physical;
    candidate.interface[host] = interface.name;
    candidate.address[host] = interface.address;
    candidate.preferred = candidate.preferred || wanted;
  }
};

using Drafts = std::map<Subnet, Draft>;

// A bridge for containers has the same address everywhere: nobody reaches anybody on it.
bool ambiguous(const Draft& draft) {
  std::set<std::string> seen;
  return std::ranges::any_of(draft.candidate.address, [&](const std::string& address) {
    return !address.empty() && !seen.insert(address).second;
  });
}

Drafts subnets(const std::vector<HostFacts>& hosts, const std::string& wanted) {
  Drafts drafts;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    for (const Interface& interface : hosts[host].interfaces) {
      const std::uint32_t address = parse_address(interface.address);
      if (address == 0) continue;
      const Subnet subnet = subnet_of(address, interface.prefix_bits);
      Draft& draft = drafts.try_emplace(subnet, name_of(subnet), hosts.size()).first->second;
      draft.take(host, interface, is_wanted(wanted, interface));
    }
  }
  return drafts;
}

// The address by which routers are likeliest to reach a host: a wanted one, else one in the subnet
// that most hosts share, of those a physical one, of those the first.
Draft routed(const std::vector<HostFacts>& hosts, const std::string& wanted,
             const Drafts& subnets) {
  const auto sharers = [&](const Interface& interface) -> std::size_t {
    const Subnet subnet = subnet_of(parse_address(interface.address), interface.prefix_bits);
    const auto found = subnets.find(subnet);
    return found == subnets.end() || ambiguous(found->second) ? 0 : found->second.hosts;
  };
  Draft draft("routed", hosts.size());
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    const auto merit = [&](const Interface& interface) {
      return std::tuple(is_wanted(wanted, interface), sharers(interface), interface.physical);
    };
    const auto best = std::ranges::max_element(hosts[host].interfaces, {}, merit);
    if (best != hosts[host].interfaces.end() && parse_address(best->address) != 0) {
      draft.take(host, *best, is_wanted(wanted, *best));
    }
  }
  return draft;
}

}  // namespace

std::vector<CandidateNetwork> candidate_networks(const std::vector<HostFacts>& hosts,
                                                 const std::string& wanted) {
  const Drafts by_subnet = subnets(hosts, wanted);
  std::vector<Draft> drafts;
  for (const auto& [subnet, draft] : by_subnet) {
    if (draft.hosts >= 2) drafts.push_back(draft);
  }
  if (std::ranges::none_of(drafts, [&](const Draft& draft) {
        return draft.hosts == hosts.size() && !ambiguous(draft);
      })) {
    Draft by_routers = routed(hosts, wanted, by_subnet);
    if (by_routers.hosts >= 2) drafts.push_back(std::move(by_routers));
  }
  std::ranges::stable_sort(drafts, [](const Draft& a, const Draft& b) {
    return std::tuple(a.candidate.preferred, a.hosts, a.physical) >
           std::tuple(b.candidate.preferred, b.hosts, b.physical);
  });
  std::vector<CandidateNetwork> candidates;
  candidates.reserve(drafts.size());
  for (Draft& draft : drafts) candidates.push_back(std::move(draft.candidate));
  return candidates;
}

std::string wanted_by_mpi_settings() {
  // Open MPI's TCP transport; libfabric's tcp and sockets providers (MPICH, Intel MPI); UCX.
  constexpr std::array variables{"OMPI_MCA_btl_tcp_if_include", "FI_TCP_IFACE", "FI_SOCKETS_IFACE",
                                 "UCX_NET_DEVICES", "I_MPI_TCP_NETMASK"};
  std::string wanted;
  for (const char* variable : variables) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    if (!wanted.empty()) wanted += ',';
    wanted += value;
  }
  return wanted;
}

}  // namespace quadrille::probe
