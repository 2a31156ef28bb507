// SPDX-License-Identifier: BSD-3-Clause
// Loads the ways between some hosts and all others, and finds exactly which hosts are behind what
// fills up.
//
// All of `inside` send outwards and receive from outside at the full rate of their cables. If they
// share a trunk that carries less, its queue fills, and then the light datagrams of every host
// behind that trunk wait on their way to and from hosts that take no part: whoever waits is behind
// it, whether it was thought to be or not. Between two groups inside one part of the network,
// `against` keeps what joins that part to the rest from filling first. What lies between hosts of
// `inside` themselves shows `within`.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "probe/segments/loaded_view.h"

namespace quadrille::probe {

struct CutDirection {
  bool full = false;  // something shared was overloaded
  double offered_bit_s = 0;
  double arrived_bit_s = 0;  // of what was offered
  double carried_bit_s = 0;  // light datagrams included
  double inside_bit_s = 0;   // what all this took of a bus that the hosts inside share
  MaybeMeasured wait_ns;     // in the full queue
};

struct Cut {
  CutDirection out;
  CutDirection in;
  LoadedView view;  // towards and from hosts outside that took no part
};

struct CutOptions {
  // The hosts seem to share a bus: only one direction at a time, and only a little more than one
  // cable carries.
  bool gentle = false;
  bool inwards = false;  // of a gentle one
  HostSet against = {};  // of the others, who carries load; empty: any
  // Waits are seen between the hosts inside; all outside may take part.
  bool within = false;
  std::size_t ways = 1;  // receivers of each host, at least
  // What of the flows that would cross is worth sending; empty: all.
  std::function<std::vector<Flow>(std::vector<Flow>)> worth = {};
  // Of what is offered in each direction together.
  double most_bit_s = std::numeric_limits<double>::infinity();
};

// REQUIRES: `inside` is ascending, and at least one other host is there.
Result<Cut> load_cut(LoadedViews& views, const HostSet& inside, const CutOptions& options);

}  // namespace quadrille::probe
