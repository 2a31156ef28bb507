// SPDX-License-Identifier: BSD-3-Clause
// The table of algorithms, made from algorithms.def.
#include "algorithms/algorithm.h"

#include <array>

namespace quadrille {

// Those of `traffic` that no row names do not exist.
#define ALGORITHM(name, collective, parameters, ...)     \
  bool supports_##name(const Shape& shape);              \
  Schedule generate_##name(const GeneratorInput& input); \
  Traffic traffic_##name(const TrafficInput& input);
#include "algorithms/algorithms.def"
#undef ALGORITHM

std::span<const Algorithm> algorithms() {
  static const std::array table{
#define ALGORITHM(name, collective, parameters, ...) \
  Algorithm{#name,                                   \
            Collective::collective,                  \
            Parameters(parameters),                  \
            &supports_##name,                        \
            &generate_##name,                        \
            AlgorithmUse{__VA_ARGS__}},
#include "algorithms/algorithms.def"
#undef ALGORITHM
  };
  return table;
}

const Algorithm* algorithm_named(std::string_view name) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

std::optional<Traffic> traffic_of(const Algorithm& algorithm, const TrafficInput& input) {
  if (algorithm.use.traffic == nullptr) return std::nullopt;
  const bool moves = input.shape.ranks > 1 &&
                     (input.shape.count > 0 || input.shape.collective == Collective::barrier);
  return moves ? algorithm.use.traffic(input) : Traffic{};
}

}  // namespace quadrille
