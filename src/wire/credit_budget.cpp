// SPDX-License-Identifier: BSD-3-Clause
// Taken first, then counted, and given back where it was too much: two at once may both get less,
// never together more than the limit.
#include "wire/credit_budget.h"

#include <algorithm>

namespace quadrille::wire {
namespace {

// Below this an exchange could not keep a link busy: a packet arriving, one on its way.
constexpr std::uint32_t smallest_limit = 2;

void lower(std::atomic<std::uint32_t>& value, std::uint32_t most) {
  std::uint32_t found = value.load();
  while ((found == 0 || found > most) && !value.compare_exchange_weak(found, most)) {
  }
}

}  // namespace

CreditBudget::CreditBudget(CreditBoard& board, std::size_t holder, std::uint32_t start,
                           std::uint32_t most)
    : board_(&board), holder_(holder) {
  // The limit first: it is never zero where there is a start. One that has grown stays, but where
  // this holder brings a lower start.
  if (const std::uint32_t found = board_->start.load(); found == 0 || found > start)
    lower(board_->limit, start);
  lower(board_->start, start);
  lower(board_->most, most);
  const auto place = static_cast<std::uint32_t>(holder);
  std::uint32_t places = board_->places.load();
  while (places <= place && !board_->places.compare_exchange_weak(places, place + 1)) {
  }
  // A holder before this one that died may have left something.
  show();
}

void CreditBudget::show() {
  board_->taken[holder_].store(own_ | (is_credit_blocked_ ? CreditBoard::credit_blocked : 0U));
}

void CreditBudget::leave() {
  own_ = 0;
  is_credit_blocked_ = false;
  show();
}

CreditBudget::Others CreditBudget::others() const {
  Others found;
  const std::size_t places = board_->places.load();
  for (std::size_t holder = 0; holder < places; ++holder) {
    const std::uint32_t shown = board_->taken[holder].load();
    if (shown == 0 || holder == holder_) continue;
    found.taken += shown & ~CreditBoard::credit_blocked;
    found.credit_blocked = found.credit_blocked || (shown & CreditBoard::credit_blocked) != 0;
    ++found.holders;
  }
  return found;
}

std::uint32_t CreditBudget::taken() const { return others().taken + own_; }

std::uint32_t CreditBudget::take(std::uint32_t wanted, std::uint32_t guaranteed) {
  if (wanted == 0) return 0;
  const std::uint32_t before = own_;
  own_ += wanted;
  show();
  const Others others = this->others();
  const std::uint32_t limit = board_->limit.load();
  std::uint32_t most = limit - std::min(limit, others.taken);
  sharers_ = others.credit_blocked ? others.holders + 1 : 1;
  most = std::min(most, share());
  own_ = std::clamp(most, std::max(before + guaranteed, 1U), own_);
  const std::uint32_t granted = own_ - before;
  is_credit_blocked_ = granted < wanted;
  show();
  return granted;
}

void CreditBudget::give_back(std::uint32_t packets) {
  own_ -= std::min(packets, own_);
  show();
}

// Two processes that count at the same time may both miss the other's part: it grows later.
void CreditBudget::arrived(std::uint32_t packets, Nanoseconds now) {
  const std::uint32_t limit = board_->limit.load(std::memory_order_relaxed);
  const std::uint32_t start = board_->start.load(std::memory_order_relaxed);
  const std::uint32_t most = board_->most.load(std::memory_order_relaxed);
  if (limit >= std::max(start, most)) return;
  const std::uint32_t two_limits = 2 * limit;
  if (board_->arrivals.fetch_add(packets) + packets < two_limits) return;
  board_->arrivals.store(0);
  const std::int64_t took = now.value - board_->counted_from.exchange(now.value);
  std::uint32_t raised = std::min(limit + 2, start);
  if (took < longest_queue.value && now.value >= board_->grows_again.load()) {
    const auto drained = static_cast<std::uint64_t>(limit) *
                         static_cast<std::uint64_t>(longest_queue.value) /
                         static_cast<std::uint64_t>(std::max<std::int64_t>(took, 1));
    raised = static_cast<std::uint32_t>(std::min<std::uint64_t>({drained, two_limits, most}));
  }
  if (raised > limit) board_->limit.store(raised);
}

void CreditBudget::lost(Nanoseconds now) {
  const std::uint32_t start = board_->start.load();
  if (start == unlimited) return;
  const std::uint32_t limit = board_->limit.load(std::memory_order_relaxed);
  const std::uint32_t less = std::max<std::uint32_t>(limit / 8, 1);
  board_->limit.store(std::max(limit - std::min(less, limit), std::min(smallest_limit, start)));
  board_->grows_again.store((now + no_growth_after_loss).value);
}

std::uint32_t CreditBudget::grown(std::uint32_t packets) const {
  const std::uint64_t start = std::max(board_->start.load(std::memory_order_relaxed), 1U);
  return static_cast<std::uint32_t>(packets * std::max<std::uint64_t>(limit(), start) / start);
}

}  // namespace quadrille::wire
