// SPDX-License-Identifier: BSD-3-Clause
// A work list of steps that may have become able to start; a message takes place when both ends
// have started.
#include "schedule/check/execution.h"

#include <algorithm>
#include <string>

namespace quadrille {

Execution::Execution(const Shape& shape, const WholeCall& call, std::span<const LocalCounts> counts)
    : shape_(shape),
      call_(call),
      expressions_(shape.ranks),
      contents_(static_cast<std::size_t>(shape.ranks)),
      waits_for_(call.size()),
      started_(call.size()),
      completed_(call.size()) {
  fill_initial_contents(counts);
  list_followers();
}

void Execution::fill_initial_contents(std::span<const LocalCounts> counts) {
  for (Rank rank = 0; rank < shape_.ranks; ++rank) {
    const Region own = initial_data(
        shape_, rank, counts.empty() ? LocalCounts{} : counts[static_cast<std::size_t>(rank)]);
    if (own.length == 0) continue;
    const Extent whole{own.length, static_cast<Expression>(rank), 0};
    contents_[static_cast<std::size_t>(rank)].write(own, {&whole, 1});
  }
}

void Execution::list_followers() {
  first_follower_.assign(call_.size() + 1, 0);
  const auto for_each_dependency = [this](auto&& visit) {
    for (GlobalStep step = 0; step < call_.size(); ++step) {
      const Rank rank = call_.rank_of(step);
      for (const StepIndex earlier : call_.schedule(rank).dependencies_of(call_[step])) {
        visit(call_.first(rank) + earlier, step);
      }
    }
  };
  for_each_dependency([this](GlobalStep earlier, GlobalStep step) {
    ++first_follower_[earlier + 1];
    ++waits_for_[step];
  });
  for (GlobalStep step = 0; step < call_.size(); ++step) {
    first_follower_[step + 1] += first_follower_[step];
  }
  followers_.resize(first_follower_.back());
  std::vector<std::uint32_t> next(first_follower_.begin(), first_follower_.end() - 1);
  for_each_dependency(
      [&](GlobalStep earlier, GlobalStep step) { followers_[next[earlier]++] = step; });
}

void Execution::run(Findings& findings) {
  for (GlobalStep step = call_.size(); step > 0; --step) startable_.push_back(step - 1);
  while (!startable_.empty()) {
    const GlobalStep step = startable_.back();
    startable_.pop_back();
    if (started_[step]) continue;
    start_if_ready(step);
    if (!started_[step]) continue;
    if (call_.is_group(step)) {
      meet(step, findings);
    } else if (!call_.is_message(step)) {
      perform(step, findings);
      complete(step);
    } else if (const GlobalStep other = call_.other_end(step); started_[other]) {
      const bool is_send = call_[step].kind == StepKind::send;
      perform(is_send ? step : other, findings);
      complete(is_send ? step : other);
      complete(is_send ? other : step);
    }
  }
  if (std::find(completed_.begin(), completed_.end(), false) != completed_.end()) {
    report_deadlock(findings);
  }
}

// A group step takes place when its last rank has started it.
void Execution::meet(GlobalStep step, Findings& findings) {
  const auto steps = call_.meeting_of(step);
  if (!std::ranges::all_of(steps, [&](GlobalStep one) { return started_[one]; })) return;
  const GlobalStep root = call_.root_of(step);
  if (call_[step].kind == StepKind::group_bcast) {
    const std::vector<Extent> data = read(root, call_[root].from, findings);
    for (const GlobalStep one : steps) {
      if (one != root)
        contents_[static_cast<std::size_t>(call_.rank_of(one))].write(call_[one].into, data);
    }
  } else {
    std::vector<Extent> sum = read(steps.front(), call_[steps.front()].from, findings);
    for (const GlobalStep one : steps.subspan(1))
      sum = combined(one, sum, read(one, call_[one].from, findings), findings);
    contents_[static_cast<std::size_t>(call_.rank_of(root))].write(call_[root].into, sum);
  }
  for (const GlobalStep one : steps) complete(one);
}

void Execution::start_if_ready(GlobalStep step) {
  const GlobalStep before = call_.message_before(step);
  if (waits_for_[step] > 0 || (before != WholeCall::none && !started_[before])) return;
  started_[step] = true;
  events_.push_back({step, false});
  if (call_.message_after(step) != WholeCall::none) startable_.push_back(call_.message_after(step));
}

void Execution::complete(GlobalStep step) {
  completed_[step] = true;
  events_.push_back({step, true});
  for (std::uint32_t f = first_follower_[step]; f < first_follower_[step + 1]; ++f) {
    if (--waits_for_[followers_[f]] == 0) startable_.push_back(followers_[f]);
  }
}

void Execution::perform(GlobalStep step, Findings& findings) {
  const Step& what = call_[step];
  if (what.from.length == 0) return;
  std::vector<Extent> data = read(step, what.from, findings);
  if (what.kind == StepKind::send) {
    const GlobalStep receive = call_.other_end(step);
    contents_[static_cast<std::size_t>(what.peer)].write(call_[receive].into, data);
    return;
  }
  if (what.kind == StepKind::reduce) {
    data = combined(step, data, read(step, what.into, findings), findings);
  }
  contents_[static_cast<std::size_t>(call_.rank_of(step))].write(what.into, data);
}

std::vector<Extent> Execution::read(GlobalStep step, const Region& region, Findings& findings) {
  std::vector<Extent> extents = contents(call_.rank_of(step)).read(region);
  std::uint64_t position = region.offset;
  for (const Extent& extent : extents) {
    if (extent.expression == uninitialised) {
      findings.push_back({FindingKind::uninitialised, call_.rank_of(step), call_.index_of(step),
                          text_of(call_[step]) + " reads " +
                              text_of(Region{region.buffer, position, extent.length}) +
                              ", which nothing was written to"});
    }
    position += extent.length;
  }
  return extents;
}

std::vector<Extent> Execution::combined(GlobalStep step, const std::vector<Extent>& left,
                                        const std::vector<Extent>& right, Findings& findings) {
  std::vector<Extent> result;
  const auto report = [&](const std::string& message) {
    findings.push_back(
        {FindingKind::wrong_combination, call_.rank_of(step), call_.index_of(step), message});
  };
  for (const auto& [from, into] : cut_alike(left, right)) {
    if (from.expression == uninitialised || into.expression == uninitialised) {
      result.push_back({into.length, uninitialised, 0});
      continue;
    }
    if (from.origin != into.origin) {
      report("combines element " + std::to_string(from.origin) + " with element " +
             std::to_string(into.origin));
    }
    const Expression both = expressions_.combine(from.expression, into.expression);
    std::vector<Rank> ranks = expressions_.contributors(both);
    std::sort(ranks.begin(), ranks.end());
    if (const auto twice = std::adjacent_find(ranks.begin(), ranks.end()); twice != ranks.end()) {
      report("combines the contribution of rank " + std::to_string(*twice) + " twice");
    }
    result.push_back({into.length, both, into.origin});
  }
  return result;
}

void Execution::report_deadlock(Findings& findings) const {
  // One step a rank says enough: the first that does not complete.
  for (Rank rank = 0; rank < shape_.ranks; ++rank) {
    for (GlobalStep step = call_.first(rank); step < call_.first(rank + 1); ++step) {
      if (completed_[step]) continue;
      findings.push_back(
          {FindingKind::deadlock, rank, call_.index_of(step), what_it_waits_for(step)});
      break;
    }
  }
}

std::string Execution::what_it_waits_for(GlobalStep step) const {
  const Rank rank = call_.rank_of(step);
  const std::string what = text_of(call_[step]);
  for (const StepIndex earlier : call_.schedule(rank).dependencies_of(call_[step])) {
    if (!completed_[call_.first(rank) + earlier]) {
      return what + " waits for step " + std::to_string(earlier);
    }
  }
  if (const GlobalStep before = call_.message_before(step);
      before != WholeCall::none && !started_[before]) {
    return what + " may not overtake step " + std::to_string(call_.index_of(before));
  }
  if (call_.is_group(step)) return what + " waits for a rank of its group that has not started it";
  const GlobalStep other = call_.other_end(step);
  return what + " waits for step " + std::to_string(call_.index_of(other)) + " of rank " +
         std::to_string(call_.rank_of(other)) + ", which has not started";
}

}  // namespace quadrille
