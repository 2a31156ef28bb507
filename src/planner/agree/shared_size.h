// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a communicator take for the size of calls whose arguments tell each rank its
// own share only (alltoallv), or one rank alone (gatherv, scatterv): the largest of all ranks since
// they last compared. A state machine without messages: when to compare comes out, what the
// comparison gave goes in.
//
// While sizes stay within a factor of two they count as what they were, and the ranks compare at
// growing intervals: up to every 32nd call, and up to every 1024th while they take more than half a
// percent of the time for it. After a change they compare sooner, but no sooner than after four
// calls: a program that alternates between sizes has them all in one interval then.
//
// A trial's calls are compared with one another, so they must be of one size. Comparing sizes
// before each of them would change what is tried: calls that begin together take longer than calls
// in a row where ranks outnumber cores. So a stage is tried without any; where a rank's own share
// has varied in it, it is held again with a comparison before each call, and so are all later ones.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "schedule/collective.h"

namespace quadrille {

// Whether a call's shape says nothing of its size.
bool needs_shared_size(Collective collective);

class SharedSize {
 public:
  // Takes note of the next call, of which this rank's share is `own`. True: before it, the ranks
  // take the maximum of each value of `to_compare()` and hand them in. All ranks say so for the
  // same calls, if `in_trial` is equal on all.
  bool is_due(Bytes own, bool in_trial);

  struct Comparison {
    std::uint64_t largest = 0;      // share of any call since the last comparison, in bytes
    std::uint64_t time_beside = 0;  // of a thousand parts of the time, what comparing left others
  };
  Comparison to_compare() const { return {largest_.value, time_beside_}; }
  // The comparison was made from `start` to `end`.
  void learn(const Comparison& of_all, Nanoseconds start, Nanoseconds end);

  Bytes agreed() const { return agreed_; }

  // Whether this rank's share has varied in a stage without comparisons.
  bool has_varied() const { return varied_; }
  // A stage is over. True: a rank's share has varied, so that its samples tell nothing.
  bool end_stage(bool some_share_varied);

 private:
  std::uint32_t interval_ = 1;
  std::uint32_t calls_left_ = 0;  // before the next comparison
  bool is_early_ = false;         // this one comes before its time
  Bytes largest_{0};              // of this rank, since the last one
  Bytes agreed_{0};
  Bytes own_then_{0};  // this rank's share of the call that the last one was made for
  Nanoseconds last_end_{0};
  std::uint64_t time_beside_ = 1000;
  bool varied_ = false;
  bool trusts_ = true;
};

}  // namespace quadrille
