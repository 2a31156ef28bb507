// SPDX-License-Identifier: BSD-3-Clause
#include "executor/host_group.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/monotonic_clock.h"

namespace quadrille {
namespace {

// What the program has begun in the library beside goes on, though nothing of it is awaited here.
// To drive it takes a microsecond or two, which ranks that share a core take from those they wait
// for: so it is done more and more seldom at first, and each time once the wait is longer than a
// small call takes, as others then wait for something else.
constexpr Nanoseconds first_interval{60'000};
constexpr Nanoseconds small_call{200'000};
// Nothing that comes ends a sleep, and a small call has several waits one behind the other: who
// would sleep gives its core away instead, for as long as programs compute between two calls, and
// then sleeps for moments.
constexpr Nanoseconds wakeful{10'000'000};
constexpr Nanoseconds longest_doze{20'000};

}  // namespace

HostGroup::HostGroup(std::vector<HostCell*> cells, std::size_t own)
    : cells_(std::move(cells)), own_(own) {}

void HostGroup::begin(const CallMemory& memory, std::size_t element_bytes, Transport& beside) {
  memory_ = &memory;
  element_bytes_ = element_bytes;
  beside_ = &beside;
  beside_under_way_ = 0;
  began_ = monotonic_now();
  beside_driven_ = began_;
  beside_interval_ = first_interval;
  lengths_differ_ = false;
}

Result<bool> HostGroup::start_send(StepIndex step, Rank peer, const void* address,
                                   std::uint64_t length) {
  ++beside_under_way_;
  return beside_->start_send(step, peer, address, length);
}

Result<bool> HostGroup::start_receive(StepIndex step, Rank peer, void* address,
                                      std::uint64_t length) {
  ++beside_under_way_;
  return beside_->start_receive(step, peer, address, length);
}

Result<bool> HostGroup::start_group_bcast(StepIndex step, Rank root, void* data,
                                          std::uint64_t length) {
  auto* const bytes = static_cast<std::byte*>(data);
  steps_.push_back({.step = step,
                    .number = ++number_,
                    .root = static_cast<std::size_t>(root),
                    .from = bytes,
                    .into = bytes,
                    .length = length});
  return true;
}

Result<bool> HostGroup::start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                           std::uint64_t length) {
  steps_.push_back({.step = step,
                    .number = ++number_,
                    .combines = true,
                    .root = static_cast<std::size_t>(root),
                    .from = static_cast<const std::byte*>(from),
                    .into = static_cast<std::byte*>(into),
                    .length = length,
                    .left = cells_.size()});
  return true;
}

Result<std::size_t> HostGroup::poll(std::span<StepIndex> completed) {
  std::size_t count = 0;
  while (!steps_.empty() && advance(steps_.front())) {
    completed[count++] = steps_.front().step;
    steps_.pop_front();
  }
  if (count > 0 && beside_under_way_ == 0) return count;
  auto beside = poll_beside(completed.subspan(count));
  if (!beside.ok()) return beside;
  return count + beside.value();
}

Result<std::size_t> HostGroup::poll_beside(std::span<StepIndex> completed) {
  if (beside_under_way_ > 0) {
    const auto done = beside_->poll(completed);
    if (done.ok()) beside_under_way_ -= done.value();
    return done;
  }
  const Nanoseconds now = monotonic_now();
  if (now - beside_driven_ > beside_interval_) {
    beside_driven_ = now;
    beside_interval_ =
        beside_interval_ < small_call ? beside_interval_ + beside_interval_ : Nanoseconds{};
    beside_->progress();
  }
  return std::size_t{0};
}

void HostGroup::sleep(Nanoseconds time) {
  if (monotonic_now() - began_ < wakeful) {
    sched_yield();
  } else {
    Transport::sleep(std::min(time, longest_doze));
  }
}

bool HostGroup::advance(GroupStep& step) {
  const bool is_root = step.root == own_;
  if (step.combines && is_root) return combine(step);
  return step.combines || is_root ? write(step) : read(step);
}

bool HostGroup::is_free(std::uint64_t number) {
  if (number <= all_done_ + HostCell::slots) return true;
  std::uint64_t least = number;
  for (const HostCell* cell : cells_)
    least = std::min(least, cell->done.load(std::memory_order_acquire));
  all_done_ = least;
  return number <= all_done_ + HostCell::slots;
}

bool HostGroup::write(const GroupStep& step) {
  if (!is_free(step.number)) return false;
  HostCell::Slot& slot = cells_[own_]->slot[step.number % HostCell::slots];
  if (step.length > 0) memory_->copy(step.from, slot.data.data(), step.length);
  slot.bytes = step.length * element_bytes_;
  slot.number.store(step.number, std::memory_order_release);
  finish(step);
  return true;
}

const HostCell::Slot* HostGroup::slot_of(std::size_t index, const GroupStep& step) {
  const HostCell::Slot& slot = cells_[index]->slot[step.number % HostCell::slots];
  if (slot.number.load(std::memory_order_acquire) != step.number) return nullptr;
  if (slot.bytes != step.length * element_bytes_) lengths_differ_ = true;
  return &slot;
}

bool HostGroup::read(const GroupStep& step) {
  const HostCell::Slot* const slot = slot_of(step.root, step);
  if (slot == nullptr) return false;
  if (step.length > 0 && !lengths_differ_) memory_->copy(slot->data.data(), step.into, step.length);
  finish(step);
  return true;
}

// From the last rank down: a reduction's left operand is combined into the right one.
bool HostGroup::combine(GroupStep& step) {
  while (step.left > 0) {
    const std::size_t index = step.left - 1;
    const std::byte* data = step.from;
    if (index != own_) {
      const HostCell::Slot* const slot = slot_of(index, step);
      if (slot == nullptr) return false;
      data = slot->data.data();
    }
    const bool is_last = step.left == cells_.size();
    if (step.length > 0 && !lengths_differ_)
      (is_last ? memory_->copy : memory_->reduce)(data, step.into, step.length);
    --step.left;
  }
  finish(step);
  return true;
}

void HostGroup::finish(const GroupStep& step) {
  cells_[own_]->done.store(step.number, std::memory_order_release);
}

}  // namespace quadrille
