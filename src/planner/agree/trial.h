// SPDX-License-Identifier: BSD-3-Clause
// Chooses between candidates whose cost no model knows, by trying them in turn in the program's own
// first calls. A state machine without a clock or a network: durations go in, a candidate comes
// out. Candidate 0 is the MPI library.
//
// First all candidates take turns for a quarter of the rounds, which also opens their connections;
// after one turn those are left out that are far behind at first sight. Then the best of ours meets
// the MPI library in a final of all rounds. A program that makes few
// calls pays little, and the final's samples are enough to tell a gain from luck. The final
// forgives no slow call, for the stalls that a candidate causes now and then are what it is tried
// for, but the first one of a row, which finds processes and connections as the other left them. It
// ends with one more call of the library, which does not count: who is done with it waits for the
// others' samples, and where ranks outnumber cores, takes theirs meanwhile.
// Where calls are long and one side's slowest is far below the other's fastest, the turns decide
// for a few calls at once, so that a program of thirty long calls gains too; then comes the final.
// Where the best of ours is far behind there is none: its calls would cost more than they tell. The
// turns are held again later, between these two.
//
// All ranks decide alike: which candidate a call takes follows from the call's number, and the
// verdict from each call's longest duration on any rank, which every rank has received. The longest
// is what a program that goes on together waits for; a wait for late ranks lengthens all
// candidates' calls alike, for they take turns, and favours none.
//
// Programs go through phases and networks change: a final's verdict holds for 1000 calls, then the
// final is held again; each final's verdict holds twice as long as that of the one before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quadrille {

class Trial {
 public:
  // REQUIRES: candidates >= 1. With one candidate or no rounds, candidate 0 is the verdict from the
  // start.
  Trial(std::uint32_t candidates, std::uint32_t rounds);

  // Goes on from a final between candidate `best` and the MPI library that was held elsewhere,
  // whose verdict holds for a while; after one for the library, with turns. REQUIRES: before the
  // first call; !settled(); best is one of ours.
  void adopt(std::uint32_t best, bool beats_library);

  // The verdict holds for good. REQUIRES: settled().
  void end();

  // Before each call. REQUIRES: !samples_are_due().
  void begin_call();
  // The same where the verdict goes on to hold, else false and nothing is changed. REQUIRES: it is
  // looked at again some time.
  bool begin_settled_call() {
    if (!settled_ || calls_left_ == 0) return false;
    --calls_left_;
    ++begun_;
    return true;
  }
  // The candidate of the next call. REQUIRES: !samples_are_due().
  std::uint32_t candidate() const;
  // How many calls have begun.
  std::uint64_t begun() const { return begun_; }
  bool settled() const { return settled_; }
  // By how much a call of the verdict is shorter than one of the MPI library, by the medians of the
  // samples that found it; 0 where it is the library, or was found elsewhere.
  std::int64_t gain_ns() const { return gain_ns_; }
  // Whether there was nothing to try, so that the verdict is never looked at again.
  bool is_final() const { return settled_ && in_stage_.empty(); }

  // How long the call just made took on this rank. REQUIRES: !settled() && !samples_are_due().
  void record(std::int64_t duration_ns);

  // A stage is done: before the next call, the ranks take the maximum of each of `samples` over all
  // ranks and hand these in. More stages may follow.
  bool samples_are_due() const { return !settled_ && samples_.size() == wanted(); }
  std::span<const std::int64_t> samples() const { return samples_; }
  void judge(std::span<const std::int64_t> longest);
  // Instead: the calls of the stage were not alike. REQUIRES: samples_are_due().
  void repeat_stage() { samples_.clear(); }

  // The candidates of this stage, and which of them made the stage's call number `call`.
  const std::vector<std::uint32_t>& in_stage() const { return in_stage_; }
  std::uint32_t candidate_of(std::size_t call) const;

 private:
  std::uint32_t turns() const { return (final_rounds_ + 3) / 4; }
  std::uint32_t rounds() const;
  std::size_t counted() const { return in_stage_.size() * rounds(); }
  std::size_t wanted() const { return counted() + (final_ ? 1 : 0); }
  void start_stage(std::vector<std::uint32_t> candidates);
  void leave_out_far_behind(std::span<const std::int64_t> longest);
  void settle_for_library_far_ahead(std::uint32_t best);
  void settle_for(std::uint32_t verdict, std::uint64_t calls);
  void settle_by(std::span<const std::int64_t> longest, std::uint32_t verdict, std::uint64_t calls);
  std::uint32_t best_of_ours(std::span<const std::int64_t> longest) const;
  bool beats_library(std::uint32_t candidate, std::span<const std::int64_t> longest) const;
  std::vector<std::int64_t> durations_of(std::uint32_t candidate,
                                         std::span<const std::int64_t> longest) const;

  std::uint32_t final_rounds_;
  bool final_ = false;
  bool is_first_turn_ = false;            // a stage of its own
  std::vector<std::int64_t> first_turn_;  // [candidates], once it was judged
  std::vector<std::uint32_t> in_stage_;
  std::vector<std::int64_t> samples_;
  std::uint32_t verdict_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t term_;             // calls that a final's verdict holds for
  std::uint64_t term_far_behind_;  // and the one that there is none
  std::uint64_t calls_left_ = 0;
  std::int64_t gain_ns_ = 0;
  bool settled_;
};

}  // namespace quadrille
