// SPDX-License-Identifier: BSD-3-Clause
// A rank's messages on a simulated network: to other hosts by its endpoint, inside a host by
// memory that the host's ranks share, which takes a latency and carries one byte at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "executor/transport.h"
#include "wire/channels.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::simulate {

// The messages of one host's ranks among themselves.
class HostMessages {
 public:
  struct Costs {
    Nanoseconds latency{};
    std::uint64_t ps_per_byte = 0;
    bool moves_data = true;
  };
  // One end of a message, by the rank's place on the host.
  struct Side {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    StepIndex step = 0;
    std::byte* data = nullptr;  // of a sender only read
    std::uint64_t bytes = 0;
  };
  using Completed = std::function<void(std::uint32_t place, StepIndex step)>;

  HostMessages(wire::SimulatedNetwork& network, std::uint32_t ranks, const Costs& costs,
               Completed completed);
  void send(const Side& side) { meet(side, true); }
  void receive(const Side& side) { meet(side, false); }

 private:
  void meet(const Side& side, bool sends);
  void move(const Side& sender, const Side& receiver);

  wire::SimulatedNetwork& network_;
  std::uint32_t ranks_;
  Costs costs_;
  Completed completed_;
  Nanoseconds free_{};
  struct Waiting {
    std::deque<Side> sides;
    bool send = false;  // these are senders
  };
  std::vector<Waiting> waiting_;  // [from * ranks + to]
};

class SimulatedTransport final : public Transport {
 public:
  struct Place {
    wire::SimulatedNetwork* network = nullptr;
    HostMessages* memory = nullptr;  // of its host
    std::uint32_t of_host = 1;
    Rank rank = 0;  // and endpoint
  };
  explicit SimulatedTransport(const Place& place) : place_(place) {}

  // The communicator with this number calls. REQUIRES: no message under way. What these refer to
  // outlives the call.
  void begin(std::uint32_t communicator, std::size_t element_bytes, std::span<const Rank> group,
             std::uint32_t group_senders);
  // The network has completed a message of the rank's.
  void complete(wire::Handle handle) { completed_.push_back(static_cast<StepIndex>(handle)); }
  bool has_completed() const { return !completed_.empty(); }

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
    return is_message(step.kind) && is_near(step.peer) ? Carrier::mpi_library : Carrier::wire;
  }

 private:
  bool is_near(Rank peer) const { return host_of(peer) == host_of(place_.rank); }
  std::uint32_t host_of(Rank rank) const {
    return static_cast<std::uint32_t>(rank) / place_.of_host;
  }
  std::uint32_t place_of(Rank rank) const {
    return static_cast<std::uint32_t>(rank) % place_.of_host;
  }
  // They rise from message to message and tell the step.
  wire::Handle handle_of(StepIndex step) { return ++messages_ << 32U | step; }

  Place place_;
  wire::Channel channel_ = 0;
  std::size_t element_bytes_ = 1;
  std::vector<wire::EndpointId> group_;
  std::uint32_t group_senders_ = 1;
  std::uint64_t messages_ = 0;
  std::vector<StepIndex> completed_;
};

}  // namespace quadrille::simulate
