// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/explanation_json.h"

#include <cmath>
#include <string>

#include "schedule/dump.h"

namespace quadrille::plan {
namespace {

using Json = nlohmann::ordered_json;

// With one decimal; 0 where there is nothing to compare with.
double percent(double part, double whole) {
  return whole > 0 ? std::round(1000 * part / whole) / 10 : 0;
}

Json call_of(const ToldPlan& told) {
  const Shape& shape = told.shape;
  return {{"collective", name_of(shape.collective)},
          {"bytes", message_size(shape).value},
          {"ranks", shape.ranks},
          {"root", is_rooted(shape.collective) ? Json(shape.root) : Json()},
          {"element_bytes", shape.element_bytes}};
}

Json placement_of(const PlannedNetwork& network) {
  Json placement = Json::array();
  for (Rank rank = 0; rank < network.ranks(); ++rank) {
    placement.push_back(
        {{"rank", rank}, {"host", network.host_of(rank)}, {"segment", network.segment_of(rank)}});
  }
  return placement;
}

Json library_of(const Explanation& explanation) {
  if (!explanation.library) return nullptr;
  return {{"time_ns", explanation.library->time.value},
          {"source", explanation.library->measured ? "measured" : "estimated"}};
}

Json limit_of(const LowerBound& bound, const ToldPlan& told) {
  return {{"time_ns", std::llround(bound.time_ns())},
          {"latency_ns", std::llround(bound.latency_ns)},
          {"bandwidth_ns", std::llround(bound.bandwidth_ns)},
          {"bottleneck", bound.bottleneck},
          {"percent_of_limit",
           percent(bound.time_ns(), static_cast<double>(told.explanation.plan.cost.total.value))}};
}

Json bound_of(const ToldPlan& told) {
  const LowerBound bound = plan::bound_of(told.shape, told.network);
  if (bound.time_ns() <= 0) return nullptr;
  const LowerBound one_to_one = plan::bound_of(told.shape, told.network, Delivery::one_to_one);
  Json found = limit_of(bound, told);
  found["with_multicast"] = bound.with_multicast;
  found["without_multicast"] =
      one_to_one.time_ns() > bound.time_ns() ? limit_of(one_to_one, told) : Json();
  return found;
}

Json comparison_of(const ToldPlan& told) {
  if (!told.explanation.other) return nullptr;
  const CostedCandidate& plan = told.explanation.plan;
  const CostedCandidate& other = *told.explanation.other;
  const bool plan_is_slower = other.cost.total < plan.cost.total;
  const CostedCandidate& slower = plan_is_slower ? plan : other;
  const CostedCandidate& faster = plan_is_slower ? other : plan;
  const Comparison found = compare(slower.cost, faster.cost);
  Json comparison{{"other", json_of(other, told.network.costs())},
                  {"slower", slower.candidate.name},
                  {"slower_by_ns", (slower.cost.total - faster.cost.total).value},
                  {"most_of_it", name_of(found.most)},
                  {"most_of_it_ns", found.by.value},
                  {"resource", nullptr}};
  if (found.resource != NetworkCosts::none) {
    comparison["resource"] = {{"name", told.network.costs().resources[found.resource].name},
                              {"busy_slower_ns", found.busy_slower.value},
                              {"busy_faster_ns", found.busy_faster.value}};
  }
  return comparison;
}

Json messages_of(const PlayedPlan& played) {
  Json messages = Json::array();
  for (const TimedMessage& message : played.messages) {
    messages.push_back({{"from", message.from},
                        {"to", message.to},
                        {"bytes", message.bytes},
                        {"round", message.round},
                        {"start_ns", message.start.value},
                        {"end_ns", message.end.value}});
  }
  return messages;
}

// One event a step; of copies and reductions, the bytes that they write.
Json timeline_of(const PlayedPlan& played, std::uint32_t element_bytes) {
  Json events = Json::array();
  std::size_t at = 0;
  for (std::size_t rank = 0; rank < played.schedules.size(); ++rank) {
    const auto& steps = played.schedules[rank].steps;
    for (std::size_t index = 0; index < steps.size(); ++index, ++at) {
      const Step& step = steps[index];
      const Region& moved = step.from.length > 0 ? step.from : step.into;
      events.push_back({{"rank", rank},
                        {"step", index},
                        {"kind", name_of(step.kind)},
                        {"peer", has_peer(step.kind) ? Json(step.peer) : Json()},
                        {"bytes", moved.length * element_bytes},
                        {"start_ns", played.times[at].start.value},
                        {"end_ns", played.times[at].end.value}});
    }
  }
  return events;
}

Json schedule_of(const ToldPlan& told, Rank rank) {
  const Candidate& candidate = told.explanation.plan.candidate;
  // The dump numbers ranks by position.
  Json one = dump(told.shape, candidate.algorithm->name, candidate.parameters.text(),
                  {&told.played->schedules[static_cast<std::size_t>(rank)], 1})["schedules"][0];
  one["rank"] = rank;
  return one;
}

}  // namespace

Json json_of(const CostedCandidate& candidate, const NetworkCosts& costs) {
  const CostBreakdown& cost = candidate.cost;
  Json told{{"name", candidate.candidate.name},
            {"algorithm", candidate.candidate.algorithm->name},
            {"parameters", candidate.candidate.parameters.text()},
            {"time_ns", cost.total.value},
            {"retransmissions_ns", cost.retransmissions.value},
            {"bottleneck", nullptr}};
  if (cost.bottleneck != NetworkCosts::none) {
    const auto busy_ns = cost.busy[cost.bottleneck].value;
    told["bottleneck"] = {{"name", costs.resources[cost.bottleneck].name},
                          {"busy_ns", busy_ns},
                          {"busy_percent", percent(static_cast<double>(busy_ns),
                                                   static_cast<double>(cost.total.value))}};
  }
  return told;
}

Json json_of(const ToldPlan& told) {
  const NetworkCosts& costs = told.network.costs();
  Json candidates = Json::array();
  for (const CostedCandidate& one : told.explanation.candidates)
    candidates.push_back(json_of(one, costs));
  const RunTimeDecision decision = decision_of(told.shape, told.network);
  const bool has_steps = told.played.has_value();
  return {
      {"format", "quadrille-plan"},
      {"version", 1},
      {"call", call_of(told)},
      {"placement", placement_of(told.network)},
      {"plan", json_of(told.explanation.plan, costs)},
      {"asked", told.asked},
      {"candidates", std::move(candidates)},
      {"comparison", comparison_of(told)},
      {"library", library_of(told.explanation)},
      {"bound", bound_of(told)},
      {"at_run_time", {{"reason", decision.reason}, {"candidates", decision.candidates}}},
      {"planning_ns", told.planning.value},
      {"messages", has_steps ? messages_of(*told.played) : Json()},
      {"schedule", has_steps && told.steps_of ? schedule_of(told, *told.steps_of) : Json()},
      {"timeline",
       has_steps && told.timeline ? timeline_of(*told.played, told.shape.element_bytes) : Json()}};
}

}  // namespace quadrille::plan
