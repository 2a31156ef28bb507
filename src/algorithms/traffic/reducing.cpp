// SPDX-License-Identifier: BSD-3-Clause
// Traffic of the algorithms that reduce. Each is described in the header of its file in
// src/algorithms.
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/reduce/folded_ranks.h"
#include "algorithms/segments.h"
#include "algorithms/traffic/patterns.h"
#include "base/divide_up.h"

namespace quadrille {
namespace {

// To the root at the end, where the order of ranks kept the result from it.
void hand_to_root(Traffic& traffic, const Shape& shape) {
  if (shape.commutative || shape.root == 0) return;
  traffic.push_back({.transfers = {{0, shape.root, message_size(shape).value}}});
}

Shape tree_of(const Shape& shape) {
  Shape tree = shape;
  if (!shape.commutative) tree.root = 0;
  return tree;
}

// Between the ranks that are folded away and those that stand for them.
Phase fold(const FoldedRanks& folded, Rank ranks, std::uint64_t bytes, bool back) {
  Phase phase;
  for (Rank rank = 0; rank < ranks; rank += 2) {
    if (!folded.is_folded_away(rank)) break;
    phase.transfers.push_back(back ? Transfer{rank + 1, rank, bytes}
                                   : Transfer{rank, rank + 1, bytes});
  }
  phase.reduced_bytes = back ? 0 : bytes;
  return phase;
}

Phase exchange(const FoldedRanks& folded, Rank bit, std::uint64_t bytes) {
  Phase phase;
  for (Rank participant = 0; participant < folded.participants(); ++participant) {
    phase.transfers.push_back({folded.rank_of_participant(participant),
                               folded.rank_of_participant(participant ^ bit), bytes});
  }
  return phase;
}

void append(Traffic& traffic, Phase phase) {
  if (!phase.transfers.empty()) traffic.push_back(std::move(phase));
}

// Every rank sends the sum of the ranks up to itself farther and farther.
Traffic doubling_distances(const TrafficInput& input) {
  const std::uint64_t bytes = message_size(input.shape).value;
  Traffic traffic;
  for (Rank distance = 1; distance < input.shape.ranks; distance *= 2) {
    Phase phase{.reduced_bytes = bytes};
    for (Rank rank = 0; rank + distance < input.shape.ranks; ++rank)
      phase.transfers.push_back({rank, rank + distance, bytes});
    traffic.push_back(std::move(phase));
  }
  return traffic;
}

Traffic summing_chain(const TrafficInput& input) {
  const std::uint64_t pieces = segment_count(input.shape, input.parameters["segment"]);
  const std::uint64_t piece = divide_up(message_size(input.shape).value, pieces);
  Phase chain = chain_from_root(input.shape, piece, pieces);
  chain.reduced_bytes = piece;
  return {std::move(chain)};
}

}  // namespace

Traffic traffic_reduce_binomial(const TrafficInput& input) {
  const std::uint64_t bytes = message_size(input.shape).value;
  Traffic traffic{binomial_up(tree_of(input.shape), [&](Rank) { return bytes; })};
  traffic.back().reduced_bytes = bytes;
  hand_to_root(traffic, input.shape);
  return traffic;
}

Traffic traffic_reduce_chain(const TrafficInput& input) {
  const Shape tree = tree_of(input.shape);
  const std::uint64_t pieces = segment_count(input.shape, input.parameters["segment"]);
  const std::uint64_t piece = divide_up(message_size(input.shape).value, pieces);
  Phase chain = chain_to_root(tree, piece, pieces);
  chain.reduced_bytes = piece;
  // The result goes on piece by piece.
  if (tree.root != input.shape.root) chain.transfers.push_back({0, input.shape.root, piece});
  return {std::move(chain)};
}

Traffic traffic_allreduce_recursive_doubling(const TrafficInput& input) {
  const Rank ranks = input.shape.ranks;
  const std::uint64_t bytes = message_size(input.shape).value;
  const FoldedRanks folded(ranks);
  Traffic traffic;
  append(traffic, fold(folded, ranks, bytes, false));
  for (Rank bit = 1; bit < folded.participants(); bit *= 2) {
    append(traffic, exchange(folded, bit, bytes));
    traffic.back().reduced_bytes = bytes;
  }
  append(traffic, fold(folded, ranks, bytes, true));
  return traffic;
}

Traffic traffic_allreduce_ring(const TrafficInput& input) {
  const auto ranks = static_cast<std::uint64_t>(input.shape.ranks);
  const std::uint64_t block = divide_up(input.shape.count, ranks) * input.shape.element_bytes;
  Phase scattering = ring_shift(input.shape.ranks, 1, block);
  scattering.times = ranks - 1;
  Phase gathering = scattering;
  scattering.reduced_bytes = block;
  return {std::move(scattering), std::move(gathering)};
}

Traffic traffic_allreduce_rabenseifner(const TrafficInput& input) {
  const Rank ranks = input.shape.ranks;
  const std::uint64_t bytes = message_size(input.shape).value;
  const FoldedRanks folded(ranks);
  Traffic traffic;
  append(traffic, fold(folded, ranks, bytes, false));
  std::uint64_t parts = 2;
  for (Rank bit = 1; bit < folded.participants(); bit *= 2, parts *= 2) {
    append(traffic, exchange(folded, bit, divide_up(bytes, parts)));
    traffic.back().reduced_bytes = divide_up(bytes, parts);
  }
  for (Rank bit = folded.participants() / 2; bit > 0; bit /= 2) {
    parts /= 2;
    append(traffic, exchange(folded, bit, divide_up(bytes, parts)));
  }
  append(traffic, fold(folded, ranks, bytes, true));
  return traffic;
}

Traffic traffic_reduce_scatter_block_pairwise(const TrafficInput& input) {
  const std::uint64_t block = message_size(input.shape).value;
  return {{.order = PhaseOrder::everyone,
           .reduced_bytes = static_cast<std::uint64_t>(input.shape.ranks - 1) * block,
           .exchange = {.piece_bytes = block}}};
}

Traffic traffic_reduce_scatter_block_recursive_halving(const TrafficInput& input) {
  const Rank ranks = input.shape.ranks;
  const std::uint64_t block = message_size(input.shape).value;
  const std::uint64_t all = static_cast<std::uint64_t>(ranks) * block;
  const FoldedRanks folded(ranks);
  Traffic traffic;
  append(traffic, fold(folded, ranks, all, false));
  std::uint64_t parts = 2;
  for (Rank bit = folded.participants() / 2; bit > 0; bit /= 2, parts *= 2) {
    append(traffic,
           exchange(folded, input.shape.commutative ? bit : folded.participants() / 2 / bit,
                    divide_up(all, parts)));
    traffic.back().reduced_bytes = divide_up(all, parts);
  }
  if (!input.shape.commutative && !traffic.empty()) traffic.front().copied_bytes = all;
  append(traffic, fold(folded, ranks, block, true));
  return traffic;
}

// Sums on each host, between the hosts' first ranks, and back to the ranks on each host. No round
// between hosts waits for the one before.
Traffic traffic_reduce_scatter_block_hierarchical(const TrafficInput& input) {
  // Of many hosts one round stands for several, so that there are no more transfers than these.
  constexpr std::size_t most_transfers = 32'768;
  const std::uint64_t block = message_size(input.shape).value;
  const std::uint64_t all = static_cast<std::uint64_t>(input.shape.ranks) * block;
  const std::vector<std::vector<Rank>> on_host = input.view.ranks_by_host();
  Phase up{.order = PhaseOrder::up, .reduced_bytes = all};
  Phase down{.order = PhaseOrder::down};
  for (const auto& members : on_host) {
    for (std::size_t i = 1; i < members.size(); ++i) {
      up.transfers.push_back({members[i], members.front(), all});
      down.transfers.push_back({members.front(), members[i], block});
    }
  }
  Traffic traffic;
  append(traffic, std::move(up));
  const std::size_t hosts = on_host.size();
  Phase between{.times = hosts * hosts / most_transfers + 1};
  for (std::size_t distance = 1; distance < hosts; distance += between.times) {
    for (std::size_t host = 0; host < hosts; ++host) {
      const auto& target = on_host[(host + distance) % hosts];
      between.transfers.push_back({on_host[host].front(), target.front(), target.size() * block});
    }
    between.reduced_bytes += on_host.front().size() * block;
  }
  append(traffic, std::move(between));
  append(traffic, std::move(down));
  return traffic;
}

Traffic traffic_scan_recursive_doubling(const TrafficInput& input) {
  return doubling_distances(input);
}

Traffic traffic_exscan_recursive_doubling(const TrafficInput& input) {
  Traffic traffic = doubling_distances(input);
  for (Phase& phase : traffic) phase.reduced_bytes *= 2;  // into the sum and into the result
  return traffic;
}

Traffic traffic_scan_chain(const TrafficInput& input) { return summing_chain(input); }

Traffic traffic_exscan_chain(const TrafficInput& input) { return summing_chain(input); }

}  // namespace quadrille
