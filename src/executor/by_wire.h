// SPDX-License-Identifier: BSD-3-Clause
// Messages between hosts over the wire, broadcasts in the group to all of it at once; messages
// inside a host, and group reductions, by the transport beside it, whose progress goes on
// meanwhile: a peer that depends on a pending operation of the MPI library's would never come
// otherwise. Without a transport beside it all messages go over the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "executor/transport.h"
#include "wire/flow/flow_statistics.h"
#include "wire/port.h"

namespace quadrille {

// Elements with gaps between their data travel packed: what is in the gaps is the caller's own.
struct Packing {
  std::function<bool(const void* from, std::uint64_t count, std::byte* into)> pack;
  std::function<bool(const std::byte* from, std::uint64_t count, void* into)> unpack;
};

class ByWire final : public Transport {
 public:
  // One call's messages.
  struct Call {
    wire::Port* port = nullptr;
    wire::Channel channel = 0;
    std::size_t element_bytes = 1;                // of data
    const Packing* packing = nullptr;             // none: elements have no gaps
    std::span<const int> world_ranks;             // [ranks], which are the endpoints' numbers
    std::span<const std::uint32_t> host_of_rank;  // [ranks]
    std::span<const Rank> group;                  // of group steps
    std::uint32_t group_senders = 1;              // roots of these
    Rank rank = 0;                                // own
    Transport* beside = nullptr;                  // none: it takes all messages itself
  };

  // REQUIRES: no message under way. What `call` refers to outlives the call.
  void begin(const Call& call);
  bool is_in_call() const { return in_call_.has_value(); }

  // What was wrong with this rank's own data, if anything. The call goes on all the same, since
  // others wait for this rank's messages; what they get is undefined then.
  enum class Fault : std::uint8_t { none, length, packing };
  Fault fault() const { return fault_; }

  // Whether the ends of some messages disagree about how many packets they have: what is still to
  // come may be taken for a later call's.
  bool is_out_of_step() const;

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
  Carrier carrier_of(const Step& step) const override {
    const bool beside =
        is_message(step.kind) ? is_near(step.peer) : step.kind == StepKind::group_reduce;
    return beside ? Carrier::mpi_library : Carrier::wire;
  }
  bool moved() const override { return moved_; }
  void sleep(Nanoseconds time) override;
  bool offers_core_at_once() const override { return beside_under_way_ == 0; }

 private:
  bool is_near(Rank peer) const {
    return call_.beside != nullptr && call_.host_of_rank[static_cast<std::size_t>(peer)] ==
                                          call_.host_of_rank[static_cast<std::size_t>(call_.rank)];
  }
  wire::EndpointId endpoint_of(Rank peer) const {
    return static_cast<wire::EndpointId>(call_.world_ranks[static_cast<std::size_t>(peer)]);
  }
  wire::FlowStatistics statistics() const;
  // The bytes that travel for the elements at `address`.
  std::span<const std::byte> outgoing(StepIndex step, const void* address, std::uint64_t length);
  std::span<std::byte> incoming(StepIndex step, void* address, std::uint64_t length);
  void finish(const wire::Completions::Message& message);
  Result<std::size_t> poll_beside(std::span<StepIndex> completed);

  Call call_{};
  std::optional<wire::Port::Call> in_call_;
  wire::FlowStatistics before_;  // what earlier calls of the channel have cost
  wire::Completions completions_;
  std::vector<wire::Completions::Message> complete_;
  struct Packed {
    std::vector<std::byte> bytes;
    void* into = nullptr;  // none: they were sent
    std::uint64_t length = 0;
  };
  std::unordered_map<StepIndex, Packed> packed_;
  std::vector<wire::EndpointId> group_;  // its endpoints
  std::size_t beside_under_way_ = 0;
  Nanoseconds beside_driven_{};
  bool moved_ = false;
  Fault fault_ = Fault::none;
};

}  // namespace quadrille
