// SPDX-License-Identifier: BSD-3-Clause
// Messages between hosts over the wire; those inside a host, and group steps, by the transport
// beside it, whose progress goes on meanwhile: a peer that depends on a pending operation of the
// MPI library's would never come otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "executor/transport.h"
#include "wire/flow_statistics.h"
#include "wire/port.h"

namespace quadrille {

class ByWire final : public Transport {
 public:
  // One call's messages.
  struct Call {
    wire::Port* port = nullptr;
    wire::Channel channel = 0;
    std::size_t element_bytes = 1;
    std::span<const int> world_ranks;             // [ranks], which are the endpoints' numbers
    std::span<const std::uint32_t> host_of_rank;  // [ranks]
    Rank rank = 0;                                // own
    Transport* beside = nullptr;
  };

  // REQUIRES: no message under way. What `call` refers to outlives the call.
  void begin(const Call& call);
  // Drives the port no longer; after an error, gives up what is under way. Returns what the call's
  // messages cost this rank; nothing after an error. REQUIRES: begin().
  wire::FlowStatistics end(bool ok);

  Result<bool> start_send(StepIndex step, Rank peer, const void* address,
                          std::uint64_t length) override;
  Result<bool> start_receive(StepIndex step, Rank peer, void* address,
                             std::uint64_t length) override;
  Result<bool> start_group_bcast(StepIndex step, Rank root, void* data,
                                 std::uint64_t length) override;
  Result<bool> start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                  std::uint64_t length) override;
  Result<std::size_t> poll(std::span<StepIndex> completed) override;
  bool moved() const override { return moved_; }
  void sleep(Nanoseconds time) override;

 private:
  bool is_near(Rank peer) const {
    return call_.host_of_rank[static_cast<std::size_t>(peer)] ==
           call_.host_of_rank[static_cast<std::size_t>(call_.rank)];
  }
  wire::EndpointId endpoint_of(Rank peer) const {
    return static_cast<wire::EndpointId>(call_.world_ranks[static_cast<std::size_t>(peer)]);
  }
  Result<std::size_t> poll_beside(std::span<StepIndex> completed);

  Call call_{};
  std::optional<wire::Port::Call> in_call_;
  wire::FlowStatistics before_;  // what earlier calls of the channel have cost
  wire::Completions completions_;
  std::vector<wire::Completions::Message> complete_;
  std::size_t beside_under_way_ = 0;
  Nanoseconds beside_driven_{};
  bool moved_ = false;
};

}  // namespace quadrille
