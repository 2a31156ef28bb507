// SPDX-License-Identifier: BSD-3-Clause
// The investigation of a network: from a list of hosts to its model, by rounds of traffic.
//
// Purely decisions: it composes rounds, a `Network` performs them, and every conclusion follows
// from their results, so that the same code runs on real hosts and on simulated ones. Phases, each
// in a file of its own:
//
//   choose_network   on which addresses do the hosts reach each other, and which way is the fast
//   one pair_latency     round trips of every pair, one pair at a time on a machine with few cores
//   host_rates       each cable's rate in each direction, and what others take of it
//   loaded_view      all hosts send at once; light datagrams see which ways share a full queue
//   segments         hosts from which the loaded network looks the same are one segment
//   segment_kind     switch or bus
//   trunk_tree       which segments share a trunk, and its rates
//   safe_burst       how much may arrive at a port at once
//   multicast_reach  who hears whom
//   host_overheads   processor time of a send and of a receive, and the gap
//
// Bandwidth is the cheap kind of evidence only at low rates, so every round is bounded in bytes as
// in time.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "network/model/model.h"
#include "probe/network.h"

namespace quadrille::probe {

enum class Depth : std::uint8_t {
  quick,  // at program start: segments, rates, safe burst and multicast, the last two as far as
          // the network's time goes
  full,
};

struct Options {
  Depth depth = Depth::full;
  std::uint64_t seed = 1;
  // Multicast that works is tried again so long after it was first, without joining again: switches
  // that miss an IGMP querier forget their members after minutes. 0: not.
  std::int64_t multicast_after_ns = 0;
  // Called before each round: what is measured, and the share that is done, 0 to 1.
  std::function<void(const std::string& purpose, double share)> progress;
};

// What every phase needs to compose rounds.
struct Setting {
  Network& network;
  std::uint32_t network_index = 0;  // the way that was chosen
  std::vector<HostIndex> hosts;     // that can be reached; the others are left out of all rounds
  Depth depth = Depth::full;
  std::mt19937_64 chance{1};

  // How many exchanges may run at once without sharing a core: on separate machines every disjoint
  // pair.
  std::uint32_t exchanges_at_once() const;
};

// Errors: invalid_argument (fewer than two hosts), peer_lost, timeout, unsupported (no way on which
// hosts reach each other). Warnings about what could not be found are in the model.
Result<NetworkModel> investigate(Network& network, const Options& options);

}  // namespace quadrille::probe
