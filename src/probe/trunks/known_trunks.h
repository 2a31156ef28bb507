// SPDX-License-Identifier: BSD-3-Clause
// What is known so far of the trunks between segments, and what of given flows would get through
// them. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "probe/segments/loaded_view.h"
#include "probe/trunks/trunk_tree.h"

namespace quadrille::probe {

struct KnownTrunks {
  // Borrows `segments`: disjoint, each ascending.
  explicit KnownTrunks(const std::vector<HostSet>& segments);

  struct Expected {
    double leaving_bit_s = 0;   // the segments that send
    double arriving_bit_s = 0;  // in all
  };
  // If the known trunks were the only limits.
  Expected expected(std::vector<Flow> flows) const;
  // `flows`, thinner where a segment's own trunk would only have to hold them up.
  std::vector<Flow> worth_sending(std::vector<Flow> flows) const;
  // The smaller side of a shared trunk that `segment` is behind with others, `out` leaving that
  // side; without segments where there is none.
  Split neighbourhood(std::size_t segment) const;

  HostSet hosts_of(const std::vector<std::size_t>& parts) const;
  std::size_t segment_of(HostIndex host) const { return segment_of_host_[host]; }

  const std::vector<HostSet>& segments;
  std::vector<SplitRates> own;  // [segments]
  std::vector<Split> joint;     // of several segments

 private:
  double through(std::size_t segment, bool out, double offered_bit_s) const;
  void pass(const Split& split, bool out, std::vector<Flow>& flows) const;

  std::vector<std::size_t> segment_of_host_;  // [hosts]
};

}  // namespace quadrille::probe
