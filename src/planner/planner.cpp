// SPDX-License-Identifier: BSD-3-Clause
// Decisions by size class, schedules by exact shape.
#include "planner/planner.h"

#include <functional>
#include <utility>

#include "planner/size_class.h"

namespace quadrille {
namespace {

// About 100 B a step with its dependencies: some 13 MB a communicator at the most.
constexpr std::size_t most_steps_held = std::size_t{1} << 17;

struct CandidateRow {
  Collective collective;
  const char* algorithm;
  const char* parameters;
  Bytes smallest;
  Bytes largest;
};

constexpr CandidateRow candidate_rows[] = {
#define CANDIDATE(collective, algorithm, parameters, smallest, largest) \
  {Collective::collective, #algorithm, parameters, {smallest}, {largest}},
#include "planner/candidates.def"
#undef CANDIDATE
};

Candidate mpi_candidate() { return {nullptr, Parameters(), "mpi"}; }

Candidate our_candidate(const Algorithm& algorithm, Parameters parameters) {
  std::string name(algorithm.name);
  if (const std::string text = parameters.text(); !text.empty()) name += ":" + text;
  return {&algorithm, std::move(parameters), std::move(name)};
}

std::uint64_t decision_key(const Shape& shape, bool may_alternate) {
  return (std::uint64_t{static_cast<std::uint8_t>(shape.collective)} << 32U) |
         (std::uint64_t{shape.commutative} << 17U) | (std::uint64_t{may_alternate} << 16U) |
         size_class(message_size(shape).value);
}

}  // namespace

Planner::Planner(PlannerOptions options, TopologyView view, Rank rank)
    : options_(std::move(options)), view_(std::move(view)), rank_(rank) {}

Decision& Planner::decision(const Shape& shape, bool may_alternate) {
  const std::uint64_t key = decision_key(shape, may_alternate);
  const auto found = decisions_.find(key);
  if (found != decisions_.end()) return found->second;
  return decisions_.emplace(key, make_decision(shape, may_alternate)).first->second;
}

Decision Planner::make_decision(const Shape& shape, bool may_alternate) const {
  const auto left_to_mpi = [](const char* reason) {
    return Decision{{mpi_candidate()}, Trial(1, 0), reason};
  };
  if (const auto forced = options_.forced.find(shape.collective); forced != options_.forced.end()) {
    const auto& [algorithm, parameters] = forced->second;
    if (algorithm == nullptr) return left_to_mpi("forced");
    if (!algorithm->supports(shape))
      return left_to_mpi("forced algorithm does not support the shape");
    return Decision{{our_candidate(*algorithm, parameters)}, Trial(1, 0), "forced"};
  }
  if (!may_alternate) return left_to_mpi("no model, and results must not change between calls");
  if (view_.hosts() < 2) return left_to_mpi("one host");
  if (shape.ranks < 3 || message_size(shape) < options_.trial_floor)
    return left_to_mpi("too small to try");
  Decision decision{{mpi_candidate()}, Trial(1, 0), "no candidate for this size"};
  for (const CandidateRow& row : candidate_rows) {
    if (row.collective != shape.collective) continue;
    if (message_size(shape) < row.smallest || row.largest < message_size(shape)) continue;
    const Algorithm* algorithm = algorithm_named(row.algorithm);
    if (algorithm->supports(shape)) {
      decision.candidates.push_back(
          our_candidate(*algorithm, algorithm->parameters.with(row.parameters).value()));
    }
  }
  if (decision.candidates.size() > 1) {
    decision.trial =
        Trial(static_cast<std::uint32_t>(decision.candidates.size()), options_.trial_rounds);
    decision.reason = decision.trial.settled() ? "trials are off" : "being tried";
  }
  return decision;
}

std::size_t Planner::PlanKeyHash::operator()(const PlanKey& key) const {
  std::size_t hash = std::hash<const void*>()(key.candidate);
  const auto mix = [&](std::uint64_t value) {
    // The golden ratio's fraction, as in the Fibonacci hashing of Knuth, TAOCP 3, 6.4.
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  };
  mix(key.shape.count);
  mix(static_cast<std::uint64_t>(key.shape.root) << 32U | key.shape.element_bytes);
  mix(static_cast<std::uint64_t>(key.shape.collective) << 1U |
      static_cast<std::uint64_t>(key.shape.in_place));
  return hash ^ (hash >> 32U);
}

const PreparedSchedule& Planner::schedule(const Shape& shape, const Candidate& candidate) {
  const PlanKey key{shape, &candidate};
  if (const auto found = plan_of_.find(key); found != plan_of_.end()) {
    plans_.splice(plans_.begin(), plans_, found->second);
    return *found->second->prepared;
  }
  Schedule generated = candidate.algorithm->generate({shape, view_, candidate.parameters, rank_});
  steps_held_ += generated.steps.size() + 1;
  plans_.push_front({key, std::make_unique<PreparedSchedule>(std::move(generated))});
  plan_of_.emplace(key, plans_.begin());
  while (steps_held_ > most_steps_held && plans_.size() > 1) forget_oldest();
  return *plans_.front().prepared;
}

void Planner::forget_oldest() {
  const Plan& oldest = plans_.back();
  steps_held_ -= oldest.prepared->schedule().steps.size() + 1;
  plan_of_.erase(oldest.key);
  plans_.pop_back();
}

}  // namespace quadrille
