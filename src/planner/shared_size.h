// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a communicator take for the size of calls whose arguments tell each rank its
// own share only (alltoallv), or one rank alone (gatherv, scatterv): the largest of all ranks since
// they last compared. A state machine without messages: when to compare comes out, what the
// comparison gave goes in.
//
// While sizes stay within a factor of two they count as what they were, and the ranks compare at
// growing intervals, up to every 32nd call. After a change they compare sooner, but no sooner than
// after four calls: a program that alternates between sizes has them all in one interval then.
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
  // take the maximum of `own_largest()` and hand it in. All ranks say so for the same calls, if
  // `at_once` is equal on all.
  bool is_due(Bytes own, bool at_once);
  Bytes own_largest() const { return largest_; }
  void learn(Bytes largest);

  Bytes agreed() const { return agreed_; }

 private:
  std::uint32_t interval_ = 1;
  std::uint32_t calls_left_ = 0;  // before the next comparison
  bool at_once_ = false;          // this one comes before its time
  Bytes largest_{0};              // of this rank, since the last one
  Bytes agreed_{0};
};

}  // namespace quadrille
