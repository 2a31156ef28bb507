// SPDX-License-Identifier: BSD-3-Clause
#include "planner/candidate.h"

#include <utility>

#include "algorithms/alltoall/count_exchange.h"

namespace quadrille {

Candidate library_candidate() { return {nullptr, Parameters(), "mpi"}; }

Candidate candidate_of(const Algorithm& algorithm, Parameters parameters) {
  std::string name(algorithm.name);
  if (const std::string text = parameters.text(); !text.empty()) name += ":" + text;
  return {&algorithm, std::move(parameters), std::move(name)};
}

bool needs_messages_alone(const Candidate& candidate) {
  return !needs_count_exchange(*candidate.algorithm) &&
         candidate.algorithm->use.needs != Needs::host_memory &&
         candidate.parameters.text().find("host=library") == std::string::npos;
}

std::optional<std::vector<Schedule>> schedules_within(const Candidate& candidate,
                                                      const Shape& shape, const TopologyView& view,
                                                      std::uint64_t most_steps) {
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  const std::size_t middle = ranks / 2;
  std::vector<Schedule> schedules(ranks);
  std::uint64_t steps = 0;
  const auto generate = [&](std::size_t rank) {
    schedules[rank] =
        candidate.algorithm->generate({shape, view, candidate.parameters, static_cast<Rank>(rank)});
    return schedules[rank].steps.size();
  };
  steps += generate(0);
  if (middle > 0) {
    const std::uint64_t of_middle = generate(middle);
    if (steps + of_middle * (ranks - 1) > most_steps) return std::nullopt;
    steps += of_middle;
  }
  for (std::size_t rank = 1; rank < ranks && steps <= most_steps; ++rank) {
    if (rank != middle) steps += generate(rank);
  }
  if (steps > most_steps) return std::nullopt;
  return schedules;
}

}  // namespace quadrille
