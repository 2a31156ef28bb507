// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm may know of the network: which host each rank is on, which segment each host is
// in, and which trunks join the segments. Integers only, equal on all ranks of a communicator.
//
// The hosts of an island are one host here: what one of them has costs the others next to nothing,
// so data enter it once, as they enter a host of many ranks, and go on by the MPI library's own
// way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "network/model/model.h"

namespace quadrille {

struct TopologyView {
  // Segments and junctions are places; a junction has a number that no segment has.
  struct Trunk {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };

  std::vector<std::uint32_t> host_of_rank;  // [ranks], hosts numbered from 0 by their lowest rank
  std::vector<std::uint32_t> segment_of_host;  // [hosts], 0 where nothing is known
  std::vector<bool> is_island = {};            // [hosts]; empty where there is none
  // [segments of the model]; empty where nothing is known.
  std::vector<SegmentKind> kind_of_segment = {};
  // Places that no trunk joins are taken to meet in one junction.
  std::vector<Trunk> trunks = {};
  bool group_steps = true;       // whether schedules may have any, see schedule.h
  bool has_wire = false;         // whether messages between hosts may travel by the wire
  bool has_host_memory = false;  // whether the ranks of each host share memory for group steps
  // Whether the wire also brings to all hosts at once what one of them sends.
  bool has_multicast = false;
  // [segments]: whether it brings to all hosts of the segment what one of them sends, where routers
  // between segments let nothing of that through. Empty: in none.
  std::vector<bool> multicast_in_segment = {};

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(segment_of_host.size()); }
  bool has_islands() const { return std::ranges::find(is_island, true) != is_island.end(); }
  bool is_bus(std::uint32_t segment) const {
    return segment < kind_of_segment.size() && kind_of_segment[segment] == SegmentKind::bus;
  }
  // Whether any hosts get at once what one of them sends.
  bool has_some_multicast() const {
    return has_multicast ||
           std::ranges::find(multicast_in_segment, true) != multicast_in_segment.end();
  }
  bool has_multicast_in(std::uint32_t segment) const {
    return has_multicast ||
           (segment < multicast_in_segment.size() && multicast_in_segment[segment]);
  }
  // [hosts], ascending on each.
  std::vector<std::vector<Rank>> ranks_by_host() const;
  // Whether it says no more than flat(): then nothing is gained by going by it.
  bool is_flat() const;

  // The view of a communicator whose ranks are these ranks of this view's.
  TopologyView restricted_to(std::span<const Rank> ranks) const;

  // One rank a host, one segment.
  static TopologyView flat(Rank ranks);
};

// The view by a model. `hosts` are the names of the hosts by number; the view numbers islands and
// the hosts outside of them by their lowest rank. An island is in its lowest rank's segment. Errors
// as of segments_of(). REQUIRES: `model` was parsed, or passes check_model.
Result<TopologyView> view_of(const NetworkModel& model, const std::vector<std::string>& hosts,
                             std::vector<std::uint32_t> host_of_rank);

}  // namespace quadrille
