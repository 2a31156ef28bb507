// SPDX-License-Identifier: BSD-3-Clause
// Refuses, tries, compares: in this order, each candidate as far as it gets.
#include "probe/reach/choose_network.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "probe/reach/network_worth.h"

namespace quadrille::probe {
namespace {

constexpr std::size_t kNamesListed = 8;

struct Working {
  std::uint32_t network = 0;
  NetworkReach reach;
};

std::string title(const CandidateNetwork& candidate) {
  const auto interface = std::ranges::find_if(
      candidate.interface, [](const std::string& name) { return !name.empty(); });
  return interface == candidate.interface.end() ? candidate.name
                                                : *interface + " (" + candidate.name + ")";
}

std::string megabits(double bit_s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f Mbit/s", bit_s / 1e6);
  return text;
}

// "h0, h1 and 5 more"
template <typename Item, typename Print>
std::string listed(const std::vector<Item>& items, Print&& print) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), kNamesListed); ++i) {
    text += (i == 0 ? "" : ", ") + print(items[i]);
  }
  if (items.size() > kNamesListed) {
    text += " and " + std::to_string(items.size() - kNamesListed) + " more";
  }
  return text;
}

void say_what_is_missing(const NetworkReach& reach, const Network& network, NetworkChoice& choice) {
  for (const LeftOut& out : reach.left_out) {
    const std::string& name = network.hosts()[out.host].name;
    choice.warnings.push_back({"unreachable", name + " is left out: " + out.reason, {name}});
  }
  for (HostIndex host = 0; host < network.hosts().size(); ++host) {
    const CandidateNetwork& chosen = network.networks()[choice.network];
    if (!chosen.address[host].empty()) continue;
    const std::string& name = network.hosts()[host].name;
    choice.warnings.push_back(
        {"unreachable", name + " is left out: it has no address on " + title(chosen), {name}});
  }
  if (reach.missing.empty()) return;
  Warning warning{.topic = "unreachable", .text = {}, .hosts = {}};
  for (const OneWay& way : reach.missing) {
    for (const HostIndex host : {way.from, way.to}) {
      const std::string& name = network.hosts()[host].name;
      if (std::ranges::find(warning.hosts, name) == warning.hosts.end()) {
        warning.hosts.push_back(name);
      }
    }
  }
  warning.text = "UDP does not get through on some ways: " + listed(reach.missing, [&](auto way) {
                   return network.hosts()[way.from].name + " to " + network.hosts()[way.to].name;
                 });
  choice.warnings.push_back(std::move(warning));
}

// Tries the candidates, the preferred first; what cannot be used is said in `not_usable`.
Result<std::vector<Working>> working_networks(Network& network, Depth depth,
                                              std::mt19937_64& chance,
                                              std::vector<std::string>& not_usable) {
  const auto& candidates = network.networks();
  std::vector<std::uint32_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_partition(order.begin(), order.end(),
                        [&](auto index) { return candidates[index].preferred; });
  std::vector<Working> working;
  for (const std::uint32_t index : order) {
    if (const auto reason = refusal(candidates[index], network.hosts())) {
      not_usable.push_back(title(candidates[index]) + ": " + *reason);
      continue;
    }
    auto reach = measure_reach(network, index, depth, chance);
    if (!reach.ok()) return reach.error();
    if (reach.value().hosts.empty()) {
      not_usable.push_back(title(candidates[index]) + ": no two hosts hear each other on it");
      continue;
    }
    const bool complete = reach.value().hosts.size() == network.hosts().size();
    working.push_back({index, std::move(reach.value())});
    // At program start there is no time to ask whether the user's wish was a good one.
    if (depth == Depth::quick && complete && candidates[index].preferred) break;
  }
  return working;
}

// Keeps those that reach most hosts.
void drop_narrow(const Network& network, std::vector<Working>& working,
                 std::vector<std::string>& not_usable) {
  std::size_t most = 0;
  for (const Working& one : working) most = std::max(most, one.reach.hosts.size());
  std::erase_if(working, [&](const Working& one) {
    const std::size_t reached = one.reach.hosts.size();
    if (reached == most) return false;
    not_usable.push_back(title(network.networks()[one.network]) + ": reaches only " +
                         std::to_string(reached) + " of the " + std::to_string(most) +
                         " hosts that another network reaches");
    return true;
  });
}

// The position in `working` of the one to use.
Result<std::size_t> pick(Network& network, const std::vector<Working>& working,
                         std::mt19937_64& chance, NetworkChoice& choice) {
  std::vector<std::uint32_t> networks;
  std::vector<HostIndex> shared = working.front().reach.hosts;
  for (const Working& one : working) {
    networks.push_back(one.network);
    std::erase_if(shared, [&](HostIndex host) { return !contains(one.reach.hosts, host); });
  }
  const auto measured = measure_worths(network, networks, shared, chance);
  if (!measured.ok()) return measured.error();
  const std::vector<NetworkWorth>& worths = measured.value();
  const std::size_t best = best_worth(worths);
  std::size_t picked = best;
  for (std::size_t i = working.size(); i-- > 0;) {
    if (network.networks()[working[i].network].preferred) picked = i;
  }
  const auto name = [&](std::size_t i) { return title(network.networks()[working[i].network]); };
  if (worths[picked].rate_bit_s * kMeasurablyFaster < worths[best].rate_bit_s) {
    choice.warnings.push_back({"slower_network",
                               "the network that is preferred, " + name(picked) + ", carries " +
                                   megabits(worths[picked].rate_bit_s) + "; " + name(best) +
                                   " carries " + megabits(worths[best].rate_bit_s),
                               {}});
  }
  for (std::size_t i = 0; i < working.size(); ++i) {
    if (i == picked) continue;
    choice.not_usable.push_back(name(i) + ": works, but " + name(picked) +
                                (picked == best ? " is faster or nearer (" : " is preferred (") +
                                megabits(worths[picked].rate_bit_s) + " against " +
                                megabits(worths[i].rate_bit_s) + ")");
  }
  return picked;
}

Error nothing_works(const Network& network, const std::vector<std::string>& not_usable) {
  std::string tried = listed(not_usable, [](const std::string& text) { return text; });
  return {ErrorKind::unsupported,
          "UDP does not get through between " +
              listed(network.hosts(), [](const HostFacts& host) { return host.name; }) +
              " on any network (" + (tried.empty() ? "no two hosts share one" : tried) +
              "); a firewall? Allow UDP between the hosts, or name the network to use with "
              "--interface"};
}

}  // namespace

std::optional<std::string> refusal(const CandidateNetwork& candidate,
                                   const std::vector<HostFacts>& hosts) {
  std::map<std::string, HostIndex> owner;
  for (HostIndex host = 0; host < candidate.address.size(); ++host) {
    const std::string& address = candidate.address[host];
    if (address.empty()) continue;
    const auto [first, only] = owner.try_emplace(address, host);
    if (!only) {
      return hosts[first->second].name + " and " + hosts[host].name + " have the same address, " +
             address + ": a network inside each host";
    }
  }
  if (owner.size() < 2) return "fewer than two hosts have an address on it";
  return std::nullopt;
}

Result<NetworkChoice> choose_network(Network& network, Depth depth, std::uint64_t seed) {
  if (network.hosts().size() < 2) {
    return Error{ErrorKind::invalid_argument,
                 "one host only: nothing to measure between hosts; start it on at least two, one "
                 "rank on each is enough"};
  }
  std::mt19937_64 chance(seed);
  NetworkChoice choice;
  auto working = working_networks(network, depth, chance, choice.not_usable);
  if (!working.ok()) return working.error();
  if (working.value().empty()) return nothing_works(network, choice.not_usable);
  drop_narrow(network, working.value(), choice.not_usable);
  std::size_t picked = 0;
  if (working.value().size() > 1) {
    const auto best = pick(network, working.value(), chance, choice);
    if (!best.ok()) return best.error();
    picked = best.value();
  }
  const Working& chosen = working.value()[picked];
  choice.network = chosen.network;
  choice.hosts = chosen.reach.hosts;
  choice.unreachable = chosen.reach.missing;
  say_what_is_missing(chosen.reach, network, choice);
  return choice;
}

}  // namespace quadrille::probe
