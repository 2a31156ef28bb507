// SPDX-License-Identifier: BSD-3-Clause
// A short list, compared whole: a comparison costs less than the messages of any of its calls.
#include "planner/vector_plans.h"

#include <algorithm>
#include <utility>

namespace quadrille {
namespace {

// A program alternates between a few vector collectives, such as forth and back of a transpose.
constexpr std::size_t most_plans = 8;

}  // namespace

const SharedSchedule& VectorPlans::schedule(const Shape& shape, const Candidate& candidate,
                                            const TopologyView& view, Rank rank,
                                            StoredCounts counts) {
  const auto known = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) {
    return plan.candidate == &candidate && plan.shape == shape && plan.counts == counts;
  });
  if (known != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, known);
    return plans_.front().prepared;
  }
  auto prepared = std::make_shared<const PreparedSchedule>(
      candidate.algorithm->generate({shape, view, candidate.parameters, rank, counts.view()}));
  plans_.push_front({&candidate, shape, std::move(counts), std::move(prepared)});
  if (plans_.size() > most_plans) plans_.pop_back();
  return plans_.front().prepared;
}

}  // namespace quadrille
