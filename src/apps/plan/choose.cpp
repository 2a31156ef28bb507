// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/choose.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/plan/explanation_json.h"
#include "apps/plan/played_plan.h"
#include "planner/explanation.h"
#include "planner/forced_choice.h"

namespace quadrille::plan {
namespace {

Error complaint(const std::string& what) { return {ErrorKind::invalid_argument, what}; }

Error no_such_rank(const char* what, Rank rank, Rank ranks) {
  return complaint(std::string(what) + " " + std::to_string(rank) + " is none of " +
                   std::to_string(ranks) + " ranks, which are numbered from 0");
}

std::string names_of_collectives() {
  std::string names;
  for (const Collective collective : collectives())
    if (!has_counts(collective))
      names += (names.empty() ? "" : ", ") + std::string(name_of(collective));
  return names;
}

Result<Shape> shape_of(const ChooseRequest& request, Rank ranks) {
  const auto collective = collective_named(request.collective);
  if (!collective) {
    return complaint("there is no collective '" + request.collective + "'; there are " +
                     names_of_collectives());
  }
  if (has_counts(*collective)) {
    return complaint("what " + request.collective +
                     " takes goes by counts that differ; ask for one of " + names_of_collectives());
  }
  const std::uint64_t bytes = *collective == Collective::barrier ? 0 : request.bytes;
  const std::uint32_t element_bytes =
      request.element_bytes != 0 ? request.element_bytes : element_bytes_for(*collective, bytes);
  if (bytes % element_bytes != 0) {
    return complaint(std::to_string(bytes) + " bytes are no whole number of elements of " +
                     std::to_string(element_bytes) + " bytes");
  }
  if (request.root < 0 || request.root >= ranks) return no_such_rank("root", request.root, ranks);
  if (request.steps_of && (*request.steps_of < 0 || *request.steps_of >= ranks))
    return no_such_rank("rank", *request.steps_of, ranks);
  return Shape{.collective = *collective,
               .ranks = ranks,
               .root = is_rooted(*collective) ? request.root : 0,
               .count = bytes / element_bytes,
               .element_bytes = element_bytes};
}

Result<std::optional<Candidate>> asked_for(const std::string& forced, const Shape& shape) {
  if (forced.empty()) return std::optional<Candidate>();
  const auto parsed = parse_forced_choice(std::string(name_of(shape.collective)) + ":" + forced);
  if (!parsed.ok()) {
    // Its errors begin with the variable that holds such text in a program.
    const std::string& message = parsed.error().message;
    const std::size_t behind = message.find(": ");
    return complaint("--force " + message.substr(behind == std::string::npos ? 0 : behind + 2));
  }
  const ForcedCandidate& found = parsed.value().at(shape.collective);
  if (found.algorithm == nullptr) {
    return complaint("--force " + forced + ": the MPI library's own schedule is not known");
  }
  if (!found.algorithm->supports(shape)) {
    return complaint("--force " + forced +
                     ": does not support this call; docs/algorithms.md says what it needs");
  }
  return std::optional(candidate_of(*found.algorithm, found.parameters));
}

}  // namespace

std::uint32_t element_bytes_for(Collective collective, std::uint64_t bytes) {
  if (!is_reducing(collective)) return 1;
  for (const std::uint32_t size : {8U, 4U}) {
    if (bytes % size == 0) return size;
  }
  return 1;
}

Result<nlohmann::ordered_json> choose(const ChooseRequest& request) {
  const auto model = read_model(request.model);
  if (!model.ok()) return model.error();
  const auto network = place_ranks(model.value(), request.placement);
  if (!network.ok()) return network.error();
  const auto shape = shape_of(request, network.value().ranks());
  if (!shape.ok()) return shape.error();
  const auto asked = asked_for(request.forced, shape.value());
  if (!asked.ok()) return asked.error();

  const PlannedNetwork& placed = network.value();
  const auto begin = std::chrono::steady_clock::now();
  const auto explanation = explain(shape.value(), placed.known, asked.value());
  const auto took = std::chrono::steady_clock::now() - begin;
  if (!explanation) {
    return Error{ErrorKind::unsupported,
                 "no candidate of " + request.collective + " can be costed for " +
                     std::to_string(placed.ranks()) + " ranks; give fewer --ranks"};
  }
  const auto played = play(explanation->plan.candidate, shape.value(), placed);
  return json_of({.shape = shape.value(),
                  .network = placed,
                  .explanation = *explanation,
                  .asked = asked.value().has_value(),
                  .planning = {std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()},
                  .played = played,
                  .steps_of = request.steps_of,
                  .timeline = request.timeline});
}

}  // namespace quadrille::plan
