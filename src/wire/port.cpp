// SPDX-License-Identifier: BSD-3-Clause
// The service thread waits in epoll for a socket that is watched while no call is under way and
// none has been for a millisecond (EPOLLONESHOT): where calls follow each other, they cost neither
// wake-ups nor system calls for it.
#include "wire/port.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "base/monotonic_clock.h"

namespace quadrille::wire {

namespace {

// One refusal may be a firewall's while it is set up anew.
constexpr std::uint32_t questions_before_lost = 2;

// Switches forget of members whom nobody asks (RFC 4541; 260 s by default).
constexpr Nanoseconds between_joins{60'000'000'000};
// Who comes back so soon answers for itself.
constexpr Nanoseconds between_calls{1'000'000};
constexpr Nanoseconds shortest_service_sleep{100'000};
constexpr Nanoseconds never{std::numeric_limits<std::int64_t>::max()};

void signal(int descriptor) {
  const std::uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

}  // namespace

Port::Port(std::unique_ptr<UdpLink> link, std::unique_ptr<StreamLink> streams,
           PortSettings settings)
    : link_(std::move(link)),
      group_(settings.group),
      datagram_bytes_(settings.endpoint.limits.payload + overhead_bytes),
      budget_(*settings.board, settings.holder, settings.budget),
      endpoint_(settings.endpoint, budget_),
      process_(getpid()) {
  std::vector<NetworkAddress> of_streams;
  for (const PortAddress& address : settings.addresses) {
    addresses_.push_back(address.datagrams);
    of_streams.push_back(address.streams);
  }
  if (streams != nullptr)
    detours_.emplace(std::move(streams), std::move(of_streams), std::move(settings.on_detour));
}

Result<std::unique_ptr<Port>> Port::open(std::unique_ptr<UdpLink> link,
                                         std::unique_ptr<StreamLink> streams,
                                         PortSettings settings) {
  std::unique_ptr<Port> port(new Port(std::move(link), std::move(streams), std::move(settings)));
  if (!port->start())
    return Error{ErrorKind::system, "no descriptor or no thread is left for the wire"};
  return port;
}

bool Port::start() {
  poll_descriptor_ = epoll_create1(EPOLL_CLOEXEC);
  end_descriptor_ = eventfd(0, EFD_CLOEXEC);
  timer_descriptor_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (poll_descriptor_ < 0 || end_descriptor_ < 0 || timer_descriptor_ < 0) return false;
  epoll_event end{};
  end.events = EPOLLIN;
  end.data.fd = end_descriptor_;
  epoll_event due{};
  due.events = EPOLLIN;
  due.data.fd = timer_descriptor_;
  epoll_event arrivals{};
  arrivals.events = EPOLLIN | EPOLLONESHOT;
  arrivals.data.fd = link_->descriptor();
  if (epoll_ctl(poll_descriptor_, EPOLL_CTL_ADD, end_descriptor_, &end) != 0 ||
      epoll_ctl(poll_descriptor_, EPOLL_CTL_ADD, timer_descriptor_, &due) != 0 ||
      epoll_ctl(poll_descriptor_, EPOLL_CTL_ADD, link_->descriptor(), &arrivals) != 0)
    return false;
  if (detours_) {
    arrivals.events = EPOLLONESHOT;
    arrivals.data.fd = detours_->descriptor();
    if (epoll_ctl(poll_descriptor_, EPOLL_CTL_ADD, detours_->descriptor(), &arrivals) != 0)
      return false;
  }
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    service_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

Port::~Port() {
  if (service_.joinable() && getpid() != process_) service_.detach();
  if (service_.joinable()) {
    signal(end_descriptor_);
    service_.join();
  }
  if (end_descriptor_ >= 0) close(end_descriptor_);
  if (timer_descriptor_ >= 0) close(timer_descriptor_);
  if (poll_descriptor_ >= 0) close(poll_descriptor_);
}

void Port::watch(bool arrivals, bool room) {
  watched_ = arrivals;
  epoll_event event{};
  event.events = (arrivals ? EPOLLIN : 0U) | (room ? EPOLLOUT : 0U) | EPOLLONESHOT;
  event.data.fd = link_->descriptor();
  epoll_ctl(poll_descriptor_, EPOLL_CTL_MOD, link_->descriptor(), &event);
  if (uses_detours_) watch_also(detours_->descriptor(), arrivals);
  if (group_link_) watch_also(group_link_->descriptor(), arrivals);
}

void Port::watch_also(int descriptor, bool arrivals) const {
  epoll_event event{};
  event.events = (arrivals ? EPOLLIN : 0U) | EPOLLONESHOT;
  event.data.fd = descriptor;
  epoll_ctl(poll_descriptor_, EPOLL_CTL_MOD, descriptor, &event);
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
  auto opened =
      UdpLink::open({.local = link_->local(), .group = group_, .datagram_bytes = datagram_bytes_});
  if (!opened.ok()) return;  // who sends to the group then sends to this end alone
  epoll_event arrivals{};
  arrivals.events = EPOLLONESHOT;
  arrivals.data.fd = opened.value()->descriptor();
  if (epoll_ctl(poll_descriptor_, EPOLL_CTL_ADD, arrivals.data.fd, &arrivals) == 0)
    group_link_ = std::move(opened.value());
}

void Port::use_detours() {
  const std::scoped_lock lock(mutex_);
  uses_detours_ = detours_.has_value();
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
  const Nanoseconds look = watched_ ? never : last_passed_ + between_calls;
  const Nanoseconds due = std::min(look, endpoint_.deadline().value_or(never));
  if (due < service_wakes_) wake_service_at(due);
}

Nanoseconds Port::serve_once() {
  const Nanoseconds now = monotonic_now();
  if (!watched_ && now - last_passed_ < between_calls) {
    if (calls_ == 0) send_out();
    return last_passed_ + between_calls;
  }
  if (calls_ > 0) return never;
  exchange();
  watch(true, link_->has_unsent());
  return endpoint_.deadline().value_or(never);
}

// Setting a timer wakes nobody.
void Port::wake_service_at(Nanoseconds time) {
  service_wakes_ = time;
  itimerspec once{};
  if (time < never) {
    once.it_value.tv_sec = time.value / 1'000'000'000;
    once.it_value.tv_nsec = time.value % 1'000'000'000;
  }
  timerfd_settime(timer_descriptor_, TFD_TIMER_ABSTIME, &once, nullptr);
}

void Port::serve() {
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      // What is due may have to wait for room in the socket.
      const Nanoseconds next = serve_once();
      wake_service_at(std::max(next, monotonic_now() + shortest_service_sleep));
    }
    epoll_event event{};
    const int count = epoll_wait(poll_descriptor_, &event, 1, -1);
    if (count > 0 && event.data.fd == end_descriptor_) return;
  }
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
  return moved;
}

bool Port::exchange() {
  const bool by_stream = uses_detours_ && detours_->exchange(endpoint_, monotonic_now());
  const bool arrived = take_in() || by_stream;
  const bool left = send_out();
  note_refusals();
  hand_out();
  return arrived || left;
}

bool Port::take_in() {
  const bool any = take_in_from(*link_);
  return (group_link_ && take_in_from(*group_link_)) || any;
}

bool Port::take_in_from(UdpLink& link) {
  for (bool any = false;; any = true) {
    const auto arrived = link.receive();
    if (arrived.empty() && !link.has_more()) return any;
    const Nanoseconds now = monotonic_now();
    for (const std::span<std::byte> datagram : arrived) {
      const auto heard = endpoint_.on_datagram(datagram, now);
      if (heard && !heard->to_group && uses_detours_) detours_->heard_by_datagram(heard->from);
    }
    if (!link.has_more()) return true;
  }
}

bool Port::go_by_stream(const Endpoint::Outgoing& outgoing, std::span<const std::byte> datagram) {
  if (!uses_detours_) return false;
  detours_->open_where_silent(endpoint_);  // the question that found it silent goes there too
  if (!detours_->lead_to(outgoing.peer)) return false;
  if (!outgoing.is_status && !endpoint_.is_deaf(outgoing.peer)) return false;
  detours_->send(outgoing.peer, datagram.first(outgoing.length));
  return true;
}

bool Port::send_out() {
  const Nanoseconds now = monotonic_now();
  const std::uint64_t before = link_->sent();
  while (link_->flush()) {
    for (;;) {
      const auto room = link_->room();
      if (room.empty()) break;
      const auto outgoing = endpoint_.next_datagram(room, now);
      if (!outgoing) break;
      if (outgoing->peer == Endpoint::to_group) {
        link_->add(*group_, outgoing->length);
        continue;
      }
      if (go_by_stream(*outgoing, room) && !outgoing->is_status) continue;
      link_->add(addresses_[outgoing->peer], outgoing->length);
    }
    if (!link_->has_unsent()) break;
  }
  return link_->sent() > before;
}

void Port::wait(Nanoseconds time) const {
  std::array<pollfd, 3> events{};
  events[0] = {link_->descriptor(), POLLIN, 0};
  events[1] = events[2] = {-1, POLLIN, 0};
  {
    const std::scoped_lock lock(mutex_);
    if (link_->has_unsent()) events[0].events |= POLLOUT;
    if (uses_detours_) events[1].fd = detours_->descriptor();
    if (group_link_) events[2].fd = group_link_->descriptor();
  }
  const timespec most{0, static_cast<long>(time.value)};
  ppoll(events.data(), events.size(), &most, nullptr);
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

void Port::note_refusals() {
  for (const NetworkAddress& address : link_->refusals()) {
    const auto found = std::ranges::find(addresses_, address);
    if (found != addresses_.end())
      refused_.insert(static_cast<EndpointId>(found - addresses_.begin()));
  }
  if (uses_detours_) refused_.merge(detours_->refusals());
}

Result<bool> Port::check_refusals() {
  if (refused_.empty()) return true;
  for (const auto& [peer, questions] : endpoint_.awaited()) {
    if (!refused_.contains(peer)) continue;
    if (questions == 0) refused_.erase(peer);  // it has been heard of since
    if (questions >= questions_before_lost)
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

EndpointCounters Port::counters() const {
  const std::scoped_lock lock(mutex_);
  return endpoint_.counters();
}

FlowStatistics Port::statistics(Channel channel) const {
  const std::scoped_lock lock(mutex_);
  return endpoint_.statistics(channel);
}

}  // namespace quadrille::wire
