// SPDX-License-Identifier: BSD-3-Clause
// A model's trunks by the hosts they divide, so that trunks of two models can be matched whatever
// their names.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "network/model/model.h"

namespace quadrille {

using HostSet = std::set<std::uint32_t>;

struct Cut {
  HostSet first;  // holds the lowest host
  HostSet second;

  auto operator<=>(const Cut&) const = default;
};

// Trunks in a row divide the same hosts when none are between them: the slower one counts.
struct CutRates {
  std::size_t trunk = 0;  // the first of them
  bool turned = false;    // Cut::first is on the trunk's second side
  MaybeMeasured from_first_bit_s;
  MaybeMeasured from_second_bit_s;
};

// `hosts_in`: [segments], the hosts of each, in whatever numbers. Trunks with no host on one side
// are left out.
std::map<Cut, CutRates> cuts_of(const NetworkModel& model, const std::vector<HostSet>& hosts_in);

}  // namespace quadrille
