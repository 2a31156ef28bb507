// SPDX-License-Identifier: BSD-3-Clause
// Decides who executes a call: one of our algorithms, or the MPI library. One planner a
// communicator; all its ranks make the same calls on it in the same order and so decide alike.
//
// Until a model of the network gives costs, candidates are tried in turn (trial.h); calls that may
// not alternate between algorithms - reductions whose bits would change - are left to the MPI
// library.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/algorithm.h"
#include "planner/forced_choice.h"
#include "planner/trial.h"
#include "schedule/prepared_schedule.h"

namespace quadrille {

struct PlannerOptions {
  std::map<Collective, ForcedCandidate> forced;
  std::uint32_t trial_rounds = 8;
  Bytes trial_floor{1024};
};

struct Candidate {
  const Algorithm* algorithm = nullptr;  // null: the MPI library
  Parameters parameters;
  std::string name;  // "bcast_chain:segment=8192", "mpi"
};

// What the ranks decided for one class of shapes.
struct Decision {
  std::vector<Candidate> candidates;  // the first is the MPI library; a forced one stands alone
  Trial trial;
  const char* reason;  // why, in a word or two
};

class Planner {
 public:
  Planner(PlannerOptions options, TopologyView view, Rank rank);

  // The decision that holds for `shape`. REQUIRES: called by all ranks alike, `may_alternate` equal
  // on all.
  Decision& decision(const Shape& shape, bool may_alternate);

  // This rank's schedule of `candidate` for `shape`. Valid until the next call. REQUIRES:
  // candidate.algorithm.
  const PreparedSchedule& schedule(const Shape& shape, const Candidate& candidate);

 private:
  struct PlanKey {
    Shape shape;
    const Candidate* candidate;
    bool operator==(const PlanKey&) const = default;
  };
  struct PlanKeyHash {
    std::size_t operator()(const PlanKey& key) const;
  };
  struct Plan {
    PlanKey key;
    std::unique_ptr<PreparedSchedule> prepared;
  };

  Decision make_decision(const Shape& shape, bool may_alternate) const;
  void forget_oldest();

  PlannerOptions options_;
  TopologyView view_;
  Rank rank_;
  // Bounded by the number of collectives and size classes; never evicted, so that no choice
  // changes.
  std::unordered_map<std::uint64_t, Decision> decisions_;
  // Least recently used last; bounded by the steps they hold. Evicting costs generating again,
  // nothing else.
  std::list<Plan> plans_;
  std::unordered_map<PlanKey, std::list<Plan>::iterator, PlanKeyHash> plan_of_;
  std::size_t steps_held_ = 0;
};

}  // namespace quadrille
