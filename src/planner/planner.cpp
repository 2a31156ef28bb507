// SPDX-License-Identifier: BSD-3-Clause
// Decisions by size class and the root's segment, schedules by exact shape.
#include "planner/planner.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "planner/plan_search.h"
#include "planner/size_class.h"
#include "planner/wire_candidates.h"

namespace quadrille {
namespace {

// About 100 B a step with its dependencies: some 3 MB a communicator at the most.
constexpr std::size_t most_steps_held = std::size_t{1} << 15;

// How much less than the MPI library's time a prediction must be to be followed without a trial:
// predictions err by up to a quarter where they were compared with measurements, and what the
// library does itself is only assumed.
constexpr std::int64_t kClearPercent = 67;
// Below the trial's floor, processes that are woken take longer than messages do, by times that no
// model knows: 0.2 to 0.6 ms for 8 to 16 of them on two cores. A prediction that saves more counts.
constexpr std::int64_t kSavedBelowFloor = 1'000'000;  // ns
// The MPI library and these many of ours meet in a trial.
constexpr std::size_t kMostTried = 2;

bool is_ever_tried(Collective collective, const TopologyView& view) {
  return std::ranges::any_of(algorithms(), [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && !algorithm.use.tried.empty() &&
           may_be_used(algorithm, view);
  });
}

// In a decision's key.
constexpr std::uint64_t nonblocking_calls = std::uint64_t{1} << 18U;
constexpr std::uint64_t builtin_operations = std::uint64_t{1} << 19U;

Decision left_to_library(const char* reason) {
  return {{library_candidate()}, Trial(1, 0), reason, {Nanoseconds{}}};
}

}  // namespace

Planner::Planner(PlannerOptions options, KnownNetwork network, Rank rank)
    : options_(std::move(options)), network_(std::move(network)), rank_(rank) {}

std::uint64_t Planner::decision_key(const Shape& shape, bool may_alternate, Bytes size) const {
  std::uint64_t root_segment = 0;
  if (network_.costs && is_rooted(shape.collective)) {
    const auto host = network_.view.host_of_rank[static_cast<std::size_t>(shape.root)];
    root_segment = network_.view.segment_of_host[host];
  }
  return (root_segment << 40U) |
         (std::uint64_t{static_cast<std::uint8_t>(shape.collective)} << 32U) |
         (shape.is_nonblocking ? nonblocking_calls : 0) |
         (shape.is_builtin ? builtin_operations : 0) | (std::uint64_t{shape.commutative} << 17U) |
         (std::uint64_t{may_alternate} << 16U) | size_class(size.value);
}

Decision& Planner::decision(const Shape& shape, bool may_alternate, Bytes size) {
  const std::uint64_t key = decision_key(shape, may_alternate, size);
  const auto found = decisions_.find(key);
  if (found != decisions_.end()) return found->second;
  Decision made = make_decision(shape, may_alternate, size);
  made.key = key;
  if (shape.is_nonblocking) leave_out_what_waits(made);
  adopt_verdict(made);
  if (made.is_rehearsed && made.trial.settled()) note_rehearsed(made, shape.collective, size);
  return decisions_.emplace(key, std::move(made)).first->second;
}

// A start may wait for no other rank, nor ask whether multicast reaches all; what is forced stays.
void Planner::leave_out_what_waits(Decision& decision) const {
  if (decision.trial.settled()) return;
  for (std::size_t i = decision.candidates.size(); --i > 0;) {
    const Candidate& candidate = decision.candidates[i];
    if (needs_messages_alone(candidate) && !needs_multicast(*candidate.algorithm)) continue;
    decision.candidates.erase(decision.candidates.begin() + static_cast<std::ptrdiff_t>(i));
    decision.predicted.erase(decision.predicted.begin() + static_cast<std::ptrdiff_t>(i));
  }
  decision.trial =
      Trial(static_cast<std::uint32_t>(decision.candidates.size()), options_.trial_rounds);
  if (decision.trial.settled()) decision.reason = "no candidate for this size";
}

void Planner::adopt_verdict(Decision& decision) const {
  if (options_.verdicts == nullptr || decision.trial.settled()) return;
  const auto* const known = options_.verdicts->find({fingerprint_of(network_.view), decision.key});
  if (known == nullptr) return;
  const std::string& ours =
      known->chosen == library_candidate().name ? known->rival : known->chosen;
  const auto best = std::ranges::find(decision.candidates, ours, &Candidate::name);
  // It is not a candidate any more, or neither was.
  if (best == decision.candidates.end() || best->algorithm == nullptr) return;
  decision.trial.adopt(static_cast<std::uint32_t>(best - decision.candidates.begin()),
                       known->chosen == ours);
  if (decision.is_rehearsed) decision.trial.end();
  decision.reason = "tried by an earlier job";
}

void Planner::keep_verdict(const Decision& decision) const {
  if (options_.verdicts == nullptr) return;
  const std::uint32_t chosen = decision.trial.candidate();
  const std::uint32_t best = decision.trial.in_stage().back();
  options_.verdicts->learn({fingerprint_of(network_.view), decision.key},
                           {.chosen = decision.candidates[chosen].name,
                            .rival = decision.candidates[chosen == 0 ? best : 0].name,
                            .at_s = std::time(nullptr)});
}

bool Planner::uses_multicast(const Candidate& candidate) const {
  return network_.view.has_some_multicast() && candidate.algorithm != nullptr &&
         needs_multicast(*candidate.algorithm);
}

void Planner::forget_plans() {
  plans_.clear();
  plan_of_.clear();
  steps_held_ = 0;
  vector_plans_.forget();
}

void Planner::leave_multicast() {
  std::erase_if(decisions_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second.candidates, [&](const Candidate& candidate) {
      return uses_multicast(candidate);
    });
  });
  forget_plans();
  left_multicast_ = {std::exchange(network_.view.has_multicast, false),
                     std::exchange(network_.view.multicast_in_segment, {}),
                     {}};
  for (const auto& [key, decision] : decisions_) left_multicast_.without_it.insert(key);
}

// What was decided meanwhile is decided anew.
void Planner::return_to_multicast() {
  std::erase_if(decisions_, [&](const auto& entry) {
    // Nonblocking calls go without it anyway, and their trials may be under way.
    return !left_multicast_.without_it.contains(entry.first) &&
           (entry.first & nonblocking_calls) == 0;
  });
  forget_plans();
  network_.view.has_multicast = left_multicast_.to_all;
  network_.view.multicast_in_segment = std::exchange(left_multicast_, {}).in_segment;
}

bool Planner::depends_on_size(const Shape& shape) const {
  return is_ever_tried(shape.collective, network_.view) &&
         !options_.forced.contains(shape.collective) && network_.view.hosts() > 1 &&
         shape.ranks > 2 && options_.trial_rounds > 0;
}

Decision Planner::make_decision(const Shape& shape, bool may_alternate, Bytes size) const {
  if (const auto forced = options_.forced.find(shape.collective); forced != options_.forced.end()) {
    const auto& [algorithm, parameters] = forced->second;
    if (algorithm == nullptr) return left_to_library("forced");
    if (!algorithm->supports(shape))
      return left_to_library("forced algorithm does not support the shape");
    if (algorithm->use.needs == Needs::host_memory && !may_be_used(*algorithm, network_.view))
      return left_to_library("no memory that the ranks of a host share");
    return {{candidate_of(*algorithm, parameters)}, Trial(1, 0), "forced", {Nanoseconds{}}};
  }
  if (network_.view.hosts() < 2) return left_to_library("one host or island");
  if (has_counts(shape.collective) && options_.trial_rounds == 0)
    return left_to_library("trials are off");
  // Of blocks that differ a shape tells too little to be costed.
  const bool is_costed = network_.costs && !has_counts(shape.collective);
  if (shape.ranks < 3) return left_to_library("too small to try");
  const bool is_small = size < options_.trial_floor;
  const bool is_tried_small =
      options_.trial_rounds > 0 && !in_host_memory(shape, size, network_.view).empty();
  if (is_small && is_tried_small)
    return may_alternate ? list_for_trial(shape, size) : decide_small_reduction(shape, size);
  if (is_costed) {
    Decision by_costs = decide_by_costs(shape, may_alternate, size);
    const bool is_left = by_costs.candidates.back().algorithm == nullptr;
    if (may_alternate || !is_left || !is_tried_small) return by_costs;
    return decide_small_reduction(shape, size);
  }
  if (is_small) return left_to_library("too small to try");
  if (may_alternate) return list_for_trial(shape, size);
  if (is_tried_small) return decide_small_reduction(shape, size);
  return left_to_library("no costs, and results must not change between calls");
}

Decision Planner::decide_by_costs(const Shape& shape, bool may_alternate, Bytes size) const {
  auto costed = cost_candidates(shape, network_.view, *network_.costs);
  if (costed.empty()) return left_to_library("too large to be costed");
  const auto library = library_time(network_.library, costed, shape);
  const auto best = costed.front().cost.total;
  const bool is_clear = library && best.value * 100 <= library->time.value * kClearPercent;
  if (size < options_.trial_floor &&
      !(is_clear && library->time.value - best.value >= kSavedBelowFloor))
    return left_to_library("too small to try");
  const bool tried = may_alternate && options_.trial_rounds > 0;
  if (!tried) {
    if (!is_clear) return left_to_library("by the model not clearly faster");
    return {{std::move(costed.front().candidate)}, Trial(1, 0), "by the model", {best}};
  }
  Decision decision{
      {library_candidate()}, Trial(1, 0), "being tried", {library ? library->time : Nanoseconds{}}};
  const WireCandidates from_wire(network_.view, shape, size, options_.trial_floor);
  from_wire.enter(decision, costed);
  for (CostedCandidate& one : costed) {
    if (decision.candidates.size() > kMostTried) break;
    if (from_wire.replaces(*one.candidate.algorithm) || from_wire.has(*one.candidate.algorithm))
      continue;
    decision.candidates.push_back(std::move(one.candidate));
    decision.predicted.push_back(one.cost.total);
  }
  decision.trial =
      Trial(static_cast<std::uint32_t>(decision.candidates.size()), options_.trial_rounds);
  return decision;
}

// What rounds keeps its bits: it is decided before the first call.
Decision Planner::decide_small_reduction(const Shape& shape, Bytes size) const {
  const std::optional<bool> is_won = reductions_.is_won(shape.collective, size);
  if (!is_won && !may_rehearse_)
    return left_to_library("not rehearsed, and results must not change between calls");
  if (is_won && !*is_won) return left_to_library("rehearsed by all ranks");
  Decision decision = left_to_library("being rehearsed");
  for (const Algorithm* const algorithm : in_host_memory(shape, size, network_.view)) {
    decision.candidates.push_back(candidate_of(*algorithm, algorithm->parameters));
    decision.predicted.emplace_back();
  }
  decision.trial =
      Trial(static_cast<std::uint32_t>(decision.candidates.size()), options_.trial_rounds);
  decision.is_rehearsed = true;
  if (!is_won) return decision;
  decision.trial.adopt(static_cast<std::uint32_t>(decision.candidates.size()) - 1, true);
  decision.trial.end();
  decision.reason = "rehearsed by all ranks";
  return decision;
}

void Planner::end_rehearsal(Decision& decision, Collective collective, Bytes size) {
  decision.trial.end();
  decision.reason = "rehearsed";
  note_rehearsed(decision, collective, size);
}

void Planner::note_rehearsed(const Decision& decision, Collective collective, Bytes size) {
  if (may_rehearse_) reductions_.add(collective, size, decision.trial.candidate() != 0);
}

Decision Planner::list_for_trial(const Shape& shape, Bytes size) const {
  Decision decision = left_to_library("no candidate for this size");
  const WireCandidates from_wire(network_.view, shape, size, options_.trial_floor);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != shape.collective || algorithm.use.needs != Needs::nothing ||
        !algorithm.supports(shape) || from_wire.replaces(algorithm))
      continue;
    for (const TriedSizes& sizes : {algorithm.use.tried, algorithm.use.also_tried}) {
      if (!sizes.contains(size.value) || size < options_.trial_floor) continue;
      decision.candidates.push_back(
          candidate_of(algorithm, algorithm.parameters.with(sizes.parameters).value()));
      decision.predicted.emplace_back();
    }
  }
  from_wire.enter(decision, {});
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

const SharedSchedule& Planner::schedule(const Shape& shape, const Candidate& candidate) {
  const PlanKey key{shape, &candidate};
  if (const auto found = plan_of_.find(key); found != plan_of_.end()) {
    plans_.splice(plans_.begin(), plans_, found->second);
    return found->second->prepared;
  }
  Schedule generated =
      candidate.algorithm->generate({shape, network_.view, candidate.parameters, rank_});
  steps_held_ += generated.steps.size() + 1;
  plans_.push_front({key, std::make_shared<const PreparedSchedule>(std::move(generated))});
  plan_of_.emplace(key, plans_.begin());
  while (steps_held_ > most_steps_held && plans_.size() > 1) forget_oldest();
  return plans_.front().prepared;
}

void Planner::forget_oldest() {
  const Plan& oldest = plans_.back();
  steps_held_ -= oldest.prepared->schedule().steps.size() + 1;
  plan_of_.erase(oldest.key);
  plans_.pop_back();
}

}  // namespace quadrille
