// SPDX-License-Identifier: BSD-3-Clause
#include "planner/search_space.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "planner/cost/estimate.h"
#include "planner/wire_candidates.h"

namespace quadrille {
namespace {

// Splits off what stands before the first `separator`.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return word;
}

std::size_t segments_with_hosts(const TopologyView& view) {
  std::vector<std::uint32_t> segments = view.segment_of_host;
  std::ranges::sort(segments);
  return static_cast<std::size_t>(std::ranges::unique(segments).begin() - segments.begin());
}

class SearchSpace {
 public:
  SearchSpace(const Shape& shape, const TopologyView& view, const NetworkCosts& costs)
      : estimator_(shape, view, costs),
        segments_(segments_with_hosts(view)),
        has_islands_(view.has_islands()) {}

  void enter(const Algorithm& algorithm, std::string_view options) {
    const std::size_t first = candidates_.size();
    add(usual(candidate_of(algorithm, algorithm.parameters)), first);
    while (!options.empty()) {
      const Candidate settled = best_since(first).candidate;
      for_each_combination(settled, take(options, ','),
                           [&](Candidate candidate) { add(std::move(candidate), first); });
    }
  }

  std::vector<EstimatedCandidate> take_all() { return std::move(candidates_); }

 private:
  using Visit = std::function<void(Candidate)>;

  void for_each_combination(const Candidate& candidate, std::string_view options,
                            const Visit& visit) const {
    if (options.empty()) return visit(candidate);
    std::string_view values = take(options, '&');
    const std::string_view name = take(values, '=');
    if (is_all_the_same(name)) return for_each_combination(candidate, options, visit);
    while (!values.empty()) {
      const std::string_view value = take(values, '|');
      if (is_pointless(name, value)) continue;
      for_each_combination(with(candidate, name, value), options, visit);
    }
  }

  // Islands are left to the MPI library's own collectives where the algorithm can.
  Candidate usual(Candidate candidate) const {
    if (!has_islands_) return candidate;
    const auto left = candidate.parameters.with("host=library");
    return left.ok() ? candidate_of(*candidate.algorithm, left.value()) : candidate;
  }

  // Two segments have one way between them.
  bool is_all_the_same(std::string_view parameter) const {
    return (parameter == "between" && segments_ < 3) || (parameter == "order" && segments_ < 2);
  }

  // Two segments have two orders.
  bool is_pointless(std::string_view parameter, std::string_view value) const {
    return parameter == "order" && segments_ == 2 && value != "0" && value != "1";
  }

  static Candidate with(const Candidate& candidate, std::string_view name, std::string_view value) {
    return candidate_of(
        *candidate.algorithm,
        candidate.parameters.with(std::string(name) + "=" + std::string(value)).value());
  }

  // Unless one of the algorithm's, which begin at `first`, is the same.
  void add(Candidate candidate, std::size_t first) {
    auto estimate = estimator_.cost(candidate);
    const auto is_same = [&](const EstimatedCandidate& other) {
      return other.candidate.name == candidate.name ||
             (estimate && other.estimate.total == estimate->total);
    };
    if (std::any_of(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
                    is_same))
      return;
    const bool is_estimated = estimate.has_value();
    candidates_.push_back(
        {std::move(candidate), std::move(estimate).value_or(CostBreakdown{}), is_estimated});
  }

  const EstimatedCandidate& best_since(std::size_t first) const {
    return *std::min_element(candidates_.begin() + static_cast<std::ptrdiff_t>(first),
                             candidates_.end(),
                             [](const EstimatedCandidate& one, const EstimatedCandidate& other) {
                               return one.estimate.total < other.estimate.total;
                             });
  }

  Estimator estimator_;
  const std::size_t segments_;
  const bool has_islands_;
  std::vector<EstimatedCandidate> candidates_;
};

}  // namespace

std::vector<EstimatedCandidate> search_space_of(const Shape& shape, const TopologyView& view,
                                                const NetworkCosts& costs) {
  SearchSpace space(shape, view, costs);
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.use.searched || algorithm.collective != shape.collective ||
        !algorithm.supports(shape) || !may_be_used(algorithm, view))
      continue;
    space.enter(algorithm, *algorithm.use.searched);
  }
  std::vector<EstimatedCandidate> candidates = space.take_all();
  std::ranges::stable_sort(candidates, {},
                           [](const EstimatedCandidate& one) { return one.estimate.total; });
  return candidates;
}

}  // namespace quadrille
