// SPDX-License-Identifier: BSD-3-Clause
// Test support: one call of one algorithm, all ranks' schedules, and the parameter values that
// tests go through.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "schedule/check.h"

namespace quadrille {

struct CheckedCase {
  const Algorithm* algorithm = nullptr;
  Shape shape;
  std::string parameters;  // beyond the defaults

  std::vector<Schedule> generate() const {
    const TopologyView view = TopologyView::flat(shape.ranks);
    const Parameters values = algorithm->parameters.with(parameters).value();
    std::vector<Schedule> schedules;
    for (Rank rank = 0; rank < shape.ranks; ++rank) {
      schedules.push_back(algorithm->generate({shape, view, values, rank}));
    }
    return schedules;
  }
};

inline std::ostream& operator<<(std::ostream& out, const CheckedCase& one) {
  return out << one.algorithm->name << ' ' << one.parameters << " ranks=" << one.shape.ranks
             << " root=" << one.shape.root << " count=" << one.shape.count
             << " element_bytes=" << one.shape.element_bytes
             << (one.shape.commutative ? "" : " not commutative")
             << (one.shape.in_place ? " in place" : "");
}

// Parameter values for counts up to some thousand elements, the defaults first.
inline std::vector<std::string> small_parameters(const Algorithm& algorithm) {
  const std::string defaults = algorithm.parameters.text();
  if (defaults.find("partners=") != std::string::npos) {
    return {"",
            "partners=2:window=2:piece_bytes=5",
            "partners=3:window=1:piece_bytes=7",
            "partners=1:window=3:piece_bytes=4",
            "partners=1:window=1:piece_bytes=1000000",
            "partners=40:window=1:piece_bytes=100"};
  }
  if (defaults.find("segment=") != std::string::npos) {
    return {"", "segment=1", "segment=12", "segment=40"};
  }
  return {""};
}

// Parameter values for counts of 10^9 elements, so that there are few steps.
inline std::string large_parameters(const Algorithm& algorithm) {
  const std::string defaults = algorithm.parameters.text();
  if (defaults.find("piece_bytes=") != std::string::npos) return "piece_bytes=400000000";
  if (defaults.find("segment=") != std::string::npos) return "segment=300000000";
  return "";
}

// All shapes of `ranks` and `count` that differ in root, in_place and commutativity and that the
// algorithm supports.
inline std::vector<Shape> supported_shapes(const Algorithm& algorithm, Rank ranks,
                                           std::uint64_t count) {
  std::vector<Shape> shapes;
  const Collective collective = algorithm.collective;
  const bool may_be_in_place = is_reducing(collective) || collective == Collective::allgather;
  for (Rank root = 0; root < (is_rooted(collective) ? ranks : 1); ++root) {
    for (const bool in_place : {false, true}) {
      for (const bool commutative : {true, false}) {
        if (in_place && !may_be_in_place) continue;
        if (!commutative && !is_reducing(collective)) continue;
        const Shape shape{.collective = collective,
                          .ranks = ranks,
                          .root = root,
                          .count = collective == Collective::barrier ? 0 : count,
                          .element_bytes = is_reducing(collective) ? 4U : 1U,
                          .commutative = commutative,
                          .in_place = in_place};
        if (algorithm.supports(shape)) shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

}  // namespace quadrille
