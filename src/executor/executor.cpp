// SPDX-License-Identifier: BSD-3-Clause
// The walk: a counter a step, a heap of steps whose counter reached zero, and the transport's
// completions. Of the steps that can start the first of the list does, as an algorithm means it
// that names the child first that has others to serve.
#include "executor/executor.h"

#include <algorithm>
#include <functional>

#include "base/monotonic_clock.h"

namespace quadrille {

namespace {

constexpr std::uint32_t done = 0xffffffffU;

}  // namespace

Result<bool> Executor::begin(const PreparedSchedule& prepared, const CallMemory& memory,
                             Transport& transport, std::vector<StepSpan>* times) {
  prepared_ = &prepared;
  memory_ = &memory;
  transport_ = &transport;
  times_ = times;
  const std::size_t steps = prepared.schedule().steps.size();
  if (times_ != nullptr) times_->assign(steps, {});
  look_at_clock();
  waits_for_.resize(steps);
  completed_.resize(std::max<std::size_t>(prepared.messages(), 1));
  ready_.clear();
  for (std::size_t i = 0; i < steps; ++i) {  // ascending, which is a heap
    waits_for_[i] = prepared.waits_for(static_cast<StepIndex>(i));
    if (waits_for_[i] == 0) ready_.push_back(static_cast<StepIndex>(i));
  }
  unfinished_ = steps;
  return start_ready();
}

Result<bool> Executor::go_on() {
  const auto count = transport_->poll(completed_);
  if (!count.ok()) return count.error();
  if (count.value() == 0) return false;
  look_at_clock();
  for (std::size_t i = 0; i < count.value(); ++i) complete(completed_[i]);
  return start_ready();
}

Result<bool> Executor::run(const PreparedSchedule& prepared, const CallMemory& memory,
                           Transport& transport, const WaitingRules& rules,
                           std::vector<StepSpan>* times) {
  Waiting waiting(rules.mode);
  const Nanoseconds began = rules.reports_after.value > 0 ? monotonic_now() : Nanoseconds{};
  bool reported = rules.reports_after.value == 0;
  std::uint32_t polls = 0;
  if (auto started = begin(prepared, memory, transport, times); !started.ok()) return started;
  while (!is_done()) {
    const auto progressed = go_on();
    if (!progressed.ok()) return progressed;
    if (progressed.value() || transport.moved()) {
      waiting.progressed();
    } else {
      waiting.idle(transport.offers_core_at_once(),
                   [&](Nanoseconds time) { transport.sleep(time); });
    }
    if (!reported && ++polls % 64 == 0 && monotonic_now() - began > rules.reports_after) {
      reported = true;
      rules.report(missing_peers());
    }
  }
  return true;
}

Result<bool> Executor::start_ready() {
  while (!ready_.empty()) {
    std::ranges::pop_heap(ready_, std::greater<>());
    const StepIndex index = ready_.back();
    ready_.pop_back();
    if (auto started = start(index); !started.ok()) return started;
  }
  return true;
}

Result<bool> Executor::start(StepIndex index) {
  const Step& step = prepared_->schedule().steps[index];
  if (times_ != nullptr) (*times_)[index].start = now_;
  switch (step.kind) {
    case StepKind::copy:
      memory_->copy(readable(step.from), writable(step.into), step.into.length);
      look_at_clock();
      complete(index);
      return true;
    case StepKind::reduce:
      memory_->reduce(readable(step.from), writable(step.into), step.into.length);
      look_at_clock();
      complete(index);
      return true;
    case StepKind::send: {
      auto sent = transport_->start_send(index, step.peer, readable(step.from), step.from.length);
      if (sent.ok()) release(prepared_->next_in_order(index));
      return sent;
    }
    case StepKind::receive: {
      auto posted =
          transport_->start_receive(index, step.peer, writable(step.into), step.into.length);
      if (posted.ok()) release(prepared_->next_in_order(index));
      return posted;
    }
    case StepKind::group_bcast:
    case StepKind::group_reduce: {
      auto begun = start_group(index, step);
      if (begun.ok()) release(prepared_->next_in_order(index));
      return begun;
    }
  }
  return true;
}

Result<bool> Executor::start_group(StepIndex index, const Step& step) {
  const auto& group = prepared_->schedule().group;
  const auto root = static_cast<Rank>(std::ranges::lower_bound(group, step.peer) - group.begin());
  if (step.kind == StepKind::group_reduce) {
    return transport_->start_group_reduce(index, root, readable(step.from), writable(step.into),
                                          step.from.length);
  }
  if (step.from.length == 0)
    return transport_->start_group_bcast(index, root, writable(step.into), step.into.length);
  // The root's data are read, though the library takes no pointer to constants.
  auto* data = const_cast<std::byte*>(readable(step.from));  // NOLINT(*-const-cast)
  return transport_->start_group_bcast(index, root, data, step.from.length);
}

void Executor::look_at_clock() {
  if (times_ != nullptr) now_ = monotonic_now();
}

void Executor::complete(StepIndex index) {
  --unfinished_;
  if (times_ != nullptr) (*times_)[index].end = now_;
  waits_for_[index] = done;
  for (const StepIndex dependent : prepared_->dependents_of(index)) release(dependent);
}

void Executor::release(StepIndex index) {
  if (index == PreparedSchedule::none || --waits_for_[index] > 0) return;
  ready_.push_back(index);
  std::ranges::push_heap(ready_, std::greater<>());
}

const std::byte* Executor::readable(const Region& region) const {
  const std::byte* base = region.buffer == Buffer::send      ? memory_->send
                          : region.buffer == Buffer::receive ? memory_->receive
                                                             : memory_->scratch;
  return base + static_cast<std::int64_t>(region.offset) * memory_->element_stride;
}

std::byte* Executor::writable(const Region& region) const {
  std::byte* base = region.buffer == Buffer::receive ? memory_->receive : memory_->scratch;
  return base + static_cast<std::int64_t>(region.offset) * memory_->element_stride;
}

std::vector<Rank> Executor::missing_peers() const {
  std::vector<Rank> peers;
  const auto& steps = prepared_->schedule().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (waits_for_[i] != 0) continue;
    if (is_message(steps[i].kind)) peers.push_back(steps[i].peer);
    if (is_group(steps[i].kind)) {
      const auto& group = prepared_->schedule().group;
      peers.insert(peers.end(), group.begin(), group.end());
    }
  }
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

}  // namespace quadrille
