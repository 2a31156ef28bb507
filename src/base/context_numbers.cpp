// SPDX-License-Identifier: BSD-3-Clause
#include "base/context_numbers.h"

#include <algorithm>
#include <bit>

namespace quadrille {
namespace {

constexpr std::size_t unused_word = ContextNumbers::words;
constexpr std::size_t all_offer_word = ContextNumbers::words + 1;
constexpr std::size_t turn_word = ContextNumbers::words + 2;

}  // namespace

bool ContextNumbers::may_offer(const Agreement& agreement) const {
  if (offered_) return false;
  return waiting_.empty() || (agreement.waits_ && agreement.turn_ == *waiting_.begin());
}

ContextNumbers::Offer ContextNumbers::offer(Agreement& agreement) {
  Offer offer{};
  const std::scoped_lock lock(mutex_);
  // Not by the rank first, which would let one process's communicators overtake all others'.
  if (agreement.names_turn_ && !agreement.waits_)
    agreement.turn_ = (turns_++ << 32U) | static_cast<std::uint32_t>(agreement.world_rank_);
  offer[turn_word] = agreement.turn_;
  agreement.offers_ = may_offer(agreement);
  if (!agreement.offers_) return offer;
  offered_ = true;
  std::copy(free_.begin(), free_.end(), offer.begin());
  offer[unused_word] = unused_;
  offer[all_offer_word] = ~std::uint64_t{0};
  return offer;
}

bool ContextNumbers::take(Agreement& agreement, const Offer& common) {
  const std::scoped_lock lock(mutex_);
  if (agreement.offers_) offered_ = false;
  agreement.turn_ = common[turn_word];
  for (std::size_t word = 0; word < words && !agreement.number_; ++word) {
    const bool has_unused = word == 0 && common[unused_word] != 0;
    const std::uint64_t left = has_unused ? common[unused_word] : common[word];
    if (left == 0) continue;
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
    free_[word] &= ~(std::uint64_t{1} << bit);
    if (word == 0) unused_ &= free_[0];
    agreement.number_ = static_cast<std::uint32_t>(word) * 64U + bit;
    agreement.is_unused_ = has_unused;
  }
  const bool is_over = agreement.number_ || common[all_offer_word] != 0;
  if (is_over) {
    waiting_.erase(agreement.turn_);
  } else {
    waiting_.insert(agreement.turn_);
  }
  agreement.waits_ = !is_over;
  return is_over;
}

void ContextNumbers::withdraw(const Agreement& agreement) {
  const std::scoped_lock lock(mutex_);
  if (agreement.offers_) offered_ = false;
  if (agreement.waits_) waiting_.erase(agreement.turn_);
}

void ContextNumbers::release(std::uint32_t number) {
  const std::scoped_lock lock(mutex_);
  free_[number / 64] |= std::uint64_t{1} << (number % 64);
}

}  // namespace quadrille
