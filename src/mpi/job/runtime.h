// SPDX-License-Identifier: BSD-3-Clause
// One process's Quadrille between MPI_Init and MPI_Finalize: settings, the shadow communicator, the
// hosts of the world.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/settings.h"
#include "executor/host_memory.h"
#include "mpi/call/call_trace.h"
#include "mpi/call/timed_calls.h"
#include "mpi/communicator/contexts.h"
#include "mpi/job/wire_log.h"
#include "mpi/start/job_verdicts.h"
#include "mpi/start/start_model.h"
#include "mpi/start/wire_start.h"
#include "network/model/model.h"
#include "network/topology_view.h"
#include "planner/agree/known_reductions.h"
#include "planner/planner.h"

namespace quadrille {

class NonblockingRequests;

class Runtime {
 public:
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  // Null before start() and after the program's MPI_Finalize, and where the library stays out of
  // the way.
  static Runtime* active();

  // Called once MPI is initialised. Where Quadrille cannot work, says why in one line and leaves
  // active() null - on all ranks alike, by the handshake.
  static void start() noexcept;

  const Settings& settings() const { return settings_; }
  const PlannerOptions& planner_options() const { return planner_options_; }
  Contexts& contexts() { return contexts_; }

  // All of Quadrille's messages travel on this copy of MPI_COMM_WORLD's group; errors on it return.
  MPI_Comm shadow() const { return shadow_; }
  MPI_Comm self_shadow() const { return self_shadow_; }
  // For comparing decisions alone; MPI_COMM_NULL where they are not compared.
  MPI_Comm decisions_shadow() const { return decisions_shadow_; }
  // No message on shadow() has it.
  int unused_tag() const {
    return static_cast<int>(ContextNumbers::nobodys << static_cast<unsigned>(sequence_bits_));
  }
  int communicator_key() const { return communicator_key_; }
  int sequence_bits() const { return sequence_bits_; }

  int world_rank() const { return world_rank_; }
  // By world rank: hosts numbered from 0 in the order of their lowest world rank.
  const std::vector<std::uint32_t>& host_of_world_rank() const { return host_of_world_rank_; }
  // Of the world: hosts as above, segments as the model numbers them.
  const TopologyView& view() const { return view_; }
  // Null where no model is known; its host of each host.
  const NetworkModel* model() const { return model_ ? &*model_ : nullptr; }
  const std::vector<std::uint32_t>& model_host() const { return model_host_; }
  const std::string& host_name(std::uint32_t host) const { return host_names_[host]; }
  // Null where datagrams are not to be used, or do not get through.
  wire::Port* wire() const { return wire_.port.get(); }
  // Null where wire() is.
  NonblockingRequests* nonblocking() const { return nonblocking_.get(); }
  WireLog& wire_log() { return wire_log_; }
  // Null where this rank does not share memory with all others of its host.
  const HostMemory* host_memory() const { return host_memory_.get(); }
  // What rehearsals on communicators of all ranks have found so far.
  KnownReductions known_reductions() const {
    return {rehearsed_.load(std::memory_order_acquire), won_.load(std::memory_order_relaxed)};
  }
  void learn(const KnownReductions& found) {
    won_.fetch_or(found.won, std::memory_order_relaxed);
    rehearsed_.fetch_or(found.rehearsed, std::memory_order_release);
  }
  // Null where calls are not traced.
  CallTrace* trace() const { return trace_.get(); }
  // Null where the program's other calls are not timed.
  TimedCalls* timed_calls() const { return timed_calls_.get(); }
  // A call has been given up on this rank: what others sent for it may be left on shadow().
  void expect_leftovers() { has_leftovers_ = true; }

 private:
  Runtime();
  static void begin();
  // Returns what is wrong with this rank's settings, or nothing.
  std::string take_settings();
  bool shake_hands(bool usable);
  void step_back(const std::string& problem) const;
  void log_start(Nanoseconds took) const;
  void open_shadows();
  void free_shadows();
  void receive_leftovers() const;
  void learn_hosts();
  void open_host_memory(std::span<const HostMemory::Place> places);
  StartHosts start_hosts() const;
  // Takes the network model, from wherever it comes; returns what is wrong with the user's file, or
  // nothing. The same on all ranks.
  std::string take_model();
  void take_wire();
  void take_verdicts();
  void begin_timing();
  static int close(MPI_Comm, int, void*, void*) noexcept;

  Settings settings_;
  PlannerOptions planner_options_;
  Contexts contexts_;
  MPI_Comm shadow_ = MPI_COMM_NULL;
  MPI_Comm self_shadow_ = MPI_COMM_NULL;
  MPI_Comm decisions_shadow_ = MPI_COMM_NULL;
  int communicator_key_ = MPI_KEYVAL_INVALID;
  int closing_key_ = MPI_KEYVAL_INVALID;
  int sequence_bits_ = 4;
  int world_rank_ = 0;
  int world_size_ = 1;
  std::vector<std::uint32_t> host_of_world_rank_;
  TopologyView view_;
  std::optional<NetworkModel> model_;
  std::vector<std::uint32_t> model_host_;  // [hosts]
  std::vector<std::string> host_names_;
  bool has_threads_ = false;            // some rank's may call MPI at the same time
  std::uint32_t hosts_on_machine_ = 1;  // namespaces of this rank's kernel
  StartModel start_model_;              // without its text, once taken
  JobVerdicts verdicts_;
  WireStart wire_;
  std::unique_ptr<NonblockingRequests> nonblocking_;
  std::unique_ptr<HostMemory> host_memory_;
  bool counts_wire_ = false;  // some rank's settings ask for what all ranks have counted there
  WireLog wire_log_;
  std::unique_ptr<TimedCalls> timed_calls_;
  bool tells_messages_ = false;  // some rank's settings ask for what all ranks have sent
  Nanoseconds began_{};
  std::unique_ptr<CallTrace> trace_;
  std::atomic<bool> has_leftovers_ = false;
  std::atomic<std::uint64_t> rehearsed_ = 0;  // KnownReductions
  std::atomic<std::uint64_t> won_ = 0;
};

}  // namespace quadrille
