// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/agent/agent.h"

#include <algorithm>
#include <string>
#include <utility>

#include "probe/measure/agent/part_performer.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t most_datagrams = 4'000'000;

}  // namespace

std::vector<std::uint16_t> Agent::open(JobOpening opening) {
  opening_ = std::move(opening);
  networks_.clear();
  std::vector<std::uint16_t> ports;
  for (const JobOpening::OwnAddress& own : opening_.networks) {
    std::optional<NetworkEnd>& end = networks_.emplace_back();
    if (!own.address.empty()) {
      auto opened = NetworkEnd::open(opening_, own);
      if (opened.ok()) end.emplace(std::move(opened.value()));
    }
    ports.push_back(end ? end->light.port() : std::uint16_t{0});
  }
  return ports;
}

Result<bool> Agent::learn_peers(const Peers& peers) {
  if (peers.size() != networks_.size()) {
    return Error{ErrorKind::corrupt, "a list of hosts for " + std::to_string(peers.size()) +
                                         " networks instead of " +
                                         std::to_string(networks_.size())};
  }
  for (std::size_t network = 0; network < peers.size(); ++network) {
    if (networks_[network]) networks_[network]->peers = peers[network];
  }
  return true;
}

Result<bool> Agent::check(const RoundPart& part) const {
  const auto bad = [](const std::string& what) {
    return Error{ErrorKind::corrupt,
                 "the part of a round names " + what + "; are all hosts running the same version?"};
  };
  if (part.network >= networks_.size() || !networks_[part.network]) {
    return bad("network " + std::to_string(part.network) + ", on which this host has no socket");
  }
  const std::size_t hosts = networks_[part.network]->peers.size();
  const auto known = [&](HostIndex host) { return host < hosts; };
  const auto few = [](std::uint32_t count) { return count <= most_datagrams; };
  const auto heard = [&](const Incoming& i) { return known(i.from) && few(i.count); };
  const bool good =
      std::ranges::all_of(
          part.streams_out,
          [&](const auto& s) { return known(s.to) && s.frame_bytes >= kLightFrameBytes; }) &&
      std::ranges::all_of(part.fans_out,
                          [&](const auto& f) { return std::ranges::all_of(f.to, known); }) &&
      std::ranges::all_of(part.multicasts_out,
                          [](const auto& m) { return m.frame_bytes >= kLightFrameBytes; }) &&
      std::ranges::all_of(part.exchanges,
                          [&](const auto& e) { return known(e.peer) && few(e.count); }) &&
      std::ranges::all_of(part.streams_in, heard) && std::ranges::all_of(part.fans_in, heard) &&
      std::ranges::all_of(part.multicasts_in, heard);
  if (!good) return bad("a host that is not there, or a count or size out of bounds");
  return true;
}

Result<PartResult> Agent::perform(const RoundPart& part) {
  if (auto checked = check(part); !checked.ok()) return checked.error();
  return PartPerformer(part, opening_, *networks_[part.network]).run();
}

}  // namespace quadrille::probe
