// SPDX-License-Identifier: BSD-3-Clause
// The service thread waits in epoll for the socket, which is watched only while nobody drives
// (EPOLLONESHOT), as wire::Port's does.
#include "fabric/station.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "base/monotonic_clock.h"
#include "fabric/local_address.h"

namespace quadrille::fabric {
namespace {

// Who comes back so soon answers for itself.
constexpr Nanoseconds between_calls{2'000'000};
constexpr Nanoseconds shortest_service_sleep{100'000};
constexpr Nanoseconds longest_linger{3'000'000'000};
constexpr Nanoseconds never{std::numeric_limits<std::int64_t>::max()};
constexpr std::size_t ip_udp_bytes = 28;
// Of packets on this host, which no switch has to hold; the loopback takes 64 KiB.
constexpr std::size_t local_payload = 32'768;

void signal_descriptor(int descriptor) {
  const std::uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

}  // namespace

Result<std::unique_ptr<Station>> Station::open(const StationSettings& settings,
                                               DoneHandler on_done) {
  if (!wire::start_authentication()) return Error{ErrorKind::system, "libsodium cannot start"};
  const auto interface = choose_interface(local_interfaces(), settings.interface);
  if (!interface.ok()) return interface.error();
  MessengerSettings made;
  const std::size_t payload =
      std::min(interface.value().mtu_bytes - ip_udp_bytes - wire::overhead_bytes, local_payload);
  made.local_payload = local_payload;
  auto link = wire::UdpLink::open({.local = {interface.value().address, 0},
                                   .datagram_bytes = local_payload + wire::overhead_bytes});
  if (!link.ok()) return link.error();
  auto keys = std::make_unique<KeyPair>();
  made.name = {link.value()->local(), static_cast<std::uint16_t>(payload), keys->public_key()};
  made.job_secret = settings.job_secret;
  made.burst_bytes = settings.burst_bytes;
  std::unique_ptr<Station> station(
      new Station(std::move(link.value()), std::move(keys), made, std::move(on_done)));
  if (!station->start()) return Error{ErrorKind::system, "no descriptor or no thread is left"};
  return station;
}

Station::Station(std::unique_ptr<wire::UdpLink> link, std::unique_ptr<KeyPair> keys,
                 const MessengerSettings& settings, DoneHandler on_done)
    : link_(std::move(link)),
      keys_(std::move(keys)),
      name_(settings.name),
      messenger_(settings, *keys_),
      on_done_(std::move(on_done)),
      process_(getpid()) {}

bool Station::start() {
  poll_descriptor_ = epoll_create1(EPOLL_CLOEXEC);
  end_descriptor_ = eventfd(0, EFD_CLOEXEC);
  timer_descriptor_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const auto add = [&](int descriptor, unsigned events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    return descriptor >= 0 && epoll_ctl(poll_descriptor_, EPOLL_CTL_ADD, descriptor, &event) == 0;
  };
  if (!add(end_descriptor_, EPOLLIN) || !add(timer_descriptor_, EPOLLIN) ||
      !add(link_->descriptor(), EPOLLIN | EPOLLONESHOT))
    return false;
  watched_ = true;
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

Station::~Station() {
  const bool is_own = getpid() == process_;
  if (service_.joinable() && !is_own) service_.detach();
  if (service_.joinable()) {
    signal_descriptor(end_descriptor_);
    service_.join();
  }
  if (is_own) linger();
  for (const int descriptor : {end_descriptor_, timer_descriptor_, poll_descriptor_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

void Station::linger() {
  const Nanoseconds end = monotonic_now() + longest_linger;
  for (Nanoseconds now = monotonic_now(); now < end; now = monotonic_now()) {
    take_in(now);
    send_out(now);
    note_refusals();
    messenger_.done().clear();
    if (messenger_.is_idle() && !link_->has_unsent()) return;
    pollfd arrival{link_->descriptor(), POLLIN, 0};
    poll(&arrival, 1, 1);
  }
}

Station::Passage::Passage(Station& of) : station(of), now(monotonic_now()) {
  station.last_passed_ = now;
  if (station.watched_) station.watch(false, false);
}

Station::Passage::~Passage() {
  station.send_out(now);
  station.hand_out();
  const Nanoseconds due = std::min(now + between_calls, never);
  if (station.watches_ == 0 && due < station.service_wakes_) station.wake_service_at(due);
}

bool Station::drive() {
  const std::scoped_lock lock(mutex_);
  const Passage passage(*this);
  const bool arrived = take_in(passage.now);
  note_refusals();
  return arrived;
}

bool Station::take_in(Nanoseconds now) {
  for (bool any = false;; any = true) {
    const auto arrived = link_->receive();
    for (std::size_t i = 0; i < arrived.size(); ++i)
      messenger_.on_datagram(link_->source(i), arrived[i], now);
    if (!link_->has_more()) return any || !arrived.empty();
  }
}

void Station::send_out(Nanoseconds now) {
  while (link_->flush()) {
    for (;;) {
      const auto room = link_->room();
      if (room.empty()) break;
      const auto outgoing = messenger_.next_datagram(room, now);
      if (!outgoing) break;
      link_->add(outgoing->to, outgoing->length);
    }
    if (!link_->has_unsent()) return;
  }
}

void Station::hand_out() {
  auto& done = messenger_.done();
  while (!done.empty()) {
    on_done_(done.front(), messenger_);
    done.pop_front();
  }
}

void Station::note_refusals() {
  for (const wire::NetworkAddress& address : link_->refusals()) messenger_.on_refusal(address);
}

void Station::watch(bool arrivals, bool room) {
  watched_ = arrivals;
  epoll_event event{};
  event.events = (arrivals ? EPOLLIN : 0U) | (room ? EPOLLOUT : 0U) | EPOLLONESHOT;
  event.data.fd = link_->descriptor();
  epoll_ctl(poll_descriptor_, EPOLL_CTL_MOD, link_->descriptor(), &event);
}

void Station::begin_watch() {
  const std::scoped_lock lock(mutex_);
  if (watches_++ == 0 && watched_) watch(false, false);
}

void Station::end_watch() {
  const std::scoped_lock lock(mutex_);
  --watches_;
  const Passage passage(*this);
}

std::optional<Nanoseconds> Station::time_until_due() {
  const std::scoped_lock lock(mutex_);
  if (link_->has_unsent()) return shortest_service_sleep;
  const auto due = messenger_.deadline();
  return due ? std::optional(std::max(*due - monotonic_now(), Nanoseconds{0})) : std::nullopt;
}

void Station::leave_to_service() {
  const std::scoped_lock lock(mutex_);
  last_passed_ = monotonic_now() - between_calls;
  watch(true, link_->has_unsent());
  wake_service_at(messenger_.deadline().value_or(never));
}

Nanoseconds Station::serve_once() {
  const Nanoseconds now = monotonic_now();
  if (watches_ > 0) return never;
  if (now - last_passed_ < between_calls) return last_passed_ + between_calls;
  take_in(now);
  send_out(now);
  note_refusals();
  hand_out();
  watch(true, link_->has_unsent());
  return messenger_.deadline().value_or(never);
}

// Setting a timer wakes nobody.
void Station::wake_service_at(Nanoseconds time) {
  service_wakes_ = time;
  itimerspec once{};
  if (time < never) {
    once.it_value.tv_sec = time.value / 1'000'000'000;
    once.it_value.tv_nsec = time.value % 1'000'000'000;
  }
  timerfd_settime(timer_descriptor_, TFD_TIMER_ABSTIME, &once, nullptr);
}

void Station::serve() {
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      const Nanoseconds next = serve_once();
      wake_service_at(std::max(next, monotonic_now() + shortest_service_sleep));
    }
    epoll_event event{};
    const int count = epoll_wait(poll_descriptor_, &event, 1, -1);
    if (count > 0 && event.data.fd == end_descriptor_) return;
  }
}

}  // namespace quadrille::fabric
