// SPDX-License-Identifier: BSD-3-Clause
// Traffic of the algorithms that move data or none: broadcast, gather, scatter, allgather,
// all-to-all, barrier. Each is described in the header of its file in src/algorithms.
#include <algorithm>
#include <map>
#include <vector>

#include "algorithms/rank_arithmetic.h"
#include "algorithms/segments.h"
#include "algorithms/traffic/patterns.h"
#include "base/divide_up.h"

namespace quadrille {
namespace {

std::uint64_t parameter(const TrafficInput& input, const char* name) {
  return at_least_one(input.parameters[name]);
}

}  // namespace

Traffic traffic_bcast_binomial(const TrafficInput& input) {
  const std::uint64_t bytes = message_size(input.shape).value;
  return {binomial_down(input.shape, [&](Rank) { return bytes; })};
}

Traffic traffic_bcast_chain(const TrafficInput& input) {
  const std::uint64_t pieces = segment_count(input.shape, input.parameters["segment"]);
  return {chain_from_root(input.shape, divide_up(message_size(input.shape).value, pieces), pieces)};
}

// Ranks that hold several blocks after the scattering skip rounds; the others set the time.
Traffic traffic_bcast_scatter_allgather(const TrafficInput& input) {
  const Shape& shape = input.shape;
  const auto ranks = static_cast<std::uint64_t>(shape.ranks);
  const std::uint64_t block = divide_up(message_size(shape).value, ranks);
  Phase ring = ring_shift(shape.ranks, 1, block);
  ring.times = ranks - 1;
  const auto subtree_bytes = [&](Rank vrank) {
    return block * static_cast<std::uint64_t>(binomial_subtree(vrank, shape.ranks));
  };
  return {binomial_down(shape, subtree_bytes), std::move(ring)};
}

Traffic traffic_allgather_ring(const TrafficInput& input) {
  Phase ring = ring_shift(input.shape.ranks, 1, message_size(input.shape).value);
  ring.times = static_cast<std::uint64_t>(input.shape.ranks - 1);
  return {std::move(ring)};
}

Traffic traffic_allgather_bruck(const TrafficInput& input) {
  const Rank ranks = input.shape.ranks;
  Traffic traffic;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    const auto blocks = static_cast<std::uint64_t>(std::min(distance, ranks - distance));
    traffic.push_back(ring_shift(ranks, -distance, blocks * message_size(input.shape).value));
  }
  return traffic;
}

Traffic traffic_allgather_recursive_doubling(const TrafficInput& input) {
  Traffic traffic;
  for (Rank bit = 1; bit < input.shape.ranks; bit *= 2) {
    Phase phase;
    const std::uint64_t bytes = static_cast<std::uint64_t>(bit) * message_size(input.shape).value;
    for (Rank rank = 0; rank < input.shape.ranks; ++rank)
      phase.transfers.push_back({rank, rank ^ bit, bytes});
    traffic.push_back(std::move(phase));
  }
  return traffic;
}

Traffic traffic_alltoall_pairwise(const TrafficInput& input) {
  const std::uint64_t bytes = message_size(input.shape).value;
  return {
      {.order = PhaseOrder::everyone, .copied_bytes = bytes, .exchange = {.piece_bytes = bytes}}};
}

Traffic traffic_alltoall_ordered(const TrafficInput& input) {
  const std::uint64_t bytes = message_size(input.shape).value;
  const std::uint64_t pieces = divide_up(bytes, parameter(input, "piece_bytes"));
  return {{.order = PhaseOrder::everyone,
           .copied_bytes = bytes,
           .exchange = {.piece_bytes = divide_up(bytes, pieces),
                        .pieces = pieces,
                        .partners = parameter(input, "partners"),
                        .window = parameter(input, "window"),
                        .asks = true}}};
}

Traffic traffic_alltoall_bruck(const TrafficInput& input) {
  const Rank ranks = input.shape.ranks;
  const std::uint64_t block = message_size(input.shape).value;
  Traffic traffic;
  for (Rank bit = 1; bit < ranks; bit *= 2) {
    std::uint64_t blocks = 0;
    for (Rank first = bit; first < ranks; first += 2 * bit)
      blocks += static_cast<std::uint64_t>(std::min(bit, ranks - first));
    Phase phase = ring_shift(ranks, bit, blocks * block);
    phase.copied_bytes = 2 * blocks * block;  // together before, apart afterwards
    traffic.push_back(std::move(phase));
  }
  // Into places before, out of them in the end.
  traffic.front().copied_bytes += 2 * static_cast<std::uint64_t>(ranks) * block;
  return traffic;
}

// The ranks that a rank takes from stand in lanes by where they are; the longest lane of all ranks
// sets how many turns there are.
Traffic traffic_alltoall_hierarchical(const TrafficInput& input) {
  const std::uint64_t bytes = message_size(input.shape).value;
  const std::uint64_t pieces = divide_up(bytes, parameter(input, "piece_bytes"));
  const TopologyView& view = input.view;
  std::vector<std::uint64_t> on_host;
  for (const auto& ranks : view.ranks_by_host()) on_host.push_back(ranks.size());
  std::map<std::uint32_t, std::uint64_t> in_segment;
  for (std::uint32_t host = 0; host < view.hosts(); ++host)
    in_segment[view.segment_of_host[host]] += on_host[host];
  std::uint64_t turns = 1;
  for (std::uint32_t host = 0; host < view.hosts(); ++host) {
    const std::uint64_t inside = in_segment[view.segment_of_host[host]];
    turns = std::max({turns, on_host[host] - 1,
                      divide_up(inside - on_host[host], parameter(input, "near")),
                      divide_up(view.host_of_rank.size() - inside, parameter(input, "far"))});
  }
  return {{.order = PhaseOrder::everyone,
           .copied_bytes = bytes,
           .exchange = {.piece_bytes = divide_up(bytes, pieces),
                        .pieces = pieces,
                        .partners = parameter(input, "near") + parameter(input, "far"),
                        .turns = turns,
                        .window = parameter(input, "window"),
                        .asks = true}}};
}

Traffic traffic_gather_binomial(const TrafficInput& input) {
  return {binomial_up(input.shape, [&](Rank vrank) {
    return message_size(input.shape).value *
           static_cast<std::uint64_t>(binomial_subtree(vrank, input.shape.ranks));
  })};
}

Traffic traffic_scatter_binomial(const TrafficInput& input) {
  return {binomial_down(input.shape, [&](Rank vrank) {
    return message_size(input.shape).value *
           static_cast<std::uint64_t>(binomial_subtree(vrank, input.shape.ranks));
  })};
}

Traffic traffic_gather_hierarchical(const TrafficInput& input) {
  const std::uint64_t block = message_size(input.shape).value;
  return {hierarchy_up(input, [&](std::uint64_t ranks) { return ranks * block; })};
}

Traffic traffic_scatter_hierarchical(const TrafficInput& input) {
  const std::uint64_t block = message_size(input.shape).value;
  return {hierarchy_down(input, [&](std::uint64_t ranks) { return ranks * block; })};
}

Traffic traffic_scatter_linear(const TrafficInput& input) {
  Phase star{.order = PhaseOrder::down};
  for (Rank vrank = 1; vrank < input.shape.ranks; ++vrank) {
    star.transfers.push_back(
        {input.shape.root, rank_of(vrank, input.shape), message_size(input.shape).value});
  }
  return {std::move(star)};
}

Traffic traffic_barrier_dissemination(const TrafficInput& input) {
  Traffic traffic;
  for (Rank distance = 1; distance < input.shape.ranks; distance *= 2)
    traffic.push_back(ring_shift(input.shape.ranks, distance, 0));
  return traffic;
}

Traffic traffic_barrier_binomial(const TrafficInput& input) {
  const auto nothing = [](Rank) { return std::uint64_t{0}; };
  return {binomial_up(input.shape, nothing), binomial_down(input.shape, nothing)};
}

}  // namespace quadrille
