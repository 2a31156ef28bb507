// SPDX-License-Identifier: BSD-3-Clause
// An event queue; a link takes a datagram's time at its rate.
#include "wire/simulated/simulated_network.h"

#include <algorithm>
#include <utility>

#include "wire/channels.h"
#include "wire/links/link.h"

namespace quadrille::wire {

SimulatedNetwork::SimulatedNetwork(const SimulatedSettings& settings)
    : settings_(settings),
      hosts_((settings.endpoints + settings.of_host - 1) / settings.of_host),
      ends_(settings.endpoints),
      chance_(settings.seed) {
  for (EndpointId id = 0; id < settings.endpoints; ++id) {
    End& end = ends_[id];
    EndpointSettings own = settings.endpoint;
    own.self = id;
    own.peers = settings.endpoints;
    end.budget = std::make_unique<CreditBudget>(*hosts_[host_of(id)].board, id % settings.of_host,
                                                settings.budget, settings.most_budget);
    end.endpoint = std::make_unique<Endpoint>(own, *end.budget);
  }
}

Nanoseconds SimulatedNetwork::time_of(std::size_t bytes) const {
  return {static_cast<std::int64_t>(static_cast<double>(bytes + framing_bytes) * 8e9 /
                                    settings_.rate_bit_s)};
}

bool SimulatedNetwork::happens(double probability) {
  return probability > 0 && std::uniform_real_distribution<>(0, 1)(chance_) < probability;
}

void SimulatedNetwork::at(Nanoseconds time, std::function<void()> action) {
  events_.push({std::max(time, now_), order_++, std::move(action)});
}

void SimulatedNetwork::send(EndpointId from, EndpointId to, std::span<const std::byte> message,
                            Handle handle, Channel channel) {
  ++incomplete_;
  ends_[from].endpoint->send(to, channel, message, handle, now_);
  wake(from, now_);
}

void SimulatedNetwork::receive(EndpointId at_end, EndpointId from, std::span<std::byte> message,
                               Handle handle, Channel channel) {
  ++incomplete_;
  ends_[at_end].endpoint->receive(from, channel, message, handle, now_);
  wake(at_end, now_);
}

void SimulatedNetwork::receive_certain(EndpointId at_end, EndpointId from,
                                       std::span<std::byte> message, Handle handle,
                                       Channel channel) {
  ++incomplete_;
  ends_[at_end].endpoint->receive_certain(from, channel, message, handle, now_);
  wake(at_end, now_);
}

void SimulatedNetwork::send_to_group(EndpointId from, const Group& group,
                                     std::span<const std::byte> message, Handle handle,
                                     Channel channel) {
  ++incomplete_;
  ends_[from].endpoint->send_to_group(group, channel, message, handle, now_);
  wake(from, now_);
}

void SimulatedNetwork::receive_from_group(EndpointId at_end, EndpointId from, const Group& group,
                                          std::span<std::byte> message, Handle handle,
                                          Channel channel) {
  ++incomplete_;
  ends_[at_end].endpoint->receive_from_group(from, group, channel, message, handle, now_);
  wake(at_end, now_);
}

void SimulatedNetwork::release(EndpointId at_end, Channel channel) {
  ends_[at_end].endpoint->release(channel);
  ends_[at_end].endpoint->release(group_channel_of(channel));
  wake(at_end, now_);
}

void SimulatedNetwork::inject(EndpointId to, std::vector<std::byte> datagram) {
  deliver(to, std::move(datagram));
}

void SimulatedNetwork::wake(EndpointId id, Nanoseconds time) {
  End& end = ends_[id];
  if (end.woken_at && *end.woken_at <= time) return;
  end.woken_at = time;
  at(time, [this, id, time] {
    if (ends_[id].woken_at != time) return;
    ends_[id].woken_at.reset();
    pump(id);
  });
}

void SimulatedNetwork::pump(EndpointId id) {
  End& end = ends_[id];
  Host& host = hosts_[host_of(id)];
  if (end.silent) return;
  if (host.interface_free > now_) {
    wake(id, host.interface_free);
    return;
  }
  const RunLimit limit{.datagrams = settings_.runs ? longest_run : 1};
  std::vector<std::byte> datagram(end.endpoint->largest_datagram() * limit.datagrams);
  const auto outgoing = end.endpoint->next_datagram(datagram, now_, limit);
  collect(id);
  if (!outgoing) {
    if (const auto deadline = end.endpoint->deadline()) wake(id, std::max(*deadline, now_));
    return;
  }
  datagram.resize(outgoing->length);
  const std::size_t each = outgoing->datagram > 0 ? outgoing->datagram : datagram.size();
  host.interface_free = now_;
  for (std::size_t offset = 0; offset < datagram.size(); offset += each) {
    const auto begin = datagram.begin() + static_cast<std::ptrdiff_t>(offset);
    const std::size_t length = std::min(each, datagram.size() - offset);
    const std::vector<std::byte> one(begin, begin + static_cast<std::ptrdiff_t>(length));
    wire_bytes_ += length + framing_bytes;
    host.interface_free = host.interface_free + time_of(length);
    const Nanoseconds arrival = passed(id, outgoing->path, length) + settings_.latency;
    if (outgoing->peer != Endpoint::to_group) {
      travel({outgoing->peer}, arrival, one);
    } else {
      send_to_all(host_of(id), arrival, one);
    }
  }
  // Others of the host come first.
  wake(id, host.interface_free + Nanoseconds{settings_.of_host > 1 ? 1 : 0});
}

Nanoseconds SimulatedNetwork::passed(EndpointId from, std::uint32_t path, std::size_t bytes) {
  const Nanoseconds left = hosts_[host_of(from)].interface_free;
  const Nanoseconds behind{settings_.path_latency.value * path};
  if (settings_.path_rate_bit_s <= 0) return left + behind;
  Nanoseconds& free = ends_[from].path_free[path];
  const double bits = 8.0 * static_cast<double>(bytes + framing_bytes);
  free = std::max(free, left) +
         Nanoseconds{static_cast<std::int64_t>(bits / settings_.path_rate_bit_s * 1e9)};
  return free + behind;
}

// The switch copies it to every other port; each copy has its own fate.
void SimulatedNetwork::send_to_all(std::size_t from_host, Nanoseconds arrival,
                                   const std::vector<std::byte>& datagram) {
  std::vector<Receivers> of_hosts(hosts_.size());
  for (EndpointId to = 0; to < ends_.size(); ++to) {
    if (host_of(to) != from_host && ends_[to].takes_group_data) of_hosts[host_of(to)].push_back(to);
  }
  for (const Receivers& to : of_hosts) {
    if (!to.empty()) travel(to, arrival, datagram);
  }
}

void SimulatedNetwork::travel(const Receivers& to, Nanoseconds there,
                              std::vector<std::byte> datagram) {
  if (happens(settings_.loss) || travelled_++ - lost_.first < lost_.second) return;
  if (happens(settings_.reordering))
    there += Nanoseconds{
        std::uniform_int_distribution<std::int64_t>(0, settings_.held_back.value)(chance_)};
  if (happens(settings_.corruption))
    datagram[chance_() % datagram.size()] ^= static_cast<std::byte>(1U << chance_() % 8);
  if (happens(settings_.duplication))
    at(there, [this, to, datagram] { into_switch(to, datagram); });
  at(there, [this, to, datagram = std::move(datagram)]() mutable {
    into_switch(to, std::move(datagram));
  });
}

void SimulatedNetwork::into_switch(const Receivers& to, std::vector<std::byte> datagram) {
  Host& host = hosts_[host_of(to.front())];
  const std::size_t bytes = datagram.size() + framing_bytes;
  if (host.queued + bytes > settings_.buffer_bytes) {
    ++overflows_;
    return;
  }
  host.queued += bytes;
  host.port_free = std::max(host.port_free, now_) + time_of(datagram.size());
  at(host.port_free, [this, &host, to, bytes, datagram = std::move(datagram)] {
    host.queued -= bytes;
    for (const EndpointId id : to) deliver(id, datagram);
  });
}

void SimulatedNetwork::deliver(EndpointId to, std::vector<std::byte> datagram) {
  if (ends_[to].silent) return;
  if (recorded_ == to) recording_.push_back(datagram);
  End& end = ends_[to];
  end.endpoint->on_datagram(datagram, now_);
  end.bursts.add(datagram.size() + framing_bytes, now_);
  end.budget->learn([&end](std::size_t bytes) { return end.bursts.take(bytes); },
                    settings_.endpoint.limits.payload + packet_framing_bytes, now_);
  collect(to);
  wake(to, now_);
}

void SimulatedNetwork::collect(EndpointId id) {
  while (const auto completion = ends_[id].endpoint->next_completion()) {
    --incomplete_;
    if (!completion->matches) ++mismatches_;
    on_completion_(id, completion->handle);
  }
}

bool SimulatedNetwork::run(Nanoseconds limit) {
  while (incomplete_ > 0 && run_once(limit)) {
  }
  return incomplete_ == 0;
}

void SimulatedNetwork::pass(Nanoseconds time) {
  const Nanoseconds end = now_ + time;
  while (run_once(end)) {
  }
  now_ = end;
}

bool SimulatedNetwork::run_once(Nanoseconds limit) {
  if (events_.empty() || events_.top().time > limit) return false;
  const Event event = events_.top();
  events_.pop();
  now_ = event.time;
  event.action();
  return true;
}

}  // namespace quadrille::wire
