// SPDX-License-Identifier: BSD-3-Clause
#include "executor/by_wire.h"

#include <algorithm>

#include "base/monotonic_clock.h"
#include "wire/channels.h"

namespace quadrille {
namespace {

// How often the MPI library is looked after where nothing of it is awaited.
constexpr Nanoseconds beside_interval{500'000};
// An arrival ends a sleep, so only what is awaited beside asks for short ones.
constexpr Nanoseconds shortest_sleep{200'000};

}  // namespace

void ByWire::begin(const Call& call) {
  call_ = call;
  beside_under_way_ = 0;
  fault_ = Fault::none;
  packed_.clear();
  group_.clear();
  for (const Rank rank : call.group) group_.push_back(endpoint_of(rank));
  in_call_.emplace(*call.port);
  before_ = statistics();
}

wire::FlowStatistics ByWire::end(bool ok) {
  wire::FlowStatistics cost;
  if (ok) {
    cost = statistics() - before_;
  } else {
    call_.port->abandon(call_.channel, completions_);
    call_.port->abandon(wire::group_channel_of(call_.channel), completions_);
  }
  in_call_.reset();
  return cost;
}

bool ByWire::is_out_of_step() const {
  return call_.port->is_out_of_step(call_.channel) ||
         call_.port->is_out_of_step(wire::group_channel_of(call_.channel));
}

wire::FlowStatistics ByWire::statistics() const {
  wire::FlowStatistics both = call_.port->statistics(call_.channel);
  return both += call_.port->statistics(wire::group_channel_of(call_.channel));
}

Result<bool> ByWire::start_send(StepIndex step, Rank peer, const void* address,
                                std::uint64_t length) {
  if (is_near(peer)) {
    ++beside_under_way_;
    return call_.beside->start_send(step, peer, address, length);
  }
  call_.port->send(endpoint_of(peer), call_.channel, outgoing(step, address, length), completions_,
                   step);
  return true;
}

Result<bool> ByWire::start_receive(StepIndex step, Rank peer, void* address, std::uint64_t length) {
  if (is_near(peer)) {
    ++beside_under_way_;
    return call_.beside->start_receive(step, peer, address, length);
  }
  call_.port->receive(endpoint_of(peer), call_.channel, incoming(step, address, length),
                      completions_, step);
  return true;
}

std::span<const std::byte> ByWire::outgoing(StepIndex step, const void* address,
                                            std::uint64_t length) {
  const std::size_t bytes = length * call_.element_bytes;
  if (call_.packing == nullptr) return {static_cast<const std::byte*>(address), bytes};
  Packed& packed = packed_[step];
  packed.bytes.resize(bytes);
  if (!call_.packing->pack(address, length, packed.bytes.data())) fault_ = Fault::packing;
  return packed.bytes;
}

std::span<std::byte> ByWire::incoming(StepIndex step, void* address, std::uint64_t length) {
  const std::size_t bytes = length * call_.element_bytes;
  if (call_.packing == nullptr) return {static_cast<std::byte*>(address), bytes};
  Packed& packed = packed_[step];
  packed = {std::vector<std::byte>(bytes), address, length};
  return packed.bytes;
}

void ByWire::finish(const wire::Completions::Message& message) {
  if (!message.matches) fault_ = Fault::length;
  const auto packed = packed_.extract(message.token);
  if (packed.empty() || packed.mapped().into == nullptr || !message.matches) return;
  if (!call_.packing->unpack(packed.mapped().bytes.data(), packed.mapped().length,
                             packed.mapped().into))
    fault_ = Fault::packing;
}

Result<bool> ByWire::start_group_bcast(StepIndex step, Rank root, void* data,
                                       std::uint64_t length) {
  const wire::Channel channel = wire::group_channel_of(call_.channel);
  const wire::Group group{group_, call_.group_senders};
  const Rank sender = call_.group[static_cast<std::size_t>(root)];
  if (sender != call_.rank) {
    call_.port->receive_from_group(endpoint_of(sender), group, channel,
                                   incoming(step, data, length), completions_, step);
    return true;
  }
  call_.port->send_to_group(group, channel, outgoing(step, data, length), completions_, step);
  return true;
}

Result<bool> ByWire::start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                        std::uint64_t length) {
  if (call_.beside == nullptr)
    return Error{ErrorKind::system, "the wire alone does not combine what a group has"};
  ++beside_under_way_;
  return call_.beside->start_group_reduce(step, root, from, into, length);
}

Result<std::size_t> ByWire::poll(std::span<StepIndex> completed) {
  const auto driven = call_.port->drive();
  if (!driven.ok()) return driven.error();
  moved_ = driven.value();
  std::size_t count = 0;
  call_.port->take(completions_, complete_);
  for (const auto& message : complete_) {
    finish(message);
    completed[count++] = message.token;
  }
  auto beside = poll_beside(completed.subspan(count));
  if (!beside.ok()) return beside;
  return count + beside.value();
}

Result<std::size_t> ByWire::poll_beside(std::span<StepIndex> completed) {
  if (call_.beside == nullptr) return std::size_t{0};
  if (beside_under_way_ > 0) {
    const auto done = call_.beside->poll(completed);
    if (done.ok()) beside_under_way_ -= done.value();
    return done;
  }
  const Nanoseconds now = monotonic_now();
  if (now - beside_driven_ > beside_interval) {
    beside_driven_ = now;
    call_.beside->progress();
  }
  return std::size_t{0};
}

void ByWire::sleep(Nanoseconds time) {
  call_.port->wait(beside_under_way_ > 0 ? time : std::max(time, shortest_sleep));
}

}  // namespace quadrille
