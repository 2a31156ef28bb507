// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost/estimate.h"

#include <algorithm>
#include <utility>

#include "algorithms/traffic/traffic.h"
#include "planner/cost/traffic_cost.h"

namespace quadrille {

std::optional<CostBreakdown> Estimator::cost(const Candidate& candidate) {
  const bool moves =
      shape_.ranks > 1 && (shape_.count > 0 || shape_.collective == Collective::barrier);
  if (moves && has_tree_traffic(*candidate.algorithm)) return cost_along_trees(candidate);
  if (!moves) return cost_of_traffic({}, costs_);
  const auto traffic = traffic_of(*candidate.algorithm, {shape_, candidate.parameters, view_});
  if (!traffic) return std::nullopt;
  return cost_of_traffic(*traffic, costs_);
}

CostBreakdown Estimator::cost_along_trees(const Candidate& candidate) {
  const Algorithm& algorithm = *candidate.algorithm;
  const GeneratorInput input{shape_, view_, candidate.parameters};
  const auto in_one_piece = candidate.parameters.with("segment=0");
  std::string name(algorithm.name);
  name += (in_one_piece.ok() ? in_one_piece.value() : candidate.parameters).text();
  if (!trees_ || trees_->name != name) {
    TreeTraffic traffic = tree_traffic(algorithm, input);
    const std::uint64_t usual_bytes =
        costs_.on_wire(std::min(message_size(shape_).value, costs_.framing.payload));
    TreeCost cost(traffic, costs_, usual_bytes);
    trees_.emplace(LookedAt{std::move(name), std::move(traffic), std::move(cost)});
  }
  return trees_->cost.of(tree_pieces(algorithm, input, trees_->traffic));
}

}  // namespace quadrille
