// SPDX-License-Identifier: BSD-3-Clause
// A communicator that Quadrille works on: its context number, its ranks' places in the world, its
// planner and its executor. Its attachment owns it.
//
// Thread rule: MPI allows one thread at a time in a communicator's collectives; so is this.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "executor/background_calls.h"
#include "executor/by_wire.h"
#include "executor/executor.h"
#include "executor/host_group.h"
#include "mpi/agree/count_exchange.h"
#include "mpi/agree/decision_check.h"
#include "mpi/agree/rank_agreement.h"
#include "mpi/call/outcome.h"
#include "mpi/communicator/contexts.h"
#include "mpi/communicator/group_communicators.h"
#include "mpi/communicator/mpi_p2p.h"
#include "planner/agree/call_agreement.h"
#include "planner/planner.h"

namespace quadrille {

class Communicator {
 public:
  // Nothing is sent for it before begin().
  Communicator(MPI_Comm handle, Rank rank, std::vector<int> world_ranks, KnownNetwork network);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  // The ranks have agreed on its context number. Where calls are traced, collective.
  void begin(const Contexts::Agreement& agreed, const char* operation);
  // The communicator is freed: so is its context number, if nothing of it can still arrive.
  void release(Contexts& contexts);

  Rank rank() const { return rank_; }
  Rank size() const { return static_cast<Rank>(world_ranks_.size()); }
  const std::vector<int>& world_ranks() const { return world_ranks_; }
  // Its ranks' hosts and their segments, these as the world's model numbers them.
  const TopologyView& view() const { return planner_.view(); }
  Planner& planner() { return planner_; }
  CountExchange& count_exchange();
  CallAgreement& agreement() { return agreement_; }
  const CallAgreement& agreement() const { return agreement_; }
  // Where calls are traced: the communicator's name there, and the number of its next call.
  std::uint64_t traced_name() const { return traced_name_; }
  std::uint32_t next_traced_call() { return traced_calls_++; }

  // Replaces each of `values` by its maximum over all ranks; returns an MPI error code. Part of
  // the next call, `operation`. Collective.
  int agree_on_maximum(std::span<std::int64_t> values, const char* operation);

  // Runs `prepared` as this communicator's next call with elements of `element`, combined by `op`
  // where they are; may throw std::bad_alloc. Nothing is under way then. An error of this rank's
  // own data does not end it: others wait for this rank's messages.
  Outcome run(const PreparedSchedule& prepared, const CallMemory& memory, MPI_Datatype element,
              const char* operation, MPI_Op op = MPI_OP_NULL);
  // One line on stderr about a call that waits for `peers`.
  void report_long_wait(const char* operation, std::vector<Rank> peers) const;
  // One line on stderr about a call that has failed on this rank.
  void complain(const char* operation, const std::string& what) const;
  // Compares what this rank has decided for its next call with its neighbours
  // (QUADRILLE_CHECK_DECISIONS); ends the job where they differ. Collective.
  void check_decision(const std::string& decision, const char* operation);
  // The program has left a call of ours by longjmp, out of a reduction's operation: the call is
  // given up on this rank.
  static void give_up_call_left_by_jump();
  // For calls in the background, on a channel of theirs.
  BackgroundRanks background_ranks(wire::Channel channel) const {
    return {channel, world_ranks_, view().host_of_rank, rank_};
  }
  // Of its nonblocking collectives. REQUIRES: the job has a wire.
  const std::shared_ptr<BackgroundCalls::Queue>& nonblocking_calls();

 private:
  Outcome run_by_library(const PreparedSchedule& prepared, const CallMemory& memory,
                         MPI_Datatype element, const WaitingRules& rules);
  Outcome run_by_wire(const PreparedSchedule& prepared, const CallMemory& memory,
                      MPI_Datatype element, const char* operation, const WaitingRules& rules);
  // By the executor; where calls are traced, with its phases.
  Result<bool> walk(const PreparedSchedule& prepared, const CallMemory& memory,
                    Transport& transport, const WaitingRules& rules, MPI_Datatype element,
                    std::vector<CallPhase>& phases);
  Outcome run_in_host_memory(const PreparedSchedule& prepared, const CallMemory& memory,
                             MPI_Datatype element, const WaitingRules& rules);
  void join_host_memory();
  void abandon(bool is_out_of_step);
  RankMessages messages_to_agree(MPI_Comm shadow, int tag, const char* operation) const;
  int next_tag();

  MPI_Comm handle_;
  std::uint32_t context_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint64_t traced_name_ = 0;
  std::uint32_t traced_calls_ = 0;
  bool retired_ = false;  // a call has failed: nobody takes the context again
  // On the wire and in host memory, where what belongs to the failed call may still come.
  bool cut_off_ = false;
  Rank rank_;
  std::vector<int> world_ranks_;
  std::optional<CountExchange> count_exchange_;  // once a call has needed them
  Planner planner_;
  CallAgreement agreement_;
  Executor executor_;
  MpiPointToPoint transport_;
  ByWire by_wire_;
  std::optional<HostGroup> host_group_;  // where the ranks of its hosts share memory
  GroupCommunicators groups_;
  std::shared_ptr<BackgroundCalls::Queue> nonblocking_calls_;  // once there was one
  std::optional<DecisionCheck> decision_check_;                // once asked for
  std::vector<StepSpan> step_spans_;
};

}  // namespace quadrille
