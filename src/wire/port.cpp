// SPDX-License-Identifier: BSD-3-Clause
#include "wire/port.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/monotonic_clock.h"
#include "wire/channels.h"

namespace quadrille::wire {

Port::Port(std::unique_ptr<Link> link, std::unique_ptr<StreamLink> streams, PortSettings settings)
    : endpoint_(settings.endpoint,
                {.board = settings.board,
                 .holder = settings.holder,
                 .start = settings.budget,
                 .most = settings.most_budget},
                std::move(settings.addresses), settings.group),
      on_late_(std::move(settings.on_late)),
      engine_(endpoint_, std::move(link), std::move(streams),
              {.group = settings.group,
               .datagram_bytes = endpoint_.datagram_bytes(),
               .bulk = settings.bulk,
               .on_tcp_fallback = std::move(settings.on_tcp_fallback),
               .on_uncut = std::move(settings.on_uncut)}) {}

Result<std::unique_ptr<Port>> Port::open(std::unique_ptr<Link> link,
                                         std::unique_ptr<StreamLink> streams,
                                         PortSettings settings) {
  std::unique_ptr<Port> port(new Port(std::move(link), std::move(streams), std::move(settings)));
  const auto act = [of = port.get()](Nanoseconds now, bool before_sleep) {
    before_sleep ? of->exchange(now) : of->engine_.send_out(now);
    return of->endpoint_->deadline().value_or(ServiceThread::never);
  };
  if (!port->engine_.start(act))
    return Error{ErrorKind::system, "no descriptor or no thread is left for the wire"};
  return port;
}

bool Port::join_group() {
  const std::scoped_lock lock(engine_.mutex());
  return engine_.stay_in_group(monotonic_now());
}

void Port::use_streams() {
  const std::scoped_lock lock(engine_.mutex());
  engine_.use_streams();
}

void Port::enter() {
  const std::scoped_lock lock(engine_.mutex());
  engine_.enter(monotonic_now());
}

// Others may wait for what was lost of a message to a group, and for what has not left.
void Port::leave() {
  const std::scoped_lock lock(engine_.mutex());
  engine_.send_out(monotonic_now());
  hand_out();
  engine_.leave(monotonic_now(), endpoint_->deadline().value_or(ServiceThread::never),
                endpoint_->keeps_for_groups() || engine_.link().has_unsent());
}

Handle Port::await(Completions& completions, std::uint32_t token) {
  awaited_[next_handle_] = {&completions, token};
  return next_handle_++;
}

void Port::send(EndpointId peer, Channel channel, std::span<const std::byte> message,
                Completions& completions, std::uint32_t token) {
  const std::scoped_lock lock(engine_.mutex());
  endpoint_->send(peer, channel, message, await(completions, token), monotonic_now());
}

void Port::receive(EndpointId peer, Channel channel, std::span<std::byte> message,
                   Completions& completions, std::uint32_t token) {
  const std::scoped_lock lock(engine_.mutex());
  endpoint_->receive(peer, channel, message, await(completions, token), monotonic_now());
}

void Port::send_to_group(const Group& group, Channel channel, std::span<const std::byte> message,
                         Completions& completions, std::uint32_t token) {
  const std::scoped_lock lock(engine_.mutex());
  endpoint_->send_to_group(group, channel, message, await(completions, token), monotonic_now());
}

void Port::receive_from_group(EndpointId sender, const Group& group, Channel channel,
                              std::span<std::byte> message, Completions& completions,
                              std::uint32_t token) {
  const std::scoped_lock lock(engine_.mutex());
  const Nanoseconds now = monotonic_now();
  engine_.stay_in_group(now);
  endpoint_->receive_from_group(sender, group, channel, message, await(completions, token), now);
}

Result<bool> Port::drive() {
  const std::scoped_lock lock(engine_.mutex());
  const Nanoseconds now = monotonic_now();
  const bool moved = exchange(now);
  if (const auto ended = endpoint_.ended())
    return Error{ErrorKind::peer_lost, "the process of rank " + std::to_string(*ended) +
                                           " of MPI_COMM_WORLD has ended: its host refuses what is "
                                           "sent to it"};
  if (auto loss = engine_.loss(now)) return Error{ErrorKind::system, std::move(*loss)};
  return moved;
}

bool Port::exchange(Nanoseconds now) {
  engine_.send_out(now);
  const bool arrived = engine_.take_in(now);
  if (arrived) engine_.send_out(monotonic_now());
  engine_.note_refusals();
  hand_out();
  if (const auto late = endpoint_->take_late()) on_late_(*late);
  return arrived;
}

void Port::wait(Nanoseconds time) { engine_.wait(time); }

void Port::hand_out() {
  while (const auto completion = endpoint_->next_completion()) {
    const auto found = awaited_.find(completion->handle);
    if (found == awaited_.end()) continue;  // abandoned
    found->second.completions->messages_.push_back({found->second.token, completion->matches});
    awaited_.erase(found);
  }
}

void Port::take(Completions& completions, std::vector<Completions::Message>& messages) {
  messages.clear();
  const std::scoped_lock lock(engine_.mutex());
  std::swap(messages, completions.messages_);
}

void Port::abandon(Channel channel, Completions& completions) {
  const std::scoped_lock lock(engine_.mutex());
  endpoint_->abandon(channel);
  std::erase_if(awaited_,
                [&](const auto& entry) { return entry.second.completions == &completions; });
  completions.messages_.clear();
}

bool Port::is_out_of_step(Channel channel) const {
  const std::scoped_lock lock(engine_.mutex());
  return endpoint_->is_out_of_step(channel);
}

void Port::release(Channel channel) {
  const std::scoped_lock lock(engine_.mutex());
  endpoint_->release(channel);
  endpoint_->release(group_channel_of(channel));
}

std::optional<EndpointId> Port::unreached() const {
  const std::scoped_lock lock(engine_.mutex());
  return endpoint_->unreached();
}

FrameCounters Port::frames() const {
  const std::scoped_lock lock(engine_.mutex());
  return engine_.link().frames();
}

EndpointCounters Port::counters() const {
  const std::scoped_lock lock(engine_.mutex());
  return endpoint_->counters();
}

Endpoint::Flows Port::flows() const {
  const std::scoped_lock lock(engine_.mutex());
  return endpoint_->flows();
}

FlowStatistics Port::statistics(Channel channel) const {
  const std::scoped_lock lock(engine_.mutex());
  return endpoint_->statistics(channel);
}

}  // namespace quadrille::wire
