// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/agent/part_performer.h"

#include <poll.h>

#include <algorithm>
#include <ctime>

#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

// How long before its time a sleeper is woken to spin, where cores suffice: a timer's wake-up takes
// some tens of microseconds.
constexpr std::int64_t spin_before_ns = 100'000;
// Arrivals wait in the socket between two looks, which saves a wake-up for each. Looks come more
// often while they find much.
constexpr std::int64_t first_drain_ns = 500'000;
constexpr std::int64_t least_drain_ns = 100'000;
constexpr std::int64_t most_drain_ns = 2'000'000;
constexpr std::uint32_t much = 64;
constexpr std::uint32_t little = 8;
// While the interface's queue is full: its end is reported by the kernel, but for a driver that
// drops the report.
constexpr std::int64_t longest_full_ns = 1'000'000;

void sleep_until_writable_or(short socket_events, const UdpSocket& light, const UdpSocket& bulk,
                             std::int64_t duration_ns) {
  std::array<pollfd, 2> sockets{};
  nfds_t count = 0;
  if ((socket_events & POLLOUT) != 0) sockets[count++] = {bulk.descriptor(), POLLOUT, 0};
  if ((socket_events & POLLIN) != 0) sockets[count++] = {light.descriptor(), POLLIN, 0};
  const timespec limit{duration_ns / 1'000'000'000, static_cast<long>(duration_ns % 1'000'000'000)};
  ppoll(sockets.data(), count, &limit, nullptr);
}

}  // namespace

PartPerformer::PartPerformer(const RoundPart& part, const JobOpening& opening, NetworkEnd& network)
    : part_(part),
      opening_(opening),
      network_(network),
      sender_(opening.job, opening.own_host, part.number,
              RoundClock(part.start_ns, part.drift_ppb)),
      tallies_(part),
      sources_(part, network, sender_),
      exchanges_(part, network, sender_),
      drain_interval_ns_(first_drain_ns) {}

PartResult PartPerformer::run() {
  const Punctual punctual;
  PartResult result;
  result.number = part_.number;
  wait_for_start();
  // A clock that is set during a round makes all its times worthless.
  const std::int64_t steady_start = steady_ns();
  const std::int64_t start_ns = sender_.clock().now();
  result.late_ns = start_ns;
  std::int64_t now_ns = start_ns;
  while (now_ns < part_.duration_ns) {
    drain(now_ns);
    exchanges_.step(now_ns);
    sources_.send_due(now_ns);
    wait(now_ns);
    now_ns = sender_.clock().now();
  }
  next_drain_ns_ = now_ns;
  drain(now_ns);
  const std::int64_t set_by_ns = (now_ns - start_ns) - (steady_ns() - steady_start);
  result.held_up_ns = std::max(
      {held_up_ns_, sources_.most_lag_ns(), exchanges_.most_lag_ns(), std::abs(set_by_ns)});
  result.sent_bytes = sender_.sent_bytes();
  result.foreign = foreign_;
  sources_.report(result);
  tallies_.report(result);
  exchanges_.report(result);
  return result;
}

void PartPerformer::wait_for_start() {
  const std::int64_t early_ns = opening_.oversubscribed ? 0 : spin_before_ns;
  sleep_for(-sender_.clock().now() - early_ns);
  while (sender_.clock().now() < 0) {
  }
}

std::int64_t PartPerformer::next_due_ns(std::int64_t now_ns) const {
  std::int64_t next =
      std::min({part_.duration_ns, sources_.next_due_ns(), exchanges_.next_due_ns(now_ns)});
  if (tallies_.expects_any()) next = std::min(next, next_drain_ns_);
  if (sources_.waits_for_interface()) next = std::min(next, now_ns + longest_full_ns);
  return next;
}

void PartPerformer::wait(std::int64_t now_ns) {
  if (exchanges_.spins(now_ns)) return;
  const std::int64_t due_ns = next_due_ns(now_ns);
  const std::int64_t early_ns = opening_.oversubscribed ? 0 : spin_before_ns;
  const std::int64_t left_ns = due_ns - sender_.clock().now() - early_ns;
  if (left_ns <= 0) return;
  short events = 0;
  if (sources_.waits_for_interface()) events |= POLLOUT;
  if (exchanges_.listens(now_ns)) events |= POLLIN;
  sleep_until_writable_or(events, network_.light, network_.bulk, left_ns);
  // Only sending suffers from a late wake-up: arrivals carry the kernel's time.
  const bool to_send = due_ns == sources_.next_due_ns();
  if (to_send) held_up_ns_ = std::max(held_up_ns_, sender_.clock().now() - due_ns);
}

void PartPerformer::drain(std::int64_t now_ns) {
  const bool prompt = exchanges_.listens(now_ns);
  if (!prompt && now_ns < next_drain_ns_) return;
  drained_ = 0;
  while (receive(network_.light)) {
  }
  while (network_.group.is_open() && !part_.multicasts_in.empty() && receive(network_.group)) {
  }
  if (drained_ > much) {
    drain_interval_ns_ = std::max(least_drain_ns, drain_interval_ns_ / 2);
  } else if (drained_ < little) {
    drain_interval_ns_ = std::min(most_drain_ns, drain_interval_ns_ * 2);
  }
  next_drain_ns_ = now_ns + drain_interval_ns_;
}

// True while there may be more.
bool PartPerformer::receive(UdpSocket& socket) {
  // The first of a look comes alone and timed: what a receive call costs that finds a datagram.
  const bool timed = drained_ == 0;
  const std::size_t most = timed ? 1 : UdpSocket::batch;
  const std::int64_t before = timed ? steady_ns() : 0;
  const std::span<const Received> arrived = socket.receive(most);
  const std::int64_t took = timed ? steady_ns() - before : 0;
  for (const Received& received : arrived) take(received, took);
  drained_ += static_cast<std::uint32_t>(arrived.size());
  return arrived.size() == most;
}

void PartPerformer::take(const Received& received, std::int64_t receive_call_ns) {
  const auto datagram = Datagram::read(received.head.data(), received.length);
  if (!datagram || datagram->job != opening_.job || datagram->from >= network_.peers.size() ||
      network_.peers[datagram->from].address != received.from_address) {
    ++foreign_;
    return;
  }
  if (datagram->round != part_.number) return;  // a straggler
  const std::int64_t kernel_ns = received.kernel_ns > 0 ? received.kernel_ns : realtime_ns();
  const std::int64_t at_ns = sender_.clock().at(kernel_ns);
  if (tallies_.take(*datagram, at_ns, receive_call_ns)) return;
  if (!exchanges_.take(*datagram, at_ns, received.time_to_live)) ++foreign_;
}

}  // namespace quadrille::probe
