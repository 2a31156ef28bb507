// SPDX-License-Identifier: BSD-3-Clause
// The sockets are watched while no call is under way and none has been for a millisecond.
#include "wire/port.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/monotonic_clock.h"
#include "wire/channels.h"

namespace quadrille::wire {

namespace {

// One refusal may be a firewall's while it is set up anew.
constexpr std::uint32_t probes_before_lost = 2;

// Switches forget of members whom nobody asks (RFC 4541; 260 s by default).
constexpr Nanoseconds between_joins{60'000'000'000};
// Who comes back so soon answers for itself.
constexpr Nanoseconds between_calls{1'000'000};

}  // namespace

Port::Port(std::unique_ptr<Link> link, std::unique_ptr<StreamLink> streams, PortSettings settings)
    : link_(std::move(link)),
      own_address_(link_->local().address),
      group_(settings.group),
      datagram_bytes_(settings.endpoint.limits.payload + overhead_bytes),
      budget_(settings.board != nullptr ? *settings.board : own_board_, settings.holder,
              settings.budget, settings.most_budget),
      endpoint_(settings.endpoint, budget_),
      on_late_(std::move(settings.on_late)),
      on_uncut_(std::move(settings.on_uncut)),
      service_(mutex_) {
  std::vector<NetworkAddress> of_streams;
  for (const PortAddress& address : settings.addresses) {
    addresses_.push_back(address.datagrams);
    of_streams.push_back(address.streams);
  }
  if (streams != nullptr)
    tcp_fallback_.emplace(std::move(streams), std::move(of_streams),
                          std::move(settings.on_tcp_fallback));
}

Result<std::unique_ptr<Port>> Port::open(std::unique_ptr<Link> link,
                                         std::unique_ptr<StreamLink> streams,
                                         PortSettings settings) {
  std::unique_ptr<Port> port(new Port(std::move(link), std::move(streams), std::move(settings)));
  if (!port->start())
    return Error{ErrorKind::system, "no descriptor or no thread is left for the wire"};
  return port;
}

bool Port::start() {
  for (const int descriptor : link_->descriptors()) {
    if (!service_.add(descriptor, EPOLLIN)) return false;
  }
  if (tcp_fallback_ && !service_.add(tcp_fallback_->descriptor(), 0)) return false;
  return service_.start([this] { return serve(); });
}

void Port::watch(bool arrivals, bool room) {
  watched_ = arrivals;
  const std::uint32_t arriving = arrivals ? EPOLLIN : 0U;
  service_.watch(link_->descriptors(), arriving, room);
  if (uses_tcp_fallback_) service_.watch(tcp_fallback_->descriptor(), arriving);
  if (group_link_) service_.watch(group_link_->descriptors(), arriving, false);
}

bool Port::join_group() {
  const std::scoped_lock lock(mutex_);
  stay_in_group(monotonic_now());
  return group_link_ != nullptr;
}

void Port::stay_in_group(Nanoseconds now) {
  if (!group_ || (joined_ && now - *joined_ < between_joins)) return;
  joined_ = now;
  if (group_link_) return group_link_->join_again();
  auto opened = UdpLink::open(
      {.local = link_->joins_at(), .group = group_, .datagram_bytes = datagram_bytes_});
  if (!opened.ok()) return;  // who sends to the group then sends to this end alone
  if (service_.add(opened.value()->descriptors().front(), 0))
    group_link_ = std::move(opened.value());
}

void Port::use_tcp_fallback() {
  const std::scoped_lock lock(mutex_);
  uses_tcp_fallback_ = tcp_fallback_.has_value();
}

void Port::enter() {
  const std::scoped_lock lock(mutex_);
  last_passed_ = monotonic_now();
  if (calls_++ == 0 && watched_) watch(false, false);
}

void Port::leave() {
  const std::scoped_lock lock(mutex_);
  if (--calls_ > 0) return;
  send_out();
  hand_out();
  last_passed_ = monotonic_now();
  // Others may wait for what has not left, or for what was lost.
  if (link_->has_unsent() || endpoint_.keeps_for_groups()) watch(true, link_->has_unsent());
  const Nanoseconds look = watched_ ? ServiceThread::never : last_passed_ + between_calls;
  service_.wake_by(std::min(look, endpoint_.deadline().value_or(ServiceThread::never)));
}

Nanoseconds Port::serve() {
  const Nanoseconds now = monotonic_now();
  if (!watched_ && now - last_passed_ < between_calls) {
    if (calls_ == 0) send_out();
    return last_passed_ + between_calls;
  }
  if (calls_ > 0) return ServiceThread::never;
  link_->woken();
  if (joined_) stay_in_group(now);  // probes are to be heard though nothing else comes
  exchange();
  watch(true, link_->has_unsent());
  return endpoint_.deadline().value_or(ServiceThread::never);
}

void Port::send(EndpointId peer, Channel channel, std::span<const std::byte> message,
                Completions& completions, std::uint32_t token) {
  const std::scoped_lock lock(mutex_);
  awaited_[next_handle_] = {&completions, token};
  endpoint_.send(peer, channel, message, next_handle_++, monotonic_now());
}

void Port::receive(EndpointId peer, Channel channel, std::span<std::byte> message,
                   Completions& completions, std::uint32_t token) {
  const std::scoped_lock lock(mutex_);
  awaited_[next_handle_] = {&completions, token};
  endpoint_.receive(peer, channel, message, next_handle_++, monotonic_now());
}

void Port::send_to_group(const Group& group, Channel channel, std::span<const std::byte> message,
                         Completions& completions, std::uint32_t token) {
  const std::scoped_lock lock(mutex_);
  awaited_[next_handle_] = {&completions, token};
  endpoint_.send_to_group(group, channel, message, next_handle_++, monotonic_now());
}

void Port::receive_from_group(EndpointId sender, const Group& group, Channel channel,
                              std::span<std::byte> message, Completions& completions,
                              std::uint32_t token) {
  const std::scoped_lock lock(mutex_);
  const Nanoseconds now = monotonic_now();
  stay_in_group(now);
  awaited_[next_handle_] = {&completions, token};
  endpoint_.receive_from_group(sender, group, channel, message, next_handle_++, now);
}

Result<bool> Port::drive() {
  const std::scoped_lock lock(mutex_);
  const bool moved = exchange();
  if (auto checked = check_refusals(); !checked.ok()) return checked;
  if (own_address_.is_lost(monotonic_now())) return Error{ErrorKind::system, own_address_.loss()};
  return moved;
}

bool Port::exchange() {
  const bool by_stream = uses_tcp_fallback_ && tcp_fallback_->exchange(endpoint_, monotonic_now());
  const bool arrived = take_in() || by_stream;
  const bool left = send_out();
  note_refusals();
  hand_out();
  if (const auto late = endpoint_.take_late()) on_late_(*late);
  return arrived || left;
}

bool Port::take_in() {
  const bool any = take_in_from(*link_);
  return (group_link_ && take_in_from(*group_link_)) || any;
}

bool Port::take_in_from(Link& link) {
  for (bool any = false;; any = true) {
    const auto arrived = link.receive();
    if (arrived.empty() && !link.has_more()) return any;
    const Nanoseconds now = monotonic_now();
    for (const std::span<std::byte> datagram : arrived) {
      const auto heard = endpoint_.on_datagram(datagram, now);
      if (heard && !heard->to_group && uses_tcp_fallback_)
        tcp_fallback_->heard_by_datagram(heard->from);
    }
    budget_.learn([&link](std::size_t bytes) { return link.took(bytes); },
                  datagram_bytes_ + framing_bytes, now);
    if (!link.has_more()) return true;
  }
}

bool Port::go_by_stream(const Endpoint::Outgoing& outgoing, std::span<const std::byte> datagram) {
  if (!uses_tcp_fallback_) return false;
  tcp_fallback_->open_where_silent(endpoint_);  // the probe that found it silent goes there too
  if (!tcp_fallback_->lead_to(outgoing.peer)) return false;
  if (!outgoing.is_ack && !endpoint_.has_receive_loss(outgoing.peer)) return false;
  tcp_fallback_->send(outgoing.peer, datagram.first(outgoing.length));
  return true;
}

bool Port::send_out() {
  const Nanoseconds now = monotonic_now();
  const std::uint64_t before = link_->sent();
  if (cutting_.watch(
          *link_, [this] { return endpoint_.counters(); }, now))
    on_uncut_();
  while (link_->flush()) {
    for (;;) {
      const auto room = link_->room();
      if (room.empty()) break;
      const auto outgoing = endpoint_.next_datagram(room, now, link_->datagrams_left());
      if (!outgoing) break;
      const bool to_group = outgoing->peer == Endpoint::to_group;
      if (!to_group && go_by_stream(*outgoing, room) && !outgoing->is_ack) continue;
      link_->add_next(to_group ? *group_ : addresses_[outgoing->peer], outgoing->length,
                      outgoing->datagram);
    }
    if (!link_->has_unsent()) break;
  }
  return link_->sent() > before;
}

void Port::wait(Nanoseconds time) {
  std::vector<pollfd> events;
  const auto also = [&](int descriptor) { events.push_back({descriptor, POLLIN, 0}); };
  {
    const std::scoped_lock lock(mutex_);
    std::ranges::for_each(link_->descriptors(), also);
    if (link_->has_unsent()) events[0].events |= POLLOUT;
    if (uses_tcp_fallback_) also(tcp_fallback_->descriptor());
    if (group_link_) std::ranges::for_each(group_link_->descriptors(), also);
  }
  const timespec most{0, static_cast<long>(time.value)};
  if (ppoll(events.data(), events.size(), &most, nullptr) <= 0) return;
  const std::scoped_lock lock(mutex_);
  link_->woken();
}

void Port::hand_out() {
  while (const auto completion = endpoint_.next_completion()) {
    const auto found = awaited_.find(completion->handle);
    if (found == awaited_.end()) continue;  // abandoned
    found->second.completions->messages_.push_back({found->second.token, completion->matches});
    awaited_.erase(found);
  }
}

void Port::take(Completions& completions, std::vector<Completions::Message>& messages) {
  messages.clear();
  const std::scoped_lock lock(mutex_);
  std::swap(messages, completions.messages_);
}

void Port::abandon(Channel channel, Completions& completions) {
  const std::scoped_lock lock(mutex_);
  endpoint_.abandon(channel);
  std::erase_if(awaited_,
                [&](const auto& entry) { return entry.second.completions == &completions; });
  completions.messages_.clear();
}

bool Port::is_out_of_step(Channel channel) const {
  const std::scoped_lock lock(mutex_);
  return endpoint_.is_out_of_step(channel);
}

void Port::release(Channel channel) {
  const std::scoped_lock lock(mutex_);
  endpoint_.release(channel);
  endpoint_.release(group_channel_of(channel));
}

void Port::note_refusals() {
  for (const NetworkAddress& address : link_->refusals()) {
    const auto found = std::ranges::find(addresses_, address);
    if (found != addresses_.end())
      refused_.insert(static_cast<EndpointId>(found - addresses_.begin()));
  }
  if (uses_tcp_fallback_) refused_.merge(tcp_fallback_->refusals());
}

Result<bool> Port::check_refusals() {
  if (refused_.empty()) return true;
  for (const auto& [peer, probes] : endpoint_.awaited()) {
    if (!refused_.contains(peer)) continue;
    if (probes == 0) refused_.erase(peer);  // it has been heard of since
    if (probes >= probes_before_lost)
      return Error{ErrorKind::peer_lost, "the process of rank " + std::to_string(peer) +
                                             " of MPI_COMM_WORLD has ended: its host refuses what "
                                             "is sent to it"};
  }
  return true;
}

std::optional<EndpointId> Port::unreached() const {
  const std::scoped_lock lock(mutex_);
  return endpoint_.unreached();
}

FrameCounters Port::frames() const {
  const std::scoped_lock lock(mutex_);
  return link_->frames();
}

EndpointCounters Port::counters() const {
  const std::scoped_lock lock(mutex_);
  return endpoint_.counters();
}

Endpoint::Flows Port::flows() const {
  const std::scoped_lock lock(mutex_);
  return endpoint_.flows();
}

FlowStatistics Port::statistics(Channel channel) const {
  const std::scoped_lock lock(mutex_);
  return endpoint_.statistics(channel);
}

}  // namespace quadrille::wire
