// SPDX-License-Identifier: BSD-3-Clause
#include "network/model/model_cuts.h"

#include <string_view>
#include <utility>

namespace quadrille {
namespace {

// The hosts that `start` still reaches without trunk `cut`.
HostSet side_of(const NetworkModel& model, std::size_t cut, std::string_view start,
                const std::vector<HostSet>& hosts_in) {
  std::set<std::string_view> reached{start};
  std::vector<std::string_view> open{start};
  while (!open.empty()) {
    const auto place = open.back();
    open.pop_back();
    for (std::size_t i = 0; i < model.trunks.size(); ++i) {
      const auto& trunk = model.trunks[i];
      if (i == cut || (trunk.first != place && trunk.second != place)) continue;
      const std::string_view other = trunk.first == place ? trunk.second : trunk.first;
      if (reached.insert(other).second) open.push_back(other);
    }
  }
  HostSet hosts;
  for (std::size_t i = 0; i < hosts_in.size(); ++i) {
    if (reached.contains(model.segments[i].name))
      hosts.insert(hosts_in[i].begin(), hosts_in[i].end());
  }
  return hosts;
}

MaybeMeasured slower(const MaybeMeasured& one, const MaybeMeasured& other) {
  if (!one || !other) return std::nullopt;
  return one->value <= other->value ? one : other;
}

}  // namespace

std::map<Cut, CutRates> cuts_of(const NetworkModel& model, const std::vector<HostSet>& hosts_in) {
  std::map<Cut, CutRates> cuts;
  for (std::size_t i = 0; i < model.trunks.size(); ++i) {
    const auto& trunk = model.trunks[i];
    Cut cut{side_of(model, i, trunk.first, hosts_in), side_of(model, i, trunk.second, hosts_in)};
    if (cut.first.empty() || cut.second.empty()) continue;
    CutRates rates{i, *cut.second.begin() < *cut.first.begin(), trunk.forward_bit_s,
                   trunk.backward_bit_s};
    if (rates.turned) {
      std::swap(cut.first, cut.second);
      std::swap(rates.from_first_bit_s, rates.from_second_bit_s);
    }
    const auto [entry, fresh] = cuts.emplace(std::move(cut), rates);
    if (fresh) continue;
    entry->second.from_first_bit_s = slower(entry->second.from_first_bit_s, rates.from_first_bit_s);
    entry->second.from_second_bit_s =
        slower(entry->second.from_second_bit_s, rates.from_second_bit_s);
  }
  return cuts;
}

}  // namespace quadrille
