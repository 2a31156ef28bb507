// SPDX-License-Identifier: BSD-3-Clause
// Numbers for communicators, each free on all of its ranks: these agree on one by a bitwise AND
// over what each of them offers, as MPICH agrees on its context ids. Decides what a rank offers and
// what the common part of all offers means; sends nothing.
//
// Numbers that no rank has used are taken first: what a freed communicator left on them, such as
// flows on which other ranks have sent unequally, is no hindrance there. Only the first 64 are kept
// for this, as each number that was in use costs memory for each peer.
//
// Two threads of a process that agree at the same time must not offer the same numbers: one offers
// nothing, fails together with its peers, and tries again. Who fails has a turn, the same on all
// ranks, and from then on the process offers to the earliest of those that wait: else ranks whose
// threads came in different orders might go on to fail each other, the more surely the more ranks.
//
// Thread rule: any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>

namespace quadrille {

class ContextNumbers {
 public:
  static constexpr int bits = 11;
  static constexpr std::size_t words = (std::size_t{1} << bits) / 64;
  // The highest number is no communicator's: a message under it does not exist.
  static constexpr std::uint32_t nobodys = (std::uint32_t{1} << bits) - 1;

  // Bits that all ranks' offers are combined in. Behind the numbers that are free: which of the
  // first 64 are unused, whether nobody offered nothing, the turn.
  using Offer = std::array<std::uint64_t, words + 3>;

  // One communicator's, on one of its ranks.
  class Agreement {
   public:
    // `world_rank`: this process's; `is_first`: it has the communicator's rank 0.
    Agreement(bool is_first, int world_rank) : names_turn_(is_first), world_rank_(world_rank) {}

    // Once take() has said that it is over: nothing where no number is left, the same on all ranks.
    std::optional<std::uint32_t> number() const { return number_; }
    // Whether no rank has had the number before; the same on all ranks.
    bool is_unused() const { return is_unused_; }

   private:
    friend class ContextNumbers;
    bool names_turn_;
    int world_rank_;
    std::uint64_t turn_ = ~std::uint64_t{0};
    bool waits_ = false;
    bool offers_ = false;
    bool is_unused_ = false;
    std::optional<std::uint32_t> number_;
  };

  ContextNumbers() {
    free_.fill(~std::uint64_t{0});
    free_.back() &= ~(std::uint64_t{1} << (nobodys % 64));
  }

  // What this rank offers; take() has to follow.
  Offer offer(Agreement& agreement);
  // `common` is the AND of all ranks' offers. False where they have to offer again.
  bool take(Agreement& agreement, const Offer& common);
  // Instead of take(), where the offers of the others cannot be had.
  void withdraw(const Agreement& agreement);
  void release(std::uint32_t number);

 private:
  bool may_offer(const Agreement& agreement) const;

  std::mutex mutex_;
  std::array<std::uint64_t, words> free_{};
  std::uint64_t unused_ = ~std::uint64_t{0};  // of the first 64: never used in this process
  std::uint64_t turns_ = 0;                   // that this process has named
  std::set<std::uint64_t> waiting_;           // turns of this process's that have failed
  bool offered_ = false;                      // a thread has offered and not yet taken
};

}  // namespace quadrille
