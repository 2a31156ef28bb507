// SPDX-License-Identifier: BSD-3-Clause
// What the trains sent so far say of all hosts' cables, in each direction.
#pragma once

#include <vector>

#include "probe/findings.h"
#include "probe/investigation.h"
#include "probe/rates/host_evidence.h"
#include "probe/rates/volley.h"

namespace quadrille::probe {

class CableEvidence {
 public:
  // `hosts`: of the network.
  explicit CableEvidence(std::size_t hosts) : out_(hosts), in_(hosts) {}

  // Volleys that are not sound, or of which too little came, say nothing.
  void keep(const std::vector<Volley>& volleys, const std::vector<VolleyResult>& results);

  const Evidence& out(HostIndex host) const { return out_[host]; }
  const Evidence& in(HostIndex host) const { return in_[host]; }

  // What a train between both may bring at least; 0: nothing is known of either.
  double pair_bit_s(HostIndex from, HostIndex to) const;

  // By host of the network; of those that are not in setting.hosts nothing.
  std::vector<HostRates> rates(const Setting& setting) const;

 private:
  void keep_outwards(const Volley& volley, const VolleyResult& result);
  void keep_inwards(const Volley& volley, const VolleyResult& result);

  std::vector<Evidence> out_;
  std::vector<Evidence> in_;
};

}  // namespace quadrille::probe
