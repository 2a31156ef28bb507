// SPDX-License-Identifier: BSD-3-Clause
// Ranks that execute a planned call by the real executor and the real endpoints on a simulated
// network, again and again: each call begins when all ranks are through with the one before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "apps/simulate/call_contents.h"
#include "apps/simulate/planned_call.h"
#include "apps/simulate/simulate_request.h"
#include "apps/simulate/simulated_transport.h"
#include "executor/executor.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::simulate {

// What datagrams found no room, by where.
struct Drops {
  std::uint64_t trunks = 0;
  std::uint64_t host_ports = 0;
  std::uint64_t sockets = 0;
  std::uint64_t all() const { return trunks + host_ports + sockets; }
};

struct SimulatedCallTimes {
  Nanoseconds time;  // from the first rank's entry to the last one's end
  Drops drops;
  std::uint64_t data_sent = 0;  // packets
  std::uint64_t data_resent = 0;
  std::uint64_t acks_sent = 0;
  std::uint64_t wire_bytes = 0;  // of all hosts' interfaces
  std::uint64_t events = 0;
  double wall_s = 0;
  double busiest_trunk = 0;           // share of the time
  double busiest_port = 0;            // of a host
  std::size_t most_queued_trunk = 0;  // bytes, since the start
  std::size_t most_queued_port = 0;
  std::uint32_t least_budget = 0;
  std::uint32_t most_budget = 0;
  std::size_t engine_bytes = 0;       // of a rank when the call is over; 0: not known
  std::size_t most_engine_bytes = 0;  // while it was under way
};

class Simulation {
 public:
  // `call` outlives it. Errors: what cannot be simulated of its network.
  static Result<std::unique_ptr<Simulation>> of(const SimulateRequest& request,
                                                const PlannedCall& call);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Errors: a rank's executor fails, the call does not end, or what was received is wrong.
  Result<SimulatedCallTimes> run(std::uint32_t number);
  bool is_checked() const { return contents_.is_checked(); }

 private:
  struct RankState {
    SimulatedTransport transport;
    CallMemory memory;
    Executor executor;
    bool is_ready = false;  // in ready_
    bool in_call = false;
  };

  Simulation(const SimulateRequest& request, const PlannedCall& call,
             const wire::SimulatedSettings& settings);
  void make_ready(Rank rank);
  std::optional<Error> enter_all();
  std::optional<Error> enter(Rank rank);
  std::optional<Error> go_on();
  void finish_if_done(Rank rank);
  SimulatedCallTimes standing() const;
  std::size_t engine_bytes() const;

  const SimulateRequest& request_;
  const PlannedCall& call_;
  std::size_t before_ = 0;  // bytes allocated before the network was
  wire::SimulatedNetwork network_;
  CallContents contents_;
  std::vector<std::unique_ptr<HostMessages>> memories_;  // [hosts]
  std::vector<std::unique_ptr<RankState>> ranks_;
  std::vector<Rank> ready_;
  std::vector<bool> is_late_;
  std::size_t unfinished_ = 0;
  Nanoseconds began_{};
  std::uint32_t communicator_ = 0;  // of the call under way
  std::optional<Error> failed_;
};

}  // namespace quadrille::simulate
