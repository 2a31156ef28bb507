// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/partners_by_host.h"

#include <algorithm>

namespace quadrille {
namespace {

void append_from(const std::vector<Rank>& ranks, std::size_t first, std::vector<Rank>& into) {
  for (std::size_t i = 0; i < ranks.size(); ++i) into.push_back(ranks[(first + i) % ranks.size()]);
}

}  // namespace

ExchangePartners partners_by_host(const TopologyView& view, Rank rank) {
  const auto by_host = view.ranks_by_host();
  const std::size_t hosts = by_host.size();
  const std::size_t own = view.host_of_rank[static_cast<std::size_t>(rank)];
  const auto place =
      static_cast<std::size_t>(std::ranges::lower_bound(by_host[own], rank) - by_host[own].begin());
  ExchangePartners partners;
  append_from(by_host[own], place + 1, partners.on_own_host);
  partners.on_own_host.pop_back();
  for (std::size_t distance = 1; distance < hosts; ++distance) {
    append_from(by_host[(own + distance) % hosts], place, partners.targets);
    append_from(by_host[(own + hosts - distance) % hosts], place, partners.sources);
  }
  return partners;
}

}  // namespace quadrille
