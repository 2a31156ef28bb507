// SPDX-License-Identifier: BSD-3-Clause
// The walk: a counter a step, a heap of steps whose counter reached zero, and the transport's
// completions. Of the steps that can start the first of the list does, as an algorithm means it
// that names the child first that has others to serve.
#include "executor/executor.h"

#include <algorithm>
#include <functional>

#include "base/monotonic_clock.h"

namespace quadrille {

class Executor::Walk {
 public:
  Walk(Executor& owner, const PreparedSchedule& prepared, const CallMemory& memory,
       Transport& transport, std::vector<StepSpan>* times)
      : owner_(owner), prepared_(prepared), memory_(memory), transport_(transport), times_(times) {
    const std::size_t steps = prepared.schedule().steps.size();
    if (times_ != nullptr) times_->assign(steps, {});
    look_at_clock();
    owner_.waits_for_.resize(steps);
    owner_.completed_.resize(std::max<std::size_t>(prepared.messages(), 1));
    owner_.ready_.clear();
    for (std::size_t i = 0; i < steps; ++i) {  // ascending, which is a heap
      owner_.waits_for_[i] = prepared.waits_for(static_cast<StepIndex>(i));
      if (owner_.waits_for_[i] == 0) owner_.ready_.push_back(static_cast<StepIndex>(i));
    }
    unfinished_ = steps;
  }

  Result<bool> run(const WaitingRules& rules) {
    Waiting waiting(rules.mode);
    const Nanoseconds began = rules.reports_after.value > 0 ? monotonic_now() : Nanoseconds{};
    bool reported = rules.reports_after.value == 0;
    std::uint32_t polls = 0;
    if (auto started = start_ready(); !started.ok()) return started;
    while (unfinished_ > 0) {
      const auto count = transport_.poll(owner_.completed_);
      if (!count.ok()) return count.error();
      if (count.value() > 0) {
        waiting.progressed();
        look_at_clock();
        for (std::size_t i = 0; i < count.value(); ++i) complete(owner_.completed_[i]);
        if (auto started = start_ready(); !started.ok()) return started;
        continue;
      }
      if (transport_.moved()) {
        waiting.progressed();
      } else {
        waiting.idle(transport_.wakes_by_arrivals(),
                     [this](Nanoseconds time) { transport_.sleep(time); });
      }
      if (!reported && ++polls % 64 == 0 && monotonic_now() - began > rules.reports_after) {
        reported = true;
        rules.report(missing_peers());
      }
    }
    return true;
  }

 private:
  Result<bool> start_ready() {
    while (!owner_.ready_.empty()) {
      std::ranges::pop_heap(owner_.ready_, std::greater<>());
      const StepIndex index = owner_.ready_.back();
      owner_.ready_.pop_back();
      if (auto started = start(index); !started.ok()) return started;
    }
    return true;
  }

  Result<bool> start(StepIndex index) {
    const Step& step = prepared_.schedule().steps[index];
    if (times_ != nullptr) (*times_)[index].start = now_;
    switch (step.kind) {
      case StepKind::copy:
        memory_.copy(readable(step.from), writable(step.into), step.into.length);
        look_at_clock();
        complete(index);
        return true;
      case StepKind::reduce:
        memory_.reduce(readable(step.from), writable(step.into), step.into.length);
        look_at_clock();
        complete(index);
        return true;
      case StepKind::send: {
        auto sent = transport_.start_send(index, step.peer, readable(step.from), step.from.length);
        if (sent.ok()) release(prepared_.next_in_order(index));
        return sent;
      }
      case StepKind::receive: {
        auto posted =
            transport_.start_receive(index, step.peer, writable(step.into), step.into.length);
        if (posted.ok()) release(prepared_.next_in_order(index));
        return posted;
      }
      case StepKind::group_bcast:
      case StepKind::group_reduce: {
        auto begun = start_group(index, step);
        if (begun.ok()) release(prepared_.next_in_order(index));
        return begun;
      }
    }
    return true;
  }

  Result<bool> start_group(StepIndex index, const Step& step) {
    const auto& group = prepared_.schedule().group;
    const auto root = static_cast<Rank>(std::ranges::lower_bound(group, step.peer) - group.begin());
    if (step.kind == StepKind::group_reduce) {
      return transport_.start_group_reduce(index, root, readable(step.from), writable(step.into),
                                           step.from.length);
    }
    if (step.from.length == 0)
      return transport_.start_group_bcast(index, root, writable(step.into), step.into.length);
    // The root's data are read, though the library takes no pointer to constants.
    auto* data = const_cast<std::byte*>(readable(step.from));  // NOLINT(*-const-cast)
    return transport_.start_group_bcast(index, root, data, step.from.length);
  }

  void look_at_clock() {
    if (times_ != nullptr) now_ = monotonic_now();
  }

  void complete(StepIndex index) {
    --unfinished_;
    if (times_ != nullptr) (*times_)[index].end = now_;
    owner_.waits_for_[index] = done;
    for (const StepIndex dependent : prepared_.dependents_of(index)) release(dependent);
  }

  void release(StepIndex index) {
    if (index == PreparedSchedule::none || --owner_.waits_for_[index] > 0) return;
    owner_.ready_.push_back(index);
    std::ranges::push_heap(owner_.ready_, std::greater<>());
  }

  const std::byte* readable(const Region& region) const {
    const std::byte* base = region.buffer == Buffer::send      ? memory_.send
                            : region.buffer == Buffer::receive ? memory_.receive
                                                               : memory_.scratch;
    return base + static_cast<std::int64_t>(region.offset) * memory_.element_stride;
  }

  std::byte* writable(const Region& region) const {
    std::byte* base = region.buffer == Buffer::receive ? memory_.receive : memory_.scratch;
    return base + static_cast<std::int64_t>(region.offset) * memory_.element_stride;
  }

  // Those of the messages that could move now: steps that wait for others of ours are not to blame.
  std::vector<Rank> missing_peers() const {
    std::vector<Rank> peers;
    const auto& steps = prepared_.schedule().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (owner_.waits_for_[i] != 0) continue;
      if (is_message(steps[i].kind)) peers.push_back(steps[i].peer);
      if (is_group(steps[i].kind)) {
        const auto& group = prepared_.schedule().group;
        peers.insert(peers.end(), group.begin(), group.end());
      }
    }
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    return peers;
  }

  static constexpr std::uint32_t done = 0xffffffffU;

  Executor& owner_;
  const PreparedSchedule& prepared_;
  const CallMemory& memory_;
  Transport& transport_;
  std::vector<StepSpan>* const times_;  // null: nobody asks
  Nanoseconds now_{};
  std::size_t unfinished_ = 0;
};

Result<bool> Executor::run(const PreparedSchedule& prepared, const CallMemory& memory,
                           Transport& transport, const WaitingRules& rules,
                           std::vector<StepSpan>* times) {
  return Walk(*this, prepared, memory, transport, times).run(rules);
}

}  // namespace quadrille
