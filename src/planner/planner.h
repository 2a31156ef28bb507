// SPDX-License-Identifier: BSD-3-Clause
// Decides who executes a call: one of our algorithms, or the MPI library. One planner a
// communicator; all its ranks make the same calls on it in the same order and so decide alike.
//
// Where a model of the network gives costs, the cheapest of ours by these costs meets the MPI
// library in a trial of the program's own calls (trial.h): a prediction may err, and no call shall
// become slower. Calls that may not alternate between algorithms - reductions whose bits would
// change - are replaced when the costs alone say so clearly.
//
// Without a model, and where blocks differ in length so that a shape does not tell the cost, a
// fixed list (algorithms.def) is tried, and calls that may not alternate are left to
// the MPI library. The ranks of an alltoallv know only their own counts, and of a gatherv only the
// root knows all: their size is one that the ranks have agreed on (shared_size.h).
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/agree/known_reductions.h"
#include "planner/agree/trial.h"
#include "planner/candidate.h"
#include "planner/forced_choice.h"
#include "planner/known_network.h"
#include "planner/vector_plans.h"
#include "planner/verdicts.h"
#include "schedule/blocks.h"
#include "schedule/prepared_schedule.h"

namespace quadrille {

struct PlannerOptions {
  std::map<Collective, ForcedCandidate> forced;
  std::uint32_t trial_rounds = 8;
  Bytes trial_floor{1024};
  Verdicts* verdicts = nullptr;  // of other jobs, and for them; outlives the planner; null: of none
};

// What the ranks decided for one class of shapes.
struct Decision {
  std::vector<Candidate> candidates;  // the first is the MPI library; a forced one stands alone
  Trial trial;
  const char* reason;  // why, in a word or two
  // By the model, of each candidate; 0 where nothing is known.
  std::vector<Nanoseconds> predicted;
  std::optional<std::uint32_t> told = {};  // the verdict that stands in the log
  std::uint64_t key = 0;                   // of the class of shapes
  bool is_rehearsed = false;               // tried with data of no meaning, before the first call
};

class Planner {
 public:
  Planner(PlannerOptions options, KnownNetwork network, Rank rank);

  const TopologyView& view() const { return network_.view; }
  const PlannerOptions& options() const { return options_; }

  // The decision that holds for calls of `shape` and `size`. REQUIRES: called by all ranks alike,
  // `may_alternate` and `size` equal on all.
  Decision& decision(const Shape& shape, bool may_alternate, Bytes size);
  // For shapes that tell the size.
  Decision& decision(const Shape& shape, bool may_alternate) {
    return decision(shape, may_alternate, message_size(shape));
  }
  // For other jobs, what the decision's trial has come to. REQUIRES: its final is settled.
  void keep_verdict(const Decision& decision) const;
  // What the communicator's ranks have agreed on. REQUIRES: before the first decision.
  struct Terms {
    bool has_host_memory = false;  // the ranks of each host share some
    KnownReductions reductions{};
    bool is_of_all = false;  // of the job's ranks: it rehearses for those that are not
  };
  void begin(const Terms& terms) {
    network_.view.has_host_memory = terms.has_host_memory;
    reductions_ = terms.reductions;
    may_rehearse_ = terms.is_of_all;
  }
  // A rehearsal is over; its verdict is never looked at again.
  void end_rehearsal(Decision& decision, Collective collective, Bytes size);
  const KnownReductions& reductions() const { return reductions_; }
  // Whether calls by `candidate` are heard by several hosts at once.
  bool uses_multicast(const Candidate& candidate) const;
  // From now on there is none. Decisions and schedules that count on it are no longer valid.
  // REQUIRES: called by all ranks alike.
  void leave_multicast();
  // It is back; what was decided without it is decided anew. REQUIRES: called by all ranks alike,
  // after leave_multicast().
  void return_to_multicast();
  // Whether `size` may make a difference.
  bool depends_on_size(const Shape& shape) const;

  // This rank's schedule of `candidate` for `shape`. The reference is valid until the next call.
  // REQUIRES: candidate.algorithm.
  const SharedSchedule& schedule(const Shape& shape, const Candidate& candidate);
  // The same of a vector collective in which this rank has `counts`. REQUIRES:
  // has_counts(shape.collective).
  const SharedSchedule& schedule(const Shape& shape, const Candidate& candidate,
                                 StoredCounts counts) {
    return vector_plans_.schedule(shape, candidate, network_.view, rank_, std::move(counts));
  }

 private:
  void forget_plans();
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
    SharedSchedule prepared;
  };

  std::uint64_t decision_key(const Shape& shape, bool may_alternate, Bytes size) const;
  Decision make_decision(const Shape& shape, bool may_alternate, Bytes size) const;
  // Has its trial begin with what another job has found.
  void adopt_verdict(Decision& decision) const;
  void leave_out_what_waits(Decision& decision) const;
  void note_rehearsed(const Decision& decision, Collective collective, Bytes size);
  Decision decide_by_costs(const Shape& shape, bool may_alternate, Bytes size) const;
  Decision list_for_trial(const Shape& shape, Bytes size) const;
  Decision decide_small_reduction(const Shape& shape, Bytes size) const;
  void forget_oldest();

  PlannerOptions options_;
  KnownNetwork network_;
  Rank rank_;
  KnownReductions reductions_;
  bool may_rehearse_ = false;
  // Bounded by the number of collectives, size classes and segments; never evicted, so that no
  // choice changes.
  std::unordered_map<std::uint64_t, Decision> decisions_;
  struct LeftMulticast {
    bool to_all = false;
    std::vector<bool> in_segment;
    std::set<std::uint64_t> without_it;  // decisions that were so before it was left
  };
  LeftMulticast left_multicast_;
  // Least recently used last; bounded by the steps they hold. Evicting costs generating again,
  // nothing else.
  std::list<Plan> plans_;
  std::unordered_map<PlanKey, std::list<Plan>::iterator, PlanKeyHash> plan_of_;
  std::size_t steps_held_ = 0;
  VectorPlans vector_plans_;
};

}  // namespace quadrille
