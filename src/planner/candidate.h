// SPDX-License-Identifier: BSD-3-Clause
// What may execute a call: one of our algorithms with its parameters, or the MPI library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace quadrille {

struct Candidate {
  const Algorithm* algorithm = nullptr;  // null: the MPI library
  Parameters parameters{};
  std::string name;  // "bcast_chain:segment=8192", "mpi"
};

Candidate library_candidate();
Candidate candidate_of(const Algorithm& algorithm, Parameters parameters);

// Whether its messages alone do the call: no step is a collective of the MPI library's, and ranks
// need not tell each other anything first. REQUIRES: candidate.algorithm.
bool needs_messages_alone(const Candidate& candidate);

// Of all ranks; nothing where these have more than `most_steps` steps together, or would if all but
// rank 0 had as many as the middle one: so most that are too large are known by two of them.
// REQUIRES: candidate.algorithm, and it supports the shape.
std::optional<std::vector<Schedule>> schedules_within(const Candidate& candidate,
                                                      const Shape& shape, const TopologyView& view,
                                                      std::uint64_t most_steps);

}  // namespace quadrille
