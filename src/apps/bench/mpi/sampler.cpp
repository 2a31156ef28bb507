// SPDX-License-Identifier: BSD-3-Clause
// The margin between deciding on an instant and the instant adapts to how early its announcement
// arrives.
#include "apps/bench/mpi/sampler.h"

#include <algorithm>

#include "apps/bench/waiting.h"
#include "base/monotonic_clock.h"

namespace quadrille::bench {
namespace {

constexpr std::int64_t kSmallestMarginNs = 100'000;
constexpr std::int64_t kLargestMarginNs = 100'000'000;
// A start up to this late, or up to a twentieth of the side's median, counts as being on time: with
// more ranks than cores the scheduler alone takes that long to wake everybody.
constexpr std::int64_t kToleranceNs = 100'000;
// Calls after which the share of late starts says something.
constexpr std::int64_t kFairTrial = 8;

std::int64_t median_of(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Sampler::Sampler(const Operation& operation, Call& call, Rendezvous& rendezvous,
                 const SharedClock& clock, const ExecutionSource& executions,
                 const Options& options, bool spin)
    : operation_(operation),
      call_(call),
      rendezvous_(rendezvous),
      clock_(clock),
      executions_(executions),
      options_(options),
      spin_(spin) {}

std::size_t Sampler::measure(Side side, int calls, std::vector<Sample>& into) {
  if (options_.synchronisation == Synchronisation::instant)
    return measure_at_instants(side, calls, into);
  measure_back_to_back(side, calls, into);
  return 0;
}

std::int64_t Sampler::agree(const std::function<std::int64_t()>& decide) {
  return rendezvous_.agree({}, [&](const Report&) { return decide(); });
}

std::size_t Sampler::measure_at_instants(Side side, int calls, std::vector<Sample>& into) {
  std::size_t repeated = 0;
  std::int64_t repeats_left = calls;
  for (std::int64_t todo = calls; todo > 0;) {
    for (; todo > 0; --todo) timed_call(side);
    todo = rendezvous_.agree(take_report(), [&](const Report& merged) {
      harvest(merged);
      return settle(into, repeats_left, repeated);
    });
  }
  return repeated;
}

void Sampler::timed_call(Side side) {
  ++number_;
  ++side_number_[static_cast<int>(side)];
  operation_.fill(call_, number_);
  const Order order = rendezvous_.meet(take_report(), [&](const Report& merged) {
    harvest(merged);
    return Order{.instant = clock_.to_shared(monotonic_now().value) + margin_ns_, .number = 0};
  });
  side_ = side;
  const std::int64_t received_ns = clock_.to_shared(monotonic_now().value);
  const std::int64_t planned_ns = order.instant + skew_ns(call_.rank);
  wait_until(clock_.to_local(planned_ns), spin_);
  Report report;
  report.negative_slack = received_ns - order.instant;
  report.lateness = clock_.to_shared(monotonic_now().value) - planned_ns;
  invoke(side, report);
  if (rendezvous_.rank() == 0) {
    planned_start_ns_ = order.instant + largest_skew_ns();
    outstanding_ = true;
  }
  report_ = report;
}

void Sampler::measure_back_to_back(Side side, int calls, std::vector<Sample>& into) {
  rendezvous_.agree({}, [](const Report&) { return 0; });
  std::vector<Report> reports(static_cast<std::size_t>(calls));
  std::vector<Execution> executions(reports.size());
  for (std::size_t index = 0; index < reports.size(); ++index) {
    operation_.fill(call_, ++number_);
    invoke(side, reports[index]);
    executions[index] = execution_;
  }
  for (std::size_t index = 0; index < reports.size(); ++index) {
    rendezvous_.agree(reports[index], [&](const Report& merged) {
      wrong_ += merged.wrong;
      durations_[static_cast<int>(side)].push_back(merged.local_duration);
      into.push_back({.duration_ns = merged.local_duration,
                      .local_duration_ns = merged.local_duration,
                      .execution = executions[index],
                      .flows = merged.flows});
      return 0;
    });
  }
}

void Sampler::invoke(Side side, Report& report) {
  std::vector<LatestCall> made;
  call_.made_one = side == Side::native ? std::function<void()>{}
                                        : [&] { made.push_back(executions_.latest()); };
  const std::int64_t start_ns = monotonic_now().value;
  if (side == Side::native) {
    operation_.native(call_);
  } else {
    operation_.library(call_);
  }
  const std::int64_t end_ns = monotonic_now().value;
  call_.made_one = nullptr;
  report.local_duration = end_ns - start_ns;
  report.last_end = clock_.to_shared(end_ns);
  if (call_.is_root()) report.root_start = clock_.to_shared(start_ns);
  const bool receives = call_.is_root() == (operation_.receipt == Receipt::at_root);
  if (operation_.receipt != Receipt::unrooted && receives) report.last_receipt = report.last_end;
  made.push_back(side == Side::library ? executions_.latest() : LatestCall{});
  const LatestCall latest = as_one_call(made);
  execution_ = latest.execution;
  report.flows = latest.flows;
  report.wrong = operation_.check(call_, number_) ? 0 : 1;
  ++verified_;
}

Report Sampler::take_report() {
  const Report taken = report_;
  report_ = {};
  return taken;
}

void Sampler::harvest(const Report& report) {
  if (!outstanding_) return;
  outstanding_ = false;
  wrong_ += report.wrong;
  adjust_margin(report);
  auto& durations = durations_[static_cast<int>(side_)];
  Sample sample;
  sample.duration_ns = report.last_end - planned_start_ns_;
  sample.local_duration_ns = report.local_duration;
  if (report.last_receipt != Report::kNone)
    sample.root_to_last_ns = report.last_receipt - report.root_start;
  sample.lateness_ns = std::max<std::int64_t>(report.lateness, 0);
  sample.late = report.lateness > std::max(kToleranceNs, median_of(durations) / 20);
  sample.execution = execution_;
  sample.flows = report.flows;
  durations.push_back(sample.duration_ns);
  pending_.push_back(std::move(sample));
}

void Sampler::adjust_margin(const Report& report) {
  const std::int64_t slack_ns = -report.negative_slack;
  if (slack_ns < margin_ns_ / 4) margin_ns_ = std::min(margin_ns_ * 2, kLargestMarginNs);
  if (slack_ns > margin_ns_ * 3 / 4) margin_ns_ = std::max(margin_ns_ * 9 / 10, kSmallestMarginNs);
}

std::int64_t Sampler::settle(std::vector<Sample>& into, std::int64_t& repeats_left,
                             std::size_t& repeated) {
  const auto late = std::count_if(pending_.begin(), pending_.end(),
                                  [](const Sample& sample) { return sample.late; });
  // Where most starts are late, ranks have to wait for each other's cores, and repeating cannot
  // help.
  seen_ += static_cast<std::int64_t>(pending_.size());
  seen_late_ += late;
  const bool hopeless = seen_ >= kFairTrial && seen_late_ * 2 > seen_;
  const std::int64_t again = hopeless ? 0 : std::min<std::int64_t>(late, repeats_left);
  repeats_left -= again;
  repeated += static_cast<std::size_t>(again);
  std::int64_t dropped = 0;
  for (auto& sample : pending_) {
    if (sample.late && dropped < again) {
      ++dropped;
    } else {
      into.push_back(std::move(sample));
    }
  }
  pending_.clear();
  return again;
}

// The same for the n-th call of either side, so that both see the same arrivals.
std::int64_t Sampler::skew_ns(int rank) const {
  if (options_.skew_us <= 0) return 0;
  const std::uint64_t key = block_key(options_.seed, side_number_[static_cast<int>(side_)],
                                      static_cast<std::uint64_t>(rank));
  return static_cast<std::int64_t>(options_.skew_us * 1e3 * static_cast<double>(key >> 11) *
                                   0x1p-53);
}

std::int64_t Sampler::largest_skew_ns() const {
  std::int64_t largest = 0;
  for (int rank = 0; rank < call_.ranks; ++rank) largest = std::max(largest, skew_ns(rank));
  return largest;
}

}  // namespace quadrille::bench
