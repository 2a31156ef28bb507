// SPDX-License-Identifier: BSD-3-Clause
// Taken first, then counted, and given back where it was too much: two at once may both get less,
// never together more than the limit.
#include "wire/budget/credit_budget.h"

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
  lower(board_->most, std::max(start, most));
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

void CreditBudget::arrived(std::uint32_t packets) {
  const std::uint32_t limit = board_->limit.load(std::memory_order_relaxed);
  if (limit >= board_->start.load(std::memory_order_relaxed)) return;
  if (board_->arrivals.fetch_add(packets) + packets < limit) return;
  board_->arrivals.store(0);
  board_->limit.store(limit + 1);
}

void CreditBudget::drained_half_in(Nanoseconds time, Nanoseconds now) {
  const std::uint32_t limit = board_->limit.load();
  const std::uint32_t most = board_->most.load();
  if (limit < board_->start.load() || limit >= most || time.value < 0) return;
  if (now.value < board_->grows_again.load()) return;
  const auto drains = static_cast<std::uint64_t>(
      limit * (longest_queue.value / 2 + coalesced.value) / (time + coalesced).value);
  const auto raised =
      static_cast<std::uint32_t>(std::min<std::uint64_t>({drains, 2ULL * limit, most}));
  if (raised > limit) board_->limit.store(raised);
}

void CreditBudget::lost(Nanoseconds now) {
  const std::uint32_t start = board_->start.load();
  if (start == unlimited) return;
  const std::uint32_t limit = board_->limit.load(std::memory_order_relaxed);
  const std::int64_t lost_before = board_->grows_again.load() - board_->pause.load();
  if (limit > start && now.value - lost_before < longest_queue.value) return;
  const std::uint32_t less = std::max<std::uint32_t>(limit / 8, 1);
  board_->limit.store(std::max(limit - std::min(less, limit), std::min(smallest_limit, start)));
  // Others of the same burst lengthen nothing.
  const std::int64_t grows_again = board_->grows_again.load();
  if (now.value >= grows_again) {
    const std::int64_t pause = board_->pause.load();
    board_->pause.store(
        std::clamp(limit > start ? 2 * pause : pause, first_pause.value, longest_pause.value));
  }
  board_->grows_again.store(now.value + board_->pause.load());
}

std::uint32_t CreditBudget::grown(std::uint32_t packets) const {
  const std::uint64_t start = std::max(board_->start.load(std::memory_order_relaxed), 1U);
  return static_cast<std::uint32_t>(packets * std::max<std::uint64_t>(limit(), start) / start);
}

}  // namespace quadrille::wire
