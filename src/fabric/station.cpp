// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/station.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/monotonic_clock.h"
#include "fabric/names/introduction.h"
#include "fabric/names/local_address.h"

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
                                      .paths = settings.paths,
                                      .link_helper = settings.link_helper});
  if (!opened.ok()) return opened.error();
  Parts parts;
  parts.link = std::move(opened.value().link);
  parts.keys = std::make_unique<KeyPair>();
  if (settings.shares_memory) parts.inbox = Inbox::open(parts.keys->public_key());
  made.inbox = parts.inbox.get();
  made.name = {parts.link->local(), static_cast<std::uint16_t>(payload), parts.keys->public_key()};
  if (parts.inbox) made.name.inbox = parts.inbox->place();
  parts.streams =
      wire::StreamLink::open({made.name.at.address, 0},
                             std::max(local_payload + wire::overhead_bytes, introduction_bytes));
  if (parts.streams) made.name.streams = parts.streams->local().port;
  std::ranges::copy(parts.link->other_ports(), made.name.other_ports.begin());
  made.paths = parts.link->paths();
  made.job_secret = settings.job_secret;
  made.burst_bytes = settings.burst_bytes;
  made.most_budget =
      wire::CreditBudget::most_with(parts.link->receive_queue(payload + wire::overhead_bytes));
  made.flow_control = settings.flow_control;
  // Outside of a job nobody knows whose ranks others are.
  if (settings.job_secret && settings.flow_control)
    parts.board = wire::HostBoard::join(*settings.job_secret, interface.value().address);
  made.board = parts.board.get();
  std::unique_ptr<Station> station(
      new Station(std::move(parts), made, settings.bulk, std::move(on_done)));
  station->why_not_ = std::move(opened.value().why_not);
  station->engine_.use_streams();
  const auto act = [of = station.get()](Nanoseconds now, bool before_sleep) {
    return of->serve(now, before_sleep);
  };
  if (!station->engine_.start(act))
    return Error{ErrorKind::system, "no descriptor or no thread is left"};
  return station;
}

Station::Station(Parts parts, const MessengerSettings& settings, wire::BulkPath bulk,
                 DoneHandler on_done)
    : keys_(std::move(parts.keys)),
      inbox_(std::move(parts.inbox)),
      board_(std::move(parts.board)),
      messenger_(settings, *keys_),
      on_done_(std::move(on_done)),
      engine_(messenger_, std::move(parts.link), std::move(parts.streams),
              {.between_calls = between_calls,
               .bulk = bulk,
               .on_tcp_fallback =
                   [this](PeerNumber peer) {
                     std::fprintf(
                         stderr,
                         "quadrille: datagrams of %s do not reach %s any more; TCP carries "
                         "what they exchange until some do\n",
                         text_of(messenger_.name_of(peer)).c_str(),
                         text_of(messenger_.name()).c_str());
                   },
               .on_uncut =
                   [] {
                     std::fputs(
                         "quadrille: what the provider's interface is to cut into datagrams does "
                         "not arrive; they leave one by one for a while\n",
                         stderr);
                   }}) {}

Station::~Station() {
  if (engine_.end()) attempt([this] { linger(); });
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
    engine_.send_out(monotonic_now());
  } catch (...) {
    messenger_.fail();
  }
}

void Station::linger() {
  const Nanoseconds end = monotonic_now() + longest_linger;
  for (Nanoseconds now = monotonic_now(); now < end; now = monotonic_now()) {
    take_in(now);
    engine_.send_out(now);
    note_losses(now);
    messenger_.done().clear();
    if (messenger_.is_idle() && !engine_.link().has_unsent()) return;
    wire::wait_for_arrival(engine_.link(), Nanoseconds{1'000'000});
  }
}

Station::Passage::Passage(Station& of) : station(of), now(monotonic_now()) {
  if (station.engine_.enter(now)) station.set_asleep(false);
}

Station::Passage::~Passage() { station.leave(now); }

void Station::leave(Nanoseconds now) noexcept {
  attempt([&] { engine_.send_out(now); });
  hand_out();
  engine_.leave(now, wire::ServiceThread::never);
}

bool Station::drive() {
  const std::scoped_lock lock(engine_.mutex());
  const Passage passage(*this);
  bool any = false;
  attempt([&] { any = look_around(passage.now); });
  return any;
}

bool Station::look_around(Nanoseconds now) {
  const bool by_memory = messenger_.look_at_memory(now);
  memory_is_busy_ = memory_is_busy_ || by_memory;
  if (memory_is_busy_ && ++looks_at_memory_ % looks_at_memory != 0) return by_memory;
  const bool by_link = engine_.take_in(now);
  note_losses(now);
  memory_is_busy_ = memory_is_busy_ && !by_link;
  return by_memory || by_link;
}

bool Station::take_in(Nanoseconds now) {
  const bool by_link = engine_.take_in(now);
  // After the datagrams: one of them may tell of it.
  const bool by_memory = messenger_.look_at_memory(now);
  return by_link || by_memory;
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

void Station::note_losses(Nanoseconds now) {
  engine_.note_refusals();
  if (is_cut_) return;
  const auto why = engine_.loss(now);
  if (!why) return;
  is_cut_ = true;
  std::fprintf(stderr, "quadrille: %s: its messages are lost\n", why->c_str());
  messenger_.lose_everybody();
}

void Station::set_asleep(bool asleep) {
  if (inbox_) inbox_->set_asleep(asleep);
}

void Station::begin_watch() {
  const std::scoped_lock lock(engine_.mutex());
  if (engine_.enter(monotonic_now())) set_asleep(false);
}

void Station::end_watch() {
  const std::scoped_lock lock(engine_.mutex());
  leave(monotonic_now());
}

void Station::woken() {
  const std::scoped_lock lock(engine_.mutex());
  set_asleep(engine_.is_watched());
  engine_.woken();
}

wire::FrameCounters Station::frames() {
  const std::scoped_lock lock(engine_.mutex());
  return engine_.link().frames();
}

std::optional<Nanoseconds> Station::prepare_sleep() {
  const std::scoped_lock lock(engine_.mutex());
  set_asleep(true);
  const Nanoseconds now = monotonic_now();
  bool arrived = false;
  attempt([&] {
    arrived = messenger_.look_at_memory(now);
    engine_.send_out(now);
  });
  hand_out();
  if (arrived) return Nanoseconds{0};
  if (has_to_try_again()) return between_attempts;
  if (engine_.link().has_unsent()) return wire::ServiceThread::shortest_sleep;
  const auto due = messenger_.deadline();
  return due ? std::optional(std::max(*due - monotonic_now(), Nanoseconds{0})) : std::nullopt;
}

void Station::leave_to_service() {
  const std::scoped_lock lock(engine_.mutex());
  engine_.leave_to_thread();
}

// What is written to memory from now on wakes who sleeps.
Nanoseconds Station::serve(Nanoseconds now, bool before_sleep) noexcept {
  if (before_sleep) set_asleep(true);
  bool arrived = false;
  attempt([&] {
    if (before_sleep) arrived = take_in(now);
    engine_.send_out(now);
    note_losses(now);
  });
  hand_out();
  if (has_to_try_again()) return now + between_attempts;
  return arrived ? now : messenger_.deadline().value_or(wire::ServiceThread::never);
}

}  // namespace quadrille::fabric
