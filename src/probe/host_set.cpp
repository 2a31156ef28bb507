// SPDX-License-Identifier: BSD-3-Clause
#include "probe/host_set.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace quadrille::probe {

bool contains(const HostSet& set, HostIndex host) {
  return std::binary_search(set.begin(), set.end(), host);
}

HostSet others(const HostSet& all, const HostSet& some) {
  HostSet left;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(left));
  return left;
}

HostSet joined(const HostSet& one, const HostSet& other) {
  HostSet both;
  std::ranges::set_union(one, other, std::back_inserter(both));
  return both;
}

double overlap(const HostSet& one, const HostSet& other) {
  HostSet shared;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(shared));
  return static_cast<double>(shared.size()) /
         static_cast<double>(one.size() + other.size() - shared.size());
}

std::vector<HostSet> common_refinement(const HostSet& hosts, const std::vector<HostSet>& sets) {
  std::map<std::vector<bool>, HostSet> parts;
  for (const HostIndex host : hosts) {
    std::vector<bool> within(sets.size());
    std::transform(sets.begin(), sets.end(), within.begin(),
                   [&](const HostSet& set) { return contains(set, host); });
    parts[within].push_back(host);
  }
  std::vector<HostSet> refinement;
  refinement.reserve(parts.size());
  for (auto& [within, part] : parts) refinement.push_back(std::move(part));
  std::sort(refinement.begin(), refinement.end());
  return refinement;
}

}  // namespace quadrille::probe
