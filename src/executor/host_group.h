// SPDX-License-Identifier: BSD-3-Clause
// Group steps through the memory of a host; messages by the transport beside it.
//
// All ranks of the group count its steps alike. Who has something to tell writes it into its own
// cell, under the step's number; who is to learn it waits for that number there. So a broadcast is
// one write and as many reads, a reduction as many writes and reads by its root. Nobody waits for
// those who do not read yet, but for a slot that they have still to read (HostCell::slots).
//
// Values are combined in ascending order of ranks. Waiting for memory drives nothing; the transport
// beside is driven now and then, so that what is pending there goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/units.h"
#include "executor/executor.h"
#include "executor/host_memory.h"
#include "executor/transport.h"

namespace quadrille {

class HostGroup final : public Transport {
 public:
  // `cells` of the group's ranks, ascending, unused so far; `own` is this rank's place among them.
  HostGroup(std::vector<HostCell*> cells, std::size_t own);

  // One call. REQUIRES: no step under way; the arguments outlive the call.
  void begin(const CallMemory& memory, std::size_t element_bytes, Transport& beside);
  // Whether some rank's data were of another length than this one's. The call goes on all the same.
  bool lengths_differ() const { return lengths_differ_; }

  Result<bool> start_send(StepIndex step, Rank peer, const void* address,
                          std::uint64_t length) override;
  Result<bool> start_receive(StepIndex step, Rank peer, void* address,
                             std::uint64_t length) override;
  Result<bool> start_group_bcast(StepIndex step, Rank root, void* data,
                                 std::uint64_t length) override;
  Result<bool> start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                  std::uint64_t length) override;
  Result<std::size_t> poll(std::span<StepIndex> completed) override;
  Carrier carrier_of(const Step& step) const override {
    return is_group(step.kind) ? Carrier::host_memory : beside_->carrier_of(step);
  }
  void sleep(Nanoseconds time) override;
  bool offers_core_at_once() const override { return beside_under_way_ == 0; }

 private:
  struct GroupStep {
    StepIndex step = 0;
    std::uint64_t number = 0;
    bool combines = false;
    std::size_t root = 0;
    const std::byte* from = nullptr;
    std::byte* into = nullptr;
    std::uint64_t length = 0;  // elements
    std::size_t left = 0;      // of a reduction's root: contributions still to be combined
  };

  // Returns whether the step is complete.
  bool advance(GroupStep& step);
  bool write(const GroupStep& step);
  bool read(const GroupStep& step);
  bool combine(GroupStep& step);
  // What cell `index` has under the step's number; null: not yet.
  const HostCell::Slot* slot_of(std::size_t index, const GroupStep& step);
  bool is_free(std::uint64_t number);
  void finish(const GroupStep& step);
  Result<std::size_t> poll_beside(std::span<StepIndex> completed);

  const std::vector<HostCell*> cells_;
  const std::size_t own_;
  std::uint64_t number_ = 0;     // of the step that was started last
  std::uint64_t all_done_ = 0;   // all have done with it, as last seen
  std::deque<GroupStep> steps_;  // under way
  const CallMemory* memory_ = nullptr;
  std::size_t element_bytes_ = 1;
  Transport* beside_ = nullptr;
  std::size_t beside_under_way_ = 0;
  Nanoseconds began_{};  // the call
  Nanoseconds beside_driven_{};
  Nanoseconds beside_interval_{};
  bool lengths_differ_ = false;
};

}  // namespace quadrille
