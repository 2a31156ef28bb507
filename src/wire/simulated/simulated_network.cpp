// SPDX-License-Identifier: BSD-3-Clause
// An event queue; a link takes a datagram's time at its rate.
#include "wire/simulated/simulated_network.h"

#include <algorithm>
#include <utility>

#include "base/mixed_bits.h"
#include "wire/channels.h"
#include "wire/links/link.h"

namespace quadrille::wire {

namespace {

// Flows that differ in any of it take their ways as if by chance.
std::uint32_t flow_hash(EndpointId from, EndpointId to, std::uint32_t path, std::uint64_t seed) {
  const std::uint64_t flow = (std::uint64_t{from} << 40U) ^ (std::uint64_t{to} << 8U) ^ path;
  return static_cast<std::uint32_t>(mixed_bits(flow + (seed + 1) * 0x9e3779b97f4a7c15ULL) >> 32U);
}

constexpr std::size_t unlimited_buffer = ~std::size_t{0} / 2;

}  // namespace

SimulatedNetwork::SimulatedNetwork(const SimulatedSettings& settings)
    : settings_(settings),
      ends_(settings.endpoints),
      tree_(settings.switches, settings.trunks),
      chance_(settings.seed) {
  const std::size_t hosts = (settings.endpoints + settings.of_host - 1) / settings.of_host;
  hosts_.reserve(hosts);
  for (std::size_t host = 0; host < hosts; ++host) {
    const SimulatedHost own = settings_of_host(host);
    hosts_.push_back({.interface = SimulatedPort(own.out_bit_s, unlimited_buffer),
                      .port = SimulatedPort(own.in_bit_s, own.buffer_bytes),
                      .at_switch = own.at_switch,
                      .waiting = {}});
  }
  for (EndpointId id = 0; id < settings.endpoints; ++id) {
    End& end = ends_[id];
    const SimulatedHost host = settings_of_host(host_of(id));
    EndpointSettings own = host.endpoint;
    own.self = id;
    own.peers = settings.endpoints;
    end.budget = std::make_unique<CreditBudget>(*hosts_[host_of(id)].board, id % settings.of_host,
                                                host.budget, host.most_budget);
    end.endpoint = std::make_unique<Endpoint>(own, *end.budget);
    end.packet_bytes = own.limits.payload + packet_framing_bytes;
  }
}

SimulatedHost SimulatedNetwork::settings_of_host(std::size_t host) const {
  if (!settings_.hosts.empty()) return settings_.hosts[host];
  return {.out_bit_s = settings_.rate_bit_s,
          .in_bit_s = settings_.rate_bit_s,
          .buffer_bytes = settings_.buffer_bytes,
          .budget = settings_.budget,
          .most_budget = settings_.most_budget,
          .endpoint = settings_.endpoint};
}

bool SimulatedNetwork::happens(double probability) {
  return probability > 0 && std::uniform_real_distribution<>(0, 1)(chance_) < probability;
}

std::size_t SimulatedNetwork::own_bytes() const {
  return ends_.capacity() * sizeof(End) + hosts_.capacity() * (sizeof(Host) + sizeof(CreditBoard)) +
         events_.own_bytes() + datagrams_.own_bytes() + room_.capacity() + received_.capacity() +
         actions_.capacity() * sizeof(actions_.front());
}

void SimulatedNetwork::push(Nanoseconds time, Kind kind, std::uint32_t target) {
  events_.push({.at = {time, order_++}, .target = target, .kind = kind});
}

void SimulatedNetwork::at(Nanoseconds time, std::function<void()> action) {
  if (unused_actions_.empty()) {
    unused_actions_.push_back(static_cast<std::uint32_t>(actions_.size()));
    actions_.emplace_back();
  }
  const std::uint32_t number = unused_actions_.back();
  unused_actions_.pop_back();
  actions_[number] = std::move(action);
  push(std::max(time, now_), Kind::action, number);
}

void SimulatedNetwork::occupy(EndpointId endpoint, Nanoseconds time) {
  Nanoseconds& free = ends_[endpoint].processor_free;
  free = std::max(free, now_) + time;
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
  receive_datagram(to, datagram, now_);
}

void SimulatedNetwork::wake(EndpointId id, Nanoseconds time) {
  End& end = ends_[id];
  if (end.woken_at && *end.woken_at <= time) return;
  end.woken_at = time;
  if (time <= now_) return push(now_, Kind::wake, id);
  // Where it stands among others of that time is decided now, whenever the event is made.
  if (end.due.time != time) end.due = {time, order_++};
  if (!end.timer || *end.timer > time) set_timer(id);
}

void SimulatedNetwork::set_timer(EndpointId id) {
  ends_[id].timer = ends_[id].due.time;
  events_.push({.at = ends_[id].due, .target = id, .kind = Kind::timer});
}

// An endpoint looks at the time with each datagram, and each time it is due later: one event is
// there at a time, which finds out that it was too early.
void SimulatedNetwork::on_timer(EndpointId id) {
  End& end = ends_[id];
  if (end.timer != now_) return;
  end.timer.reset();
  if (!end.woken_at) return;
  if (*end.woken_at > now_) return set_timer(id);
  end.woken_at.reset();
  pump(id);
}

void SimulatedNetwork::wait_for_interface(EndpointId id) {
  End& end = ends_[id];
  Host& host = hosts_[host_of(id)];
  if (end.waits_for_interface) return;
  end.waits_for_interface = true;
  host.waiting.push_back(id);
  if (host.is_waited_for) return;
  host.is_waited_for = true;
  push(host.interface_free, Kind::interface, static_cast<std::uint32_t>(host_of(id)));
}

void SimulatedNetwork::pass_interface_on(std::uint32_t number) {
  Host& host = hosts_[number];
  host.is_waited_for = false;
  while (!host.waiting.empty() && host.interface_free <= now_) {
    const EndpointId next = host.waiting.front();
    host.waiting.pop_front();
    ends_[next].waits_for_interface = false;
    pump(next);
  }
  if (host.waiting.empty() || host.is_waited_for) return;
  host.is_waited_for = true;
  push(host.interface_free, Kind::interface, number);
}

void SimulatedNetwork::pump(EndpointId id) {
  End& end = ends_[id];
  Host& host = hosts_[host_of(id)];
  if (end.silent || receive_arrived(id)) return;
  if (host.interface_free > now_) return wait_for_interface(id);
  const RunLimit limit{.datagrams = settings_.runs ? longest_run : 1};
  const std::size_t room = end.endpoint->largest_datagram() * limit.datagrams;
  if (room_.size() < room) room_.resize(room);
  const auto outgoing = end.endpoint->next_datagram(std::span(room_).first(room), now_, limit);
  collect(id);
  if (!outgoing) {
    end.is_sending = false;
    if (const auto deadline = end.endpoint->deadline()) wake(id, std::max(*deadline, now_));
    return;
  }
  host.interface_free = now_;
  send_datagram(id, *outgoing, std::span(room_).first(outgoing->length));
  wait_for_interface(id);
}

void SimulatedNetwork::send_datagram(EndpointId from, const Endpoint::Outgoing& outgoing,
                                     std::span<const std::byte> bytes) {
  End& end = ends_[from];
  Host& host = hosts_[host_of(from)];
  const std::size_t each = outgoing.datagram > 0 ? outgoing.datagram : bytes.size();
  const bool to_group = outgoing.peer == Endpoint::to_group;
  const auto packets = static_cast<std::int64_t>((bytes.size() + each - 1) / each);
  const SimulatedProcessor& costs = settings_.processor;
  const Nanoseconds called = std::exchange(end.is_sending, true) ? Nanoseconds{} : costs.send_call;
  const Nanoseconds busy = called + costs.send_packet * packets;
  if (costs.takes_time()) end.processor_free = now_ + busy;
  for (std::size_t offset = 0; offset < bytes.size(); offset += each) {
    const auto one = bytes.subspan(offset, std::min(each, bytes.size() - offset));
    wire_bytes_ += one.size() + framing_bytes;
    host.interface_free = host.interface_free + host.interface.time_of(one.size());
    const Nanoseconds arrival =
        passed(from, outgoing.path, one.size()) + settings_.latency + called;
    const std::uint32_t number = datagrams_.add(one);
    SimulatedDatagrams::Datagram& datagram = datagrams_[number];
    datagram.from = from;
    datagram.to_group = to_group;
    if (!settings_.trunks.empty())
      datagram.flow_hash = flow_hash(from, outgoing.peer, outgoing.path, settings_.seed);
    if (to_group) {
      spread(number, host.at_switch, std::nullopt, arrival);
    } else {
      travel(number, outgoing.peer, arrival);
    }
    datagrams_.release(number);
  }
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

// A switch copies it to every other port; each copy to a host has its own fate.
void SimulatedNetwork::spread(std::uint32_t number, std::uint32_t at_switch,
                              std::optional<std::uint32_t> came_from, Nanoseconds arrival) {
  const std::size_t own = host_of(datagrams_[number].from);
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    if (host == own || hosts_[host].at_switch != at_switch) continue;
    const EndpointId first = host * settings_.of_host;
    const EndpointId end =
        std::min<EndpointId>(first + settings_.of_host, static_cast<EndpointId>(ends_.size()));
    const bool takes = std::any_of(ends_.begin() + first, ends_.begin() + end,
                                   [](const End& one) { return one.takes_group_data; });
    if (takes) travel(number, host, arrival);
  }
  for (const std::uint16_t link : tree_.links_of(at_switch)) {
    if (tree_.link(link).to == came_from) continue;
    datagrams_.hold(number);
    events_.push(
        {.at = {arrival, order_++}, .datagram = number, .link = link, .kind = Kind::at_link});
  }
}

void SimulatedNetwork::travel(std::uint32_t number, std::uint32_t target, Nanoseconds there) {
  if (happens(settings_.loss) || travelled_++ - lost_.first < lost_.second) return;
  if (happens(settings_.reordering))
    there += Nanoseconds{
        std::uniform_int_distribution<std::int64_t>(0, settings_.held_back.value)(chance_)};
  std::uint32_t travelling = number;
  if (happens(settings_.corruption)) {
    const SimulatedDatagrams::Datagram whole = datagrams_[number];
    travelling = datagrams_.add(std::span(whole.room).first(whole.length));
    SimulatedDatagrams::Datagram& damaged = datagrams_[travelling];
    damaged.from = whole.from;
    damaged.flow_hash = whole.flow_hash;
    damaged.to_group = whole.to_group;
    damaged.room[chance_() % damaged.length] ^= static_cast<std::byte>(1U << chance_() % 8);
  } else {
    datagrams_.hold(travelling);
  }
  if (happens(settings_.duplication)) {
    datagrams_.hold(travelling);
    set_out(travelling, target, there);
  }
  set_out(travelling, target, there);
}

// What goes to a group has passed all trunks when its fate is decided.
void SimulatedNetwork::set_out(std::uint32_t number, std::uint32_t target, Nanoseconds arrival) {
  SimulatedEvent event{
      .at = {arrival, order_++}, .target = target, .datagram = number, .kind = Kind::at_port};
  const SimulatedDatagrams::Datagram& datagram = datagrams_[number];
  if (!datagram.to_group) {
    const auto way =
        tree_.way(hosts_[host_of(datagram.from)].at_switch, hosts_[host_of(target)].at_switch);
    if (!way.empty()) {
      event.link = way.front();
      event.kind = Kind::at_link;
    }
  }
  events_.push(event);
}

void SimulatedNetwork::into_link(SimulatedEvent event) {
  const SimulatedDatagrams::Datagram& datagram = datagrams_[event.datagram];
  const SimulatedLink& link = tree_.link(event.link);
  SimulatedPort& port = tree_.port(link, datagram.flow_hash);
  if (!port.has_room(datagram.length, event.at)) {
    ++overflows_;
    return datagrams_.release(event.datagram);
  }
  event.at = {port.take(datagram.length, now_, order_) + link.latency, order_};
  ++order_;
  if (datagram.to_group) {
    spread(event.datagram, link.to, link.from, event.at.time);
    return datagrams_.release(event.datagram);
  }
  const auto way =
      tree_.way(hosts_[host_of(datagram.from)].at_switch, hosts_[host_of(event.target)].at_switch);
  ++event.hop;
  if (event.hop < way.size()) {
    event.link = way[event.hop];
  } else {
    event.kind = Kind::at_port;
  }
  events_.push(event);
}

void SimulatedNetwork::into_port(SimulatedEvent event) {
  const SimulatedDatagrams::Datagram& datagram = datagrams_[event.datagram];
  SimulatedPort& port = hosts_[datagram.to_group ? event.target : host_of(event.target)].port;
  if (!port.has_room(datagram.length, event.at)) {
    ++overflows_;
    return datagrams_.release(event.datagram);
  }
  event.at = {port.take(datagram.length, now_, order_), order_};
  ++order_;
  event.kind = Kind::out;
  events_.push(event);
}

void SimulatedNetwork::out_of_port(const SimulatedEvent& event) {
  if (!datagrams_[event.datagram].to_group) {
    deliver(event.target, event.datagram);
  } else {
    const EndpointId first = event.target * settings_.of_host;
    for (EndpointId id = first; id < first + settings_.of_host && id < ends_.size(); ++id) {
      if (ends_[id].takes_group_data) deliver(id, event.datagram);
    }
  }
  datagrams_.release(event.datagram);
}

void SimulatedNetwork::deliver(EndpointId to, std::uint32_t datagram) {
  End& end = ends_[to];
  const SimulatedProcessor& costs = settings_.processor;
  if (!costs.takes_time()) return receive_datagram(to, datagrams_[datagram].bytes(), now_);
  if (end.silent) return;
  if (costs.socket_datagrams > 0 && end.arrived.size() >= costs.socket_datagrams) {
    ++lost_at_sockets_;
    return;
  }
  datagrams_.hold(datagram);
  end.arrived.push_back({datagram, now_});
  wake(to, std::max(now_, end.processor_free));
}

bool SimulatedNetwork::receive_arrived(EndpointId id) {
  End& end = ends_[id];
  const SimulatedProcessor& costs = settings_.processor;
  if (!costs.takes_time()) return false;
  if (end.processor_free > now_) {
    wake(id, end.processor_free);
    return true;
  }
  if (end.arrived.empty()) return false;
  end.is_sending = false;
  end.processor_free = now_ + costs.receive_call +
                       costs.receive_packet * static_cast<std::int64_t>(end.arrived.size());
  while (!end.arrived.empty()) {
    const Arrived next = end.arrived.front();
    end.arrived.pop_front();
    receive_datagram(id, datagrams_[next.datagram].bytes(), next.at);
    datagrams_.release(next.datagram);
  }
  wake(id, end.processor_free);
  return true;
}

// An endpoint may write into what it is given, and others get the same.
void SimulatedNetwork::receive_datagram(EndpointId to, std::span<const std::byte> datagram,
                                        Nanoseconds arrived) {
  End& end = ends_[to];
  if (end.silent) return;
  received_.assign(datagram.begin(), datagram.end());
  if (recorded_ == to) recording_.push_back(received_);
  end.endpoint->on_datagram(received_, now_);
  end.bursts.add(datagram.size() + framing_bytes, arrived);
  end.budget->learn([&end](std::size_t bytes) { return end.bursts.take(bytes); }, end.packet_bytes,
                    now_);
  collect(to);
  if (!settings_.processor.takes_time()) wake(to, now_);
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
  if (events_.empty() || events_.first().at.time > limit) return false;
  const SimulatedEvent event = events_.pop();
  now_ = event.at.time;
  ++happened_;
  happen(event);
  return true;
}

void SimulatedNetwork::happen(const SimulatedEvent& event) {
  switch (event.kind) {
    case Kind::wake:
      if (ends_[event.target].woken_at != now_) return;
      ends_[event.target].woken_at.reset();
      return pump(event.target);
    case Kind::timer:
      return on_timer(event.target);
    case Kind::interface:
      return pass_interface_on(event.target);
    case Kind::at_link:
      return into_link(event);
    case Kind::at_port:
      return into_port(event);
    case Kind::out:
      return out_of_port(event);
    case Kind::action: {
      const std::function<void()> action = std::move(actions_[event.target]);
      unused_actions_.push_back(event.target);
      return action();
    }
  }
}

}  // namespace quadrille::wire
