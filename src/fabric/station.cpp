// SPDX-License-Identifier: BSD-3-Clause
// The socket is watched only while nobody drives.
#include "fabric/station.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/monotonic_clock.h"
#include "fabric/local_address.h"

namespace quadrille::fabric {
namespace {

// Who comes back so soon answers for itself.
constexpr Nanoseconds between_calls{2'000'000};
constexpr Nanoseconds longest_linger{3'000'000'000};
// Of packets on this host, which no switch has to hold; the loopback takes 64 KiB.
constexpr std::size_t local_payload = 32'768;
// For one at the socket, which is a system call, where memory has brought the last.
constexpr unsigned looks_at_memory = 8;
// Somebody may have given memory back.
constexpr Nanoseconds between_attempts{10'000'000};

}  // namespace

Result<std::unique_ptr<Station>> Station::open(const StationSettings& settings,
                                               DoneHandler on_done) {
  if (!wire::start_cryptography())
    return Error{ErrorKind::system, "libsodium or libaegis cannot start"};
  const auto interface = choose_interface(local_interfaces(), settings.interface);
  if (!interface.ok()) return interface.error();
  MessengerSettings made;
  const std::size_t payload = std::min(
      interface.value().mtu_bytes - wire::ip_udp_bytes - wire::overhead_bytes, local_payload);
  made.local_payload = local_payload;
  auto opened =
      wire::open_link(settings.link, {.local = {interface.value().address, 0},
                                      .datagram_bytes = local_payload + wire::overhead_bytes,
                                      .link_helper = settings.link_helper});
  if (!opened.ok()) return opened.error();
  auto link = std::move(opened.value().link);
  auto keys = std::make_unique<KeyPair>();
  auto inbox = settings.shares_memory ? Inbox::open(keys->public_key()) : nullptr;
  made.inbox = inbox.get();
  made.name = {link->local(), static_cast<std::uint16_t>(payload), keys->public_key()};
  if (inbox) made.name.inbox = inbox->place();
  auto liveness = PeerLiveness::open(made.name.at.address);
  if (liveness) made.name.streams = liveness->port();
  made.job_secret = settings.job_secret;
  made.burst_bytes = settings.burst_bytes;
  made.most_budget =
      wire::CreditBudget::most_with(link->receive_queue(payload + wire::overhead_bytes));
  made.flow_control = settings.flow_control;
  // Outside of a job nobody knows whose ranks others are.
  auto board = settings.job_secret && settings.flow_control
                   ? wire::HostBoard::join(*settings.job_secret, interface.value().address)
                   : nullptr;
  made.board = board.get();
  std::unique_ptr<Station> station(new Station(std::move(link), std::move(keys), std::move(inbox),
                                               std::move(board), std::move(liveness), made,
                                               std::move(on_done)));
  station->why_not_ = std::move(opened.value().why_not);
  if (!station->start()) return Error{ErrorKind::system, "no descriptor or no thread is left"};
  return station;
}

Station::Station(std::unique_ptr<wire::Link> link, std::unique_ptr<KeyPair> keys,
                 std::unique_ptr<Inbox> inbox, std::unique_ptr<wire::HostBoard> board,
                 std::unique_ptr<PeerLiveness> liveness, const MessengerSettings& settings,
                 DoneHandler on_done)
    : link_(std::move(link)),
      keys_(std::move(keys)),
      inbox_(std::move(inbox)),
      board_(std::move(board)),
      liveness_(std::move(liveness)),
      name_(settings.name),
      own_address_(name_.at.address),
      messenger_(settings, *keys_),
      on_done_(std::move(on_done)),
      service_(mutex_) {}

bool Station::start() {
  watched_ = std::ranges::all_of(link_->descriptors(),
                                 [&](int one) { return service_.add(one, EPOLLIN); });
  if (liveness_) watched_ = watched_ && service_.add(liveness_->descriptor(), EPOLLIN);
  return watched_ && service_.start([this] { return serve(); });
}

Station::~Station() {
  if (service_.end()) attempt([this] { linger(); });
}

template <typename Act>
void Station::attempt(Act&& act) noexcept {
  try {
    if (!messenger_.has_failed()) act();
  } catch (...) {
    messenger_.fail();
  }
  if (messenger_.has_failed()) break_off();
}

void Station::break_off() noexcept {
  if (!std::exchange(has_told_of_failure_, true))
    std::fputs("quadrille: the libfabric provider has failed (no memory?): its messages are lost\n",
               stderr);
  try {
    messenger_.break_off();
    send_out(monotonic_now());
  } catch (...) {
    messenger_.fail();
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
    wire::wait_for_arrival(*link_, Nanoseconds{1'000'000});
  }
}

Station::Passage::Passage(Station& of) : station(of), now(monotonic_now()) {
  station.last_passed_ = now;
  if (station.watched_) station.watch(false, false);
}

Station::Passage::~Passage() { station.leave(now); }

void Station::leave(Nanoseconds now) noexcept {
  attempt([&] { send_out(now); });
  hand_out();
  if (watches_ == 0) service_.wake_by(now + between_calls);
}

bool Station::drive() {
  const std::scoped_lock lock(mutex_);
  const Passage passage(*this);
  bool any = false;
  attempt([&] { any = look_around(passage.now); });
  return any;
}

bool Station::look_around(Nanoseconds now) {
  const bool by_memory = messenger_.look_at_memory(now);
  memory_is_busy_ = memory_is_busy_ || by_memory;
  if (memory_is_busy_ && ++looks_at_memory_ % looks_at_memory != 0) return by_memory;
  const bool by_link = take_from_link(now);
  note_refusals();
  memory_is_busy_ = memory_is_busy_ && !by_link;
  return by_memory || by_link;
}

bool Station::take_in(Nanoseconds now) {
  const bool by_link = take_from_link(now);
  // After the datagrams: one of them may tell of it.
  const bool by_memory = messenger_.look_at_memory(now);
  return by_link || by_memory;
}

bool Station::take_from_link(Nanoseconds now) {
  for (bool any = false;; any = true) {
    const auto arrived = link_->receive();
    for (std::size_t i = 0; i < arrived.size(); ++i)
      messenger_.on_datagram(link_->source(i), arrived[i], now);
    if (!arrived.empty())
      messenger_.learn([this](std::size_t bytes) { return link_->took(bytes); }, now);
    if (!link_->has_more()) return any || !arrived.empty();
  }
}

void Station::send_out(Nanoseconds now) {
  if (!link_->has_unsent() && !messenger_.is_due(now)) return;
  if (cutting_.watch(
          *link_, [this] { return messenger_.counters(); }, now))
    std::fputs(
        "quadrille: what the provider's interface is to cut into datagrams does not arrive; they "
        "leave one by one for a while\n",
        stderr);
  while (link_->flush()) {
    for (;;) {
      const auto room = link_->room();
      if (room.empty()) break;
      const auto outgoing = messenger_.next_datagram(room, now, link_->datagrams_left());
      if (!outgoing) break;
      link_->add_next(outgoing->to, outgoing->length, outgoing->datagram);
    }
    if (!link_->has_unsent()) return;
  }
}

// What cannot be told now is told at the next attempt.
void Station::hand_out() noexcept {
  auto& done = messenger_.done();
  try {
    while (!done.empty()) {
      on_done_(done.front(), messenger_);
      done.pop_front();
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

void Station::note_refusals() {
  for (const wire::NetworkAddress& address : link_->refusals()) messenger_.on_refusal(address);
  if (liveness_ && liveness_->is_due(last_passed_)) liveness_->look(messenger_, last_passed_);
  if (is_cut_) return;
  if (link_->is_cut()) {
    lose_everybody("the interface of the " + std::string(link_->name()) +
                   " link was taken away (a link helper takes its own along when it ends)");
  } else if (own_address_.is_lost(last_passed_)) {
    lose_everybody(own_address_.loss());
  }
}

void Station::lose_everybody(const std::string& why) {
  is_cut_ = true;
  std::fprintf(stderr, "quadrille: %s: its messages are lost\n", why.c_str());
  messenger_.lose_everybody();
}

void Station::set_asleep(bool asleep) {
  if (inbox_) inbox_->set_asleep(asleep);
}

void Station::watch(bool arrivals, bool room) {
  watched_ = arrivals;
  set_asleep(arrivals);
  service_.watch(link_->descriptors(), arrivals ? EPOLLIN : 0U, room);
  if (liveness_) service_.watch(liveness_->descriptor(), arrivals ? EPOLLIN : 0U);
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

void Station::woken() {
  const std::scoped_lock lock(mutex_);
  set_asleep(watched_);
  link_->woken();
}

wire::FrameCounters Station::frames() {
  const std::scoped_lock lock(mutex_);
  return link_->frames();
}

std::optional<Nanoseconds> Station::prepare_sleep() {
  const std::scoped_lock lock(mutex_);
  set_asleep(true);
  const Nanoseconds now = monotonic_now();
  bool arrived = false;
  attempt([&] {
    arrived = messenger_.look_at_memory(now);
    send_out(now);
  });
  hand_out();
  if (arrived) return Nanoseconds{0};
  if (has_to_try_again()) return between_attempts;
  if (link_->has_unsent()) return wire::ServiceThread::shortest_sleep;
  const auto due = messenger_.deadline();
  return due ? std::optional(std::max(*due - monotonic_now(), Nanoseconds{0})) : std::nullopt;
}

void Station::leave_to_service() {
  const std::scoped_lock lock(mutex_);
  last_passed_ = monotonic_now() - between_calls;
  service_.wake_at(serve());
}

Nanoseconds Station::serve() noexcept {
  const Nanoseconds now = monotonic_now();
  if (watches_ > 0) return wire::ServiceThread::never;
  if (now - last_passed_ < between_calls) return last_passed_ + between_calls;
  set_asleep(true);
  link_->woken();
  bool arrived = false;
  attempt([&] {
    arrived = take_in(now);
    send_out(now);
    if (liveness_) liveness_->look(messenger_, now);
    note_refusals();
  });
  hand_out();
  watch(true, link_->has_unsent());
  if (has_to_try_again()) return now + between_attempts;
  return arrived ? now : messenger_.deadline().value_or(wire::ServiceThread::never);
}

}  // namespace quadrille::fabric
