// SPDX-License-Identifier: BSD-3-Clause
// How many packets may be on their way to a host's interface at once: what overflows is the
// switch's buffer in front of it, so all ranks of the host draw on one budget. It stands on a board
// that may lie in memory shared by them.
//
// The sum of what its holders have taken stays within the limit, but for one packet a holder that
// has taken none: a holder that dies or is stopped leaves the others slow, not stuck. (And but for
// what is guaranteed to one, since all that it has taken waits for it.) While one is
// credit-blocked, having got less than it wanted, the others take no more than their shares: room
// that an arrival makes is taken again at once, so else who came first would keep all.
//
// The limit moves both ways. A loss takes an eighth off it, so that a burst of them halves it and a
// single one does little; a limit's worth of arrivals raises it by a packet, up to where it began.
// Where it has grown beyond that, losses within `longest_queue` are one: what is cut below a link
// (UDP_SEGMENT) is lost as a whole. It grows where the link drains all of it within
// `longest_queue`, which packets tell that arrived one behind the other (BurstTimes). So a slow
// link's limit stays where it began, and a fast one's follows its rate, as Swift's window follows a
// target delay (G. Kumar et al., SIGCOMM 2020, doi:10.1145/3387514.3406591) without a clock at the
// sender.
//
// Thread rule: a board may be used by all at once; a CreditBudget by one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/divide_up.h"
#include "base/units.h"

namespace quadrille::wire {

// Zeroed memory is a board that nobody has set up.
struct CreditBoard {
  static constexpr std::size_t holders = 512;
  // In `taken`: it wanted more than that.
  static constexpr std::uint32_t credit_blocked = std::uint32_t{1} << 31U;

  std::atomic<std::uint32_t> start;  // where the limit began
  std::atomic<std::uint32_t> most;   // that it grows to
  std::atomic<std::uint32_t> limit;
  std::atomic<std::uint32_t> arrivals;    // since the limit was last raised
  std::atomic<std::int64_t> grows_again;  // ns of the host's monotonic clock, after losses
  std::atomic<std::int64_t> pause;        // ns without growth after the last loss
  std::atomic<std::uint32_t> places;      // of `taken` that have been used
  std::array<std::atomic<std::uint32_t>, holders> taken;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

class CreditBudget {
 public:
  // A ceiling that no loss lowers: everything may be on its way at once.
  static constexpr std::uint32_t unlimited = std::uint32_t{1} << 28U;

  // What a switch's queue may hold of what was granted, in time of the link: 150 us are 190 KB at
  // 10 Gbit/s and 470 KB at 25, of switches whose ports share some megabytes. Where a port has
  // less, losses say so.
  static constexpr Nanoseconds longest_queue{150'000};
  // Interfaces hand over packets of some time at once.
  static constexpr Nanoseconds coalesced{50'000};
  // Twice as long after each loss that follows growth.
  static constexpr Nanoseconds first_pause{1'000'000'000};
  static constexpr Nanoseconds longest_pause{64'000'000'000};

  // What a socket that keeps so many datagrams lets a limit grow to.
  static constexpr std::uint32_t most_with(std::size_t datagrams_kept) {
    return static_cast<std::uint32_t>(datagrams_kept * 3 / 4);
  }

  // Holder `holder` of `board`, whose limit starts at the lowest that any has brought, and grows to
  // the lowest `most`; not at all where that is no more. REQUIRES: start > 0.
  CreditBudget(CreditBoard& board, std::size_t holder, std::uint32_t start, std::uint32_t most = 0);
  CreditBudget(const CreditBudget&) = delete;
  CreditBudget& operator=(const CreditBudget&) = delete;
  ~CreditBudget() {
    // Nothing between calls, so that a child forked there leaves its parent's alone.
    if (own_ > 0 || is_credit_blocked_) leave();
  }

  // Takes up to `wanted` packets, `guaranteed` whatever others have, and returns how many.
  // REQUIRES: guaranteed <= wanted.
  std::uint32_t take(std::uint32_t wanted, std::uint32_t guaranteed = 0);
  void give_back(std::uint32_t packets);
  // What it got less of than it wanted is not wanted any more.
  void wants_no_more() {
    if (std::exchange(is_credit_blocked_, false)) show();
  }

  // Of one more flow, or one less, something that was taken for it is at its sender.
  void comes_from_one(bool more) { more ? ++coming_ : --coming_; }
  // One more flow, or one less, has been granted something that is not here yet, or wants more.
  void demanded_by_one(bool more) { more ? ++demanding_ : --demanding_; }
  std::uint32_t demanding() const { return demanding_; }
  // What this holder has taken, if none of it can come before something else does.
  std::uint32_t idle() const { return coming_ == 0 ? own_ : 0; }

  void arrived(std::uint32_t packets);
  void lost(Nanoseconds now);
  // Half a limit's worth of packets has arrived in that time, one behind the other: more might not
  // without a pause, as the rest waits for grants.
  void drained_half_in(Nanoseconds time, Nanoseconds now);
  // The same by what `bursts` tells of them, a BurstTimes' take() or a Link's took();
  // `packet_bytes` on the wire.
  template <typename Bursts>
  void learn(Bursts&& bursts, std::size_t packet_bytes, Nanoseconds now) {
    if (const auto time = bursts(limit() * packet_bytes / 2)) drained_half_in(*time, now);
  }

  std::uint32_t limit() const { return board_->limit.load(std::memory_order_relaxed); }
  // `packets` of where the limit began are as many of what it has grown to.
  std::uint32_t grown(std::uint32_t packets) const;
  bool has_grown() const { return limit() > board_->start.load(std::memory_order_relaxed); }
  // What others left to this holder when it last took something.
  std::uint32_t share() const { return static_cast<std::uint32_t>(divide_up(limit(), sharers_)); }
  // What this holder has taken.
  std::uint32_t own() const { return own_; }
  // All holders'.
  std::uint32_t taken() const;

 private:
  struct Others {
    std::uint32_t taken = 0;
    std::uint32_t holders = 0;    // that have taken or want something
    bool credit_blocked = false;  // one of them
  };
  Others others() const;
  void show();
  void leave();

  CreditBoard* board_;
  std::size_t holder_;
  std::uint32_t own_ = 0;
  std::uint32_t coming_ = 0;     // flows
  std::uint32_t demanding_ = 0;  // flows
  bool is_credit_blocked_ = false;
  std::uint32_t sharers_ = 1;  // with itself
};

}  // namespace quadrille::wire
