// SPDX-License-Identifier: BSD-3-Clause
#include "planner/traffic.h"

#include <array>
#include <string_view>

namespace quadrille {

#define TRAFFIC(algorithm) Traffic traffic_##algorithm(const TrafficInput& input);
#include "planner/traffic.def"
#undef TRAFFIC

namespace {

struct TrafficRow {
  std::string_view algorithm;
  Traffic (*traffic)(const TrafficInput& input);
};

constexpr std::array kRows{
#define TRAFFIC(algorithm) TrafficRow{#algorithm, &traffic_##algorithm},
#include "planner/traffic.def"
#undef TRAFFIC
};

}  // namespace

std::optional<Traffic> traffic_of(const Algorithm& algorithm, const TrafficInput& input) {
  for (const TrafficRow& row : kRows) {
    if (row.algorithm != algorithm.name) continue;
    const bool moves = input.shape.ranks > 1 &&
                       (input.shape.count > 0 || input.shape.collective == Collective::barrier);
    return moves ? row.traffic(input) : Traffic{};
  }
  return std::nullopt;
}

}  // namespace quadrille
