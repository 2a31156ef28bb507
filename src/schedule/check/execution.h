// SPDX-License-Identifier: BSD-3-Clause
// Symbolic execution of all ranks' schedules with sends that wait for their receives. What can
// start or complete stays able to, so that the outcome does not depend on the order in which steps
// are picked: what gets stuck here gets stuck always, with the least buffering that MPI promises.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/check/contents.h"
#include "schedule/check/finding.h"
#include "schedule/check/whole_call.h"
#include "schedule/shape.h"

namespace quadrille {

// Start or completion of a step, in an order in which all could happen.
struct Event {
  GlobalStep step = 0;
  bool is_completion = false;
};

class Execution {
 public:
  // REQUIRES: check_steps and find_unmatched found nothing. Borrows `shape` and `call`; of a vector
  // collective `counts` are what each rank knows.
  Execution(const Shape& shape, const WholeCall& call, std::span<const LocalCounts> counts = {});

  // Runs all steps that can run; reports deadlock, uninitialised reads and wrong combinations.
  void run(Findings& findings);

  const Contents& contents(Rank rank) const { return contents_[static_cast<std::size_t>(rank)]; }
  const Expressions& expressions() const { return expressions_; }
  const std::vector<Event>& events() const { return events_; }

 private:
  void fill_initial_contents(std::span<const LocalCounts> counts);
  void list_followers();
  void start_if_ready(GlobalStep step);
  void complete(GlobalStep step);
  void perform(GlobalStep step, Findings& findings);
  void meet(GlobalStep step, Findings& findings);
  std::vector<Extent> read(GlobalStep step, const Region& region, Findings& findings);
  std::vector<Extent> combined(GlobalStep step, const std::vector<Extent>& left,
                               const std::vector<Extent>& right, Findings& findings);
  void report_deadlock(Findings& findings) const;
  std::string what_it_waits_for(GlobalStep step) const;

  const Shape& shape_;
  const WholeCall& call_;
  Expressions expressions_;
  std::vector<Contents> contents_;
  std::vector<Event> events_;

  std::vector<std::uint32_t> waits_for_;  // incomplete dependencies of each step
  std::vector<bool> started_;
  std::vector<bool> completed_;
  std::vector<std::uint32_t> first_follower_;  // into followers_, [steps + 1]
  std::vector<GlobalStep> followers_;          // steps that depend on a step
  std::vector<GlobalStep> startable_;          // steps to look at
};

}  // namespace quadrille
