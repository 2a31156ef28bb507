// SPDX-License-Identifier: BSD-3-Clause
// Exchanges sorted and added up, into one array of neighbours.
#include "mapping/communication_graph.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace quadrille {
namespace {

constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 40U;

// One exchange a pair, `one` the lower, sorted.
std::vector<Exchange> merged(const std::vector<Exchange>& exchanges) {
  std::vector<Exchange> pairs;
  pairs.reserve(exchanges.size());
  for (Exchange exchange : exchanges) {
    if (exchange.one == exchange.other || exchange.weight == 0) continue;
    if (exchange.one > exchange.other) std::swap(exchange.one, exchange.other);
    // No sum of the weights of 2^23 exchanges overflows.
    exchange.weight = std::min(exchange.weight, kMostWeight);
    pairs.push_back(exchange);
  }
  std::ranges::sort(
      pairs, {}, [](const Exchange& exchange) { return std::tuple(exchange.one, exchange.other); });
  std::size_t kept = 0;
  for (const Exchange& exchange : pairs) {
    if (kept > 0 && pairs[kept - 1].one == exchange.one &&
        pairs[kept - 1].other == exchange.other) {
      pairs[kept - 1].weight = std::min(pairs[kept - 1].weight + exchange.weight, kMostWeight);
    } else {
      pairs[kept++] = exchange;
    }
  }
  pairs.resize(kept);
  return pairs;
}

void limit_weights(std::vector<Exchange>& pairs) {
  std::uint64_t most = 0;
  for (const Exchange& pair : pairs) most += pair.weight >> 20U;  // in units of 2^20: no overflow
  unsigned halvings = 0;
  while ((most >> halvings) > (kMostWeight >> 20U)) ++halvings;
  for (Exchange& pair : pairs) pair.weight = std::max<std::uint64_t>(1, pair.weight >> halvings);
}

}  // namespace

CommunicationGraph::CommunicationGraph(Rank ranks, const std::vector<Exchange>& exchanges)
    : first_(static_cast<std::size_t>(ranks) + 1, 0) {
  std::vector<Exchange> pairs = merged(exchanges);
  limit_weights(pairs);
  for (const Exchange& pair : pairs) {
    ++first_[static_cast<std::size_t>(pair.one) + 1];
    ++first_[static_cast<std::size_t>(pair.other) + 1];
  }
  for (std::size_t rank = 1; rank < first_.size(); ++rank) first_[rank] += first_[rank - 1];
  neighbours_.resize(2 * pairs.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const Exchange& pair : pairs)  // lower neighbours first
    neighbours_[next[static_cast<std::size_t>(pair.other)]++] = {pair.one, pair.weight};
  for (const Exchange& pair : pairs)
    neighbours_[next[static_cast<std::size_t>(pair.one)]++] = {pair.other, pair.weight};
}

Rank Grid::cells() const {
  Rank cells = 1;
  for (const Rank size : sizes) cells *= size;
  return cells;
}

CommunicationGraph graph_of(const Grid& grid, Rank ranks) {
  std::vector<Exchange> exchanges;
  const Rank cells = grid.cells();
  Rank stride = cells;  // from one coordinate of the dimension to the next
  for (std::size_t dimension = 0; dimension < grid.sizes.size(); ++dimension) {
    const Rank size = grid.sizes[dimension];
    stride /= size;
    for (Rank rank = 0; rank < cells; ++rank) {
      const bool last = rank / stride % size == size - 1;
      if (!last) exchanges.push_back({rank, rank + stride, 1});
      if (last && grid.periodic[dimension])
        exchanges.push_back({rank, rank - (size - 1) * stride, 1});
    }
  }
  return {ranks, exchanges};
}

}  // namespace quadrille
