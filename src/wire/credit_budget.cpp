// SPDX-License-Identifier: BSD-3-Clause
// Taken first, then counted, and given back where it was too much: two at once may both get less,
// never together more than the limit.
#include "wire/credit_budget.h"

#include <algorithm>

namespace quadrille::wire {
namespace {

// Below this an exchange could not keep a link busy: a packet arriving, one on its way.
constexpr std::uint32_t smallest_limit = 2;

}  // namespace

CreditBudget::CreditBudget(CreditBoard& board, std::size_t holder, std::uint32_t ceiling)
    : board_(&board), holder_(holder) {
  // All holders bring the same: who comes second repeats it, before anybody has taken anything.
  std::uint32_t unset = 0;
  if (board_->ceiling.load() == 0) board_->limit.store(ceiling);
  board_->ceiling.compare_exchange_strong(unset, ceiling);
  // A holder before this one that died may have left something.
  board_->taken[holder_].store(0);
}

std::uint32_t CreditBudget::taken() const {
  std::uint32_t sum = 0;
  for (const auto& slot : board_->taken) sum += slot.load();
  return sum;
}

std::uint32_t CreditBudget::take(std::uint32_t wanted) {
  if (wanted == 0) return 0;
  board_->taken[holder_].store(own_ + wanted);
  const std::uint32_t all = taken();
  const std::uint32_t limit = board_->limit.load();
  const std::uint32_t excess = all > limit ? std::min(all - limit, wanted) : 0;
  std::uint32_t granted = wanted - excess;
  if (granted == 0 && own_ == 0) granted = 1;
  own_ += granted;
  board_->taken[holder_].store(own_);
  return granted;
}

void CreditBudget::give_back(std::uint32_t packets) {
  own_ -= std::min(packets, own_);
  board_->taken[holder_].store(own_);
}

void CreditBudget::arrived(std::uint32_t packets) {
  const std::uint32_t limit = board_->limit.load(std::memory_order_relaxed);
  if (limit >= board_->ceiling.load(std::memory_order_relaxed)) return;
  if (board_->arrivals.fetch_add(packets) + packets < limit) return;
  board_->arrivals.store(0);
  board_->limit.store(limit + 1);
}

void CreditBudget::lost() {
  if (board_->ceiling.load() == unlimited) return;
  const std::uint32_t limit = board_->limit.load(std::memory_order_relaxed);
  const std::uint32_t less = std::max<std::uint32_t>(limit / 8, 1);
  const std::uint32_t least = std::min(smallest_limit, board_->ceiling.load());
  board_->limit.store(std::max(limit - std::min(less, limit), least));
}

}  // namespace quadrille::wire
