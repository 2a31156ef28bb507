// SPDX-License-Identifier: BSD-3-Clause
#include "executor/transports/by_wire.h"

#include <algorithm>

#include "base/monotonic_clock.h"

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
  in_call_.emplace(*call.port);
  before_ = call.port->statistics(call.channel);
}

wire::FlowStatistics ByWire::end(bool ok) {
  wire::FlowStatistics cost;
  if (ok) {
    cost = call_.port->statistics(call_.channel) - before_;
  } else {
    call_.port->abandon(call_.channel, completions_);
  }
  in_call_.reset();
  return cost;
}

Result<bool> ByWire::start_send(StepIndex step, Rank peer, const void* address,
                                std::uint64_t length) {
  if (is_near(peer)) {
    ++beside_under_way_;
    return call_.beside->start_send(step, peer, address, length);
  }
  const std::span message(static_cast<const std::byte*>(address), length * call_.element_bytes);
  call_.port->send(endpoint_of(peer), call_.channel, message, completions_, step);
  return true;
}

Result<bool> ByWire::start_receive(StepIndex step, Rank peer, void* address, std::uint64_t length) {
  if (is_near(peer)) {
    ++beside_under_way_;
    return call_.beside->start_receive(step, peer, address, length);
  }
  const std::span message(static_cast<std::byte*>(address), length * call_.element_bytes);
  call_.port->receive(endpoint_of(peer), call_.channel, message, completions_, step);
  return true;
}

Result<bool> ByWire::start_group_bcast(StepIndex step, Rank root, void* data,
                                       std::uint64_t length) {
  ++beside_under_way_;
  return call_.beside->start_group_bcast(step, root, data, length);
}

Result<bool> ByWire::start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                        std::uint64_t length) {
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
    if (!message.matches) {
      return Error{ErrorKind::invalid_argument,
                   "a message has another length than its receiver expects"};
    }
    completed[count++] = message.token;
  }
  auto beside = poll_beside(completed.subspan(count));
  if (!beside.ok()) return beside;
  return count + beside.value();
}

Result<std::size_t> ByWire::poll_beside(std::span<StepIndex> completed) {
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
