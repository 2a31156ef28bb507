// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/simulated_transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace quadrille::simulate {

HostMessages::HostMessages(wire::SimulatedNetwork& network, std::uint32_t ranks, const Costs& costs,
                           Completed completed)
    : network_(network),
      ranks_(ranks),
      costs_(costs),
      completed_(std::move(completed)),
      waiting_(std::size_t{ranks} * ranks) {}

void HostMessages::meet(const Side& side, bool sends) {
  Waiting& waiting = waiting_[std::size_t{side.from} * ranks_ + side.to];
  if (waiting.sides.empty() || waiting.send == sends) {
    waiting.send = sends;
    waiting.sides.push_back(side);
    return;
  }
  const Side other = waiting.sides.front();
  waiting.sides.pop_front();
  sends ? move(side, other) : move(other, side);
}

void HostMessages::move(const Side& sender, const Side& receiver) {
  const Nanoseconds takes{
      static_cast<std::int64_t>(sender.bytes * costs_.ps_per_byte / std::uint64_t{1000})};
  free_ = std::max(free_, network_.now()) + takes;
  network_.at(free_ + costs_.latency, [this, sender, receiver] {
    const std::uint64_t bytes = std::min(sender.bytes, receiver.bytes);
    if (costs_.moves_data && bytes > 0) std::memmove(receiver.data, sender.data, bytes);
    completed_(sender.from, sender.step);
    completed_(receiver.to, receiver.step);
  });
}

void SimulatedTransport::begin(std::uint32_t communicator, std::size_t element_bytes,
                               std::span<const Rank> group, std::uint32_t group_senders) {
  channel_ = wire::channel_of_context(communicator);
  element_bytes_ = element_bytes;
  group_.assign(group.begin(), group.end());
  group_senders_ = group_senders;
  completed_.clear();
}

Result<bool> SimulatedTransport::start_send(StepIndex step, Rank peer, const void* address,
                                            std::uint64_t length) {
  const std::uint64_t bytes = length * element_bytes_;
  if (is_near(peer)) {
    auto* const data = static_cast<std::byte*>(const_cast<void*>(address));  // NOLINT(*-const-cast)
    place_.memory->send({place_of(place_.rank), place_of(peer), step, data, bytes});
    return true;
  }
  place_.network->send(static_cast<wire::EndpointId>(place_.rank),
                       static_cast<wire::EndpointId>(peer),
                       {static_cast<const std::byte*>(address), bytes}, handle_of(step), channel_);
  return true;
}

Result<bool> SimulatedTransport::start_receive(StepIndex step, Rank peer, void* address,
                                               std::uint64_t length) {
  const std::uint64_t bytes = length * element_bytes_;
  auto* const data = static_cast<std::byte*>(address);
  if (is_near(peer)) {
    place_.memory->receive({place_of(peer), place_of(place_.rank), step, data, bytes});
    return true;
  }
  place_.network->receive(static_cast<wire::EndpointId>(place_.rank),
                          static_cast<wire::EndpointId>(peer), {data, bytes}, handle_of(step),
                          channel_);
  return true;
}

Result<bool> SimulatedTransport::start_group_bcast(StepIndex step, Rank root, void* data,
                                                   std::uint64_t length) {
  const wire::Group group{group_, group_senders_};
  const std::span<std::byte> bytes{static_cast<std::byte*>(data), length * element_bytes_};
  const auto own = static_cast<wire::EndpointId>(place_.rank);
  const wire::EndpointId sender = group_[static_cast<std::size_t>(root)];
  if (sender == own) {
    place_.network->send_to_group(own, group, bytes, handle_of(step),
                                  wire::group_channel_of(channel_));
  } else {
    place_.network->receive_from_group(own, sender, group, bytes, handle_of(step),
                                       wire::group_channel_of(channel_));
  }
  return true;
}

Result<bool> SimulatedTransport::start_group_reduce(StepIndex /*step*/, Rank /*root*/,
                                                    const void* /*from*/, void* /*into*/,
                                                    std::uint64_t /*length*/) {
  return Error{
      ErrorKind::unsupported,
      "the algorithm has group steps of the MPI library's or through host memory, which are "
      "not simulated"};
}

Result<std::size_t> SimulatedTransport::poll(std::span<StepIndex> completed) {
  const std::size_t count = completed_.size();
  std::ranges::copy(completed_, completed.begin());
  completed_.clear();
  return count;
}

}  // namespace quadrille::simulate
