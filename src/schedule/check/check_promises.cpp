// SPDX-License-Identifier: BSD-3-Clause
// Happened-before: the completion of a step precedes the start of those that depend on it, the
// start of a send precedes the completion of its receive, messages of a pair start in order. Marks
// travel along it as bit sets.
//
// Most incoming messages: two messages can be under way at the same time unless the receipt of one
// precedes the start of the other; a set of messages can be so if each two can. The largest such
// set of an order is the number of messages less a maximum matching of "may come directly after"
// (Dilworth, doi:10.2307/1969503; Fulkerson, doi:10.1090/S0002-9939-1956-0078334-6).
//
// Most ahead: the largest surplus of a set of sends over the receives that precede any of them is
// the number of sends less a maximum matching of sends to such receives (Hall; Ore,
// doi:10.1215/S0012-7094-55-02268-7).
#include "schedule/check/check_promises.h"

#include <algorithm>
#include <string>
#include <vector>

#include "schedule/check/bipartite_matching.h"

namespace quadrille {

namespace {

class PromiseCheck {
 public:
  PromiseCheck(const Shape& shape, const WholeCall& call, std::span<const Event> events,
               Findings& findings)
      : shape_(shape), call_(call), events_(events), findings_(findings) {}

  void run() {
    if (shape_.collective == Collective::barrier) check_barrier();
    for (Rank rank = 0; rank < shape_.ranks; ++rank) {
      if (call_.schedule(rank).most_incoming > 0) check_most_incoming(rank);
      if (call_.schedule(rank).most_ahead > 0) check_most_ahead(rank);
    }
  }

 private:
  // What is known to have happened when a step starts and when it completes: sets of marks.
  struct Knowledge {
    BitRows at_start;
    BitRows at_completion;
  };

  // Spreads marks: `mark_of` says for an event which mark it sets, or BitRows::none.
  template <typename MarkOf>
  Knowledge spread(std::size_t marks, const MarkOf& mark_of) const {
    Knowledge known{BitRows(call_.size(), marks), BitRows(call_.size(), marks)};
    for (const Event& event : events_) {
      const GlobalStep step = event.step;
      BitRows& rows = event.is_completion ? known.at_completion : known.at_start;
      if (event.is_completion) {
        rows.add(step, known.at_start, step);
        if (call_[step].kind == StepKind::receive) {
          rows.add(step, known.at_start, call_.other_end(step));
        }
        if (is_told_by_root(step)) rows.add(step, known.at_start, call_.root_of(step));
        if (tells_root_of_all(step)) {
          for (const GlobalStep one : call_.meeting_of(step)) rows.add(step, known.at_start, one);
        }
      } else {
        const Rank rank = call_.rank_of(step);
        for (const StepIndex earlier : call_.schedule(rank).dependencies_of(call_[step])) {
          rows.add(step, known.at_completion, call_.first(rank) + earlier);
        }
        if (const GlobalStep before = call_.message_before(step); before != WholeCall::none) {
          rows.add(step, known.at_start, before);
        }
      }
      if (const std::size_t mark = mark_of(event); mark != BitRows::none) rows.set(step, mark);
    }
    return known;
  }

  // A collective of the MPI library's without data waits for nobody.
  bool is_told_by_root(GlobalStep step) const {
    const Schedule& schedule = call_.schedule(call_.rank_of(step));
    return call_[step].kind == StepKind::group_bcast && call_.root_of(step) != step &&
           (call_.carries_data(step) || schedule.over_wire || schedule.in_host_memory);
  }
  bool tells_root_of_all(GlobalStep step) const {
    const Schedule& schedule = call_.schedule(call_.rank_of(step));
    return call_[step].kind == StepKind::group_reduce && call_.root_of(step) == step &&
           (call_.carries_data(step) || schedule.in_host_memory);
  }

  void check_barrier() {
    const auto known = spread(static_cast<std::size_t>(shape_.ranks), [&](const Event& event) {
      return static_cast<std::size_t>(call_.rank_of(event.step));
    });
    for (Rank rank = 0; rank < shape_.ranks; ++rank) {
      BitRows left(1, static_cast<std::size_t>(shape_.ranks));
      left.set(0, static_cast<std::size_t>(rank));
      for (GlobalStep step = call_.first(rank); step < call_.first(rank + 1); ++step) {
        left.add(0, known.at_completion, step);
      }
      for (Rank other = 0; other < shape_.ranks; ++other) {
        if (left.has(0, static_cast<std::size_t>(other))) continue;
        findings_.push_back({FindingKind::not_synchronised, rank, Finding::no_step,
                             "may leave before rank " + std::to_string(other) + " has come"});
      }
    }
  }

  std::vector<GlobalStep> data_steps(Rank rank, StepKind kind) const {
    std::vector<GlobalStep> steps;
    for (GlobalStep step = call_.first(rank); step < call_.first(rank + 1); ++step) {
      if (call_[step].kind == kind && call_.carries_data(step)) steps.push_back(step);
    }
    return steps;
  }

  // For each of `receives`, its position among them; BitRows::none for all other steps.
  std::vector<std::size_t> positions(const std::vector<GlobalStep>& receives) const {
    std::vector<std::size_t> result(call_.size(), BitRows::none);
    for (std::size_t i = 0; i < receives.size(); ++i) result[receives[i]] = i;
    return result;
  }

  void check_most_incoming(Rank rank) {
    const std::vector<GlobalStep> receives = data_steps(rank, StepKind::receive);
    const std::vector<std::size_t> position = positions(receives);
    const Knowledge known = spread(receives.size(), [&](const Event& event) {
      return event.is_completion ? position[event.step] : BitRows::none;
    });
    BitRows received_before(receives.size(), receives.size());
    for (std::size_t i = 0; i < receives.size(); ++i) {
      received_before.add(i, known.at_start, call_.other_end(receives[i]));
    }
    const std::size_t most = receives.size() - maximum_matching(received_before);
    if (const std::uint32_t promised = call_.schedule(rank).most_incoming; most > promised) {
      findings_.push_back({FindingKind::too_many_incoming, rank, Finding::no_step,
                           std::to_string(most) + " messages with data may be under way to it, " +
                               std::to_string(promised) + " are promised"});
    }
  }

  void check_most_ahead(Rank rank) {
    const std::vector<GlobalStep> receives = data_steps(rank, StepKind::receive);
    const std::vector<GlobalStep> sends = data_steps(rank, StepKind::send);
    const std::vector<std::size_t> position = positions(receives);
    const Knowledge known = spread(receives.size(), [&](const Event& event) {
      return event.is_completion ? position[event.step] : BitRows::none;
    });
    BitRows received_before(sends.size(), receives.size());
    for (std::size_t i = 0; i < sends.size(); ++i) {
      received_before.add(i, known.at_start, sends[i]);
    }
    const std::size_t most = sends.size() - maximum_matching(received_before);
    if (const std::uint32_t promised = call_.schedule(rank).most_ahead; most > promised) {
      findings_.push_back({FindingKind::too_far_ahead, rank, Finding::no_step,
                           "may have started to send " + std::to_string(most) +
                               " messages more than it has received, " + std::to_string(promised) +
                               " are promised"});
    }
  }

  const Shape& shape_;
  const WholeCall& call_;
  std::span<const Event> events_;
  Findings& findings_;
};

}  // namespace

void check_promises(const Shape& shape, const WholeCall& call, std::span<const Event> events,
                    Findings& findings) {
  PromiseCheck(shape, call, events, findings).run();
}

}  // namespace quadrille
