// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/plan/choose.h"
#include "planner/explanation.h"

namespace quadrille::plan {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLargestOctave = 22;  // 4 MiB
constexpr Rank kAllBelow = 16;

Json cell_of(const Shape& shape, const PlannedNetwork& network) {
  Json cell{{"collective", name_of(shape.collective)},
            {"ranks", shape.ranks},
            {"bytes", message_size(shape).value},
            {"name", nullptr},
            {"algorithm", nullptr},
            {"time_ns", nullptr},
            {"library_ns", nullptr},
            {"library_source", nullptr},
            {"bound_ns", std::llround(bound_of(shape, network).time_ns())}};
  const auto found = explain(shape, network.known, std::nullopt);
  if (!found) return cell;
  cell["name"] = found->plan.candidate.name;
  cell["algorithm"] = found->plan.candidate.algorithm->name;
  cell["time_ns"] = found->plan.cost.total.value;
  if (found->library) {
    cell["library_ns"] = found->library->time.value;
    cell["library_source"] = found->library->measured ? "measured" : "estimated";
  }
  return cell;
}

}  // namespace

std::vector<Rank> rank_counts_up_to(Rank most) {
  std::vector<Rank> counts;
  for (Rank ranks = 2; ranks < most; ranks += ranks < kAllBelow ? 1 : ranks / 8)
    counts.push_back(ranks);
  if (most >= 2) counts.push_back(most);
  return counts;
}

std::vector<std::uint64_t> sizes_of(Collective collective) {
  if (collective == Collective::barrier) return {0};
  std::vector<std::uint64_t> sizes;
  for (int octave = 0; octave <= kLargestOctave; ++octave)
    sizes.push_back(std::uint64_t{1} << octave);
  return sizes;
}

Result<std::size_t> write_table(const TableRequest& request,
                                const std::function<void(const Json&)>& write) {
  const auto model = read_model(request.model);
  if (!model.ok()) return model.error();
  const auto all = place_ranks(model.value(), request.placement);
  if (!all.ok()) return all.error();
  std::size_t written = 0;
  for (const Rank ranks : rank_counts_up_to(all.value().ranks())) {
    Placement placement = request.placement;
    placement.ranks = ranks;
    const auto network = place_ranks(model.value(), placement);
    if (!network.ok()) return network.error();
    for (const Collective collective : collectives()) {
      if (has_counts(collective)) continue;
      for (const std::uint64_t bytes : sizes_of(collective)) {
        const std::uint32_t element_bytes = element_bytes_for(collective, bytes);
        write(cell_of({.collective = collective,
                       .ranks = ranks,
                       .count = bytes / element_bytes,
                       .element_bytes = element_bytes},
                      network.value()));
        ++written;
      }
    }
  }
  return written;
}

}  // namespace quadrille::plan
