// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/library_cost.h"

#include <algorithm>
#include <cmath>

namespace quadrille {
namespace {

std::int64_t on_line(const LibraryCost& below, const LibraryCost& above, Bytes bytes) {
  const auto span = static_cast<std::int64_t>(above.bytes.value - below.bytes.value);
  const auto beyond = static_cast<std::int64_t>(bytes.value - below.bytes.value);
  // Times are below an hour and sizes below a gigabyte: divided first where the product is large.
  const std::int64_t rise = above.time.value - below.time.value;
  return below.time.value + (std::abs(rise) < 1'000'000'000'000 / std::max<std::int64_t>(beyond, 1)
                                 ? rise * beyond / span
                                 : rise / span * beyond);
}

}  // namespace

std::vector<LibraryCost> library_costs(const NetworkModel& model) {
  std::vector<LibraryCost> costs;
  for (const MpiCost& cost : model.mpi_costs) {
    const auto collective = collective_named(cost.operation);
    if (!collective) continue;
    costs.push_back({*collective,
                     {cost.bytes},
                     static_cast<Rank>(cost.ranks),
                     {static_cast<std::int64_t>(std::llround(cost.time_ns.value))}});
  }
  std::ranges::stable_sort(costs, {}, [](const LibraryCost& cost) { return cost.bytes; });
  return costs;
}

std::optional<Nanoseconds> measured_library_time(std::span<const LibraryCost> measured,
                                                 const Shape& shape) {
  const LibraryCost* below = nullptr;
  const LibraryCost* above = nullptr;
  const Bytes bytes = message_size(shape);
  for (const LibraryCost& cost : measured) {
    if (cost.collective != shape.collective || cost.ranks != shape.ranks) continue;
    if (cost.bytes <= bytes) below = &cost;
    if (cost.bytes >= bytes && above == nullptr) above = &cost;
  }
  if (below == nullptr && above == nullptr) return std::nullopt;
  if (below == nullptr) return above->time;
  if (above != nullptr)
    return above == below ? above->time : Nanoseconds{on_line(*below, *above, bytes)};
  if (below->bytes.value == 0) return below->time;
  return Nanoseconds{on_line({below->collective, {0}, below->ranks, {0}}, *below, bytes)};
}

std::optional<LibraryTime> library_time(std::span<const LibraryCost> measured,
                                        std::span<const CostedCandidate> costed,
                                        const Shape& shape) {
  if (const auto known = measured_library_time(measured, shape)) return LibraryTime{*known, true};
  std::optional<LibraryTime> best;
  for (const CostedCandidate& one : costed) {
    if (one.candidate.algorithm->use.sees_network) continue;
    if (!best || one.cost.total < best->time) best = LibraryTime{one.cost.total, false};
  }
  return best;
}

}  // namespace quadrille
