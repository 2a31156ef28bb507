// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a communicator must know of each other before they decide who executes a call:
//   - the size of a call whose arguments tell a rank its own share only (shared_size.h),
//   - the longest durations of a trial's stage (trial.h), of nonblocking calls too,
//   - whether multicast reaches all (multicast_watch.h).
// All of it travels in one exchange, and most calls have none. A state machine without messages:
//
//   values = agreement.begin(...);   // what this rank brings; empty: nothing to exchange
//   // the ranks replace each value by its maximum over all
//   agreed = agreement.finish(...);  // equal on all ranks
//
// What is due follows from what all ranks know alike before the call, so that all bring as many
// values. What the exchange brings to light may make something else due: that waits for the next
// call.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "planner/agree/multicast_watch.h"
#include "planner/agree/shared_size.h"
#include "planner/planner.h"
#include "schedule/shape.h"

namespace quadrille {

// Who executes a call. Equal on all ranks.
struct AgreedCall {
  Decision* decision = nullptr;
  const Candidate* chosen = nullptr;  // one of the decision's
  Bytes size{0};                      // what all ranks take the call's size for
  bool is_sample = false;             // its duration belongs to the decision's trial

  struct MulticastNews {
    bool reaches_all = false;
    std::int64_t finding = 0;  // the largest of any rank; negative where it reaches all
  };
  std::optional<MulticastNews> multicast_news = {};  // plans have changed
  std::string stage = {};                            // a line on the trial's stage that was judged
};

// The duration of a nonblocking call in a trial, on this rank. Any thread may complete the call.
struct OpenSample {
  static constexpr std::int64_t longest_ns = 3'600'000'000'000;  // where it is not known
  std::atomic<std::int64_t> duration_ns = -1;                    // negative: it is under way
};

class CallAgreement {
 public:
  // Asked where multicast's health is due: what this rank has found. Negative: all hear it.
  using Finding = std::function<std::int64_t()>;

  // `planner` outlives this. With `tells_stages`, stages of trials are described.
  CallAgreement(Planner& planner, Finding finding, bool tells_stages);

  // Whether begin() takes a share for calls of `shape`.
  bool needs_share(const Shape& shape) const;
  // The next call; `share` is this rank's own of its size, if needs_share(). Returns what this
  // rank brings, valid until the next begin(). REQUIRES: called by all ranks alike, with shapes and
  // `may_alternate` that are equal on all.
  std::span<std::int64_t> begin(const Shape& shape, bool may_alternate, std::optional<Bytes> share);
  // The values are each the maximum over all ranks by now; that took from `start` to `end`, which
  // do not count where there was no value. The decision is valid until the next finish(). Left out
  // where the exchange has failed; the ranks may then no longer agree on when the next one is due.
  AgreedCall finish(Nanoseconds start, Nanoseconds end);

  // A nonblocking call, which may wait for nobody, so that nothing is exchanged: who executes it
  // follows from what all ranks know alike. Its trial's stages are judged by exchanges of blocking
  // calls on the same communicator.
  struct Nonblocking {
    Decision* decision = nullptr;
    const Candidate* chosen = nullptr;  // one of the decision's
    Bytes size{0};
    std::shared_ptr<OpenSample> sample = nullptr;  // of its duration; null: it is none
    bool asks = false;  // from now on the next blocking call has something to exchange
  };
  // `share` is this rank's own of its size, if needs_share(): until the ranks have agreed on the
  // largest, the MPI library executes such calls. REQUIRES: shape.is_nonblocking.
  Nonblocking start(const Shape& shape, bool may_alternate, std::optional<Bytes> share);
  // Whether the next blocking call has something to exchange for nonblocking ones.
  bool asks_for_nonblocking() const { return !to_judge_.empty() || !unknown_sizes_.empty(); }
  // The same for any that have been made.
  bool has_to_exchange() const { return done_stage_ || asks_for_nonblocking(); }

  // Whether the ranks go without multicast for now.
  bool is_without_multicast() const { return multicast_.is_away(); }

 private:
  // A stage of a trial that is done.
  struct DoneStage {
    Decision* decision;
    Shape shape;
    Bytes size;
    SharedSize* shared;  // null: the shape tells the size
  };

  using OpenSamples = std::vector<std::shared_ptr<OpenSample>>;

  void bring_samples(const DoneStage& stage);
  Decision& decision();
  std::string judge(const DoneStage& stage, std::span<const std::int64_t> longest);
  std::optional<AgreedCall::MulticastNews> take_multicast(std::int64_t finding);

  Planner& planner_;
  const Finding finding_;
  const bool tells_stages_;
  std::map<Collective, SharedSize> shared_sizes_;  // of those that need one
  MulticastWatch multicast_;
  std::optional<DoneStage> done_stage_;  // to be judged by the next exchange
  // Of nonblocking calls: stages that are done, and by class the samples of all.
  std::deque<DoneStage> to_judge_;
  std::map<std::uint64_t, OpenSamples> open_samples_;
  int asked_in_vain_ = 0;  // for the first of them
  // And the largest shares: of this rank where the ranks have not agreed yet, and of all.
  std::map<Collective, Bytes> unknown_sizes_;
  std::map<Collective, Bytes> known_sizes_;

  // The call between begin() and finish().
  Shape shape_;
  bool may_alternate_ = false;
  SharedSize* shared_ = nullptr;
  Bytes size_{0};
  Decision* decision_ = nullptr;
  bool compares_sizes_ = false;
  std::optional<Collective> asks_for_size_of_;  // nonblocking calls
  bool asks_for_multicast_ = false;
  std::vector<std::int64_t> values_;
};

}  // namespace quadrille
