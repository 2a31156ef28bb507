// SPDX-License-Identifier: BSD-3-Clause
// The sockets are watched while no call is under way and none has been for a while.
#include "wire/engine/engine.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "base/monotonic_clock.h"

namespace quadrille::wire {
namespace {

// So much of a stream is taken in before what is due leaves: grants for more are to reach who waits
// for them while this end still reads.
constexpr std::size_t between_grants = std::size_t{48} * 1024;
// Switches forget of members whom nobody asks (RFC 4541; 260 s by default).
constexpr Nanoseconds between_joins{60'000'000'000};
// Where no message to a group is awaited only probes come there.
constexpr Nanoseconds between_looks_at_group{200'000};

}  // namespace

Engine::Engine(Protocol& protocol, std::unique_ptr<Link> link, std::unique_ptr<StreamLink> streams,
               EngineSettings settings)
    : protocol_(protocol),
      link_(std::move(link)),
      own_address_(link_->local().address),
      group_(settings.group),
      datagram_bytes_(settings.datagram_bytes),
      between_calls_(settings.between_calls),
      on_uncut_(std::move(settings.on_uncut)),
      service_(mutex_) {
  descriptors_.assign(link_->descriptors().begin(), link_->descriptors().end());
  if (streams != nullptr)
    streams_.emplace(std::move(streams), settings.bulk, std::move(settings.on_tcp_fallback));
}

bool Engine::start(Act act) {
  act_ = std::move(act);
  for (const int descriptor : link_->descriptors()) {
    if (!service_.add(descriptor, EPOLLIN)) return false;
  }
  for (const int descriptor : link_->room_descriptors()) {
    if (std::ranges::find(descriptors_, descriptor) != descriptors_.end()) continue;
    if (!service_.add(descriptor, 0)) return false;
  }
  if (streams_ && !service_.add(streams_->descriptor(), 0)) return false;
  watched_ = true;
  return service_.start([this] { return serve(); });
}

void Engine::watch(bool arrivals, bool room) {
  watched_ = arrivals;
  const std::uint32_t arriving = arrivals ? EPOLLIN : 0U;
  for (const int descriptor : descriptors_) service_.watch(descriptor, arriving);
  if (room) service_.watch(link_->room_descriptor(), arriving | EPOLLOUT);
}

bool Engine::stay_in_group(Nanoseconds now) {
  awaits_group_ = true;
  if (!group_ || (joined_ && now - *joined_ < between_joins)) return group_link_ != nullptr;
  joined_ = now;
  if (group_link_) {
    group_link_->join_again();
    return true;
  }
  auto opened = UdpLink::open(
      {.local = link_->joins_at(), .group = group_, .datagram_bytes = datagram_bytes_});
  if (!opened.ok()) return false;  // who sends to the group then sends to this end alone
  const auto descriptors = opened.value()->descriptors();
  if (!service_.add(descriptors.front(), 0)) return false;
  group_link_ = std::move(opened.value());
  descriptors_.insert(descriptors_.end(), descriptors.begin(), descriptors.end());
  return true;
}

void Engine::use_streams() {
  if (!streams_ || std::exchange(uses_streams_, true)) return;
  descriptors_.push_back(streams_->descriptor());
}

bool Engine::enter(Nanoseconds now) {
  last_passed_ = now;
  if (calls_++ > 0 || !watched_) return false;
  watch(false, false);
  return true;
}

void Engine::leave(Nanoseconds now, Nanoseconds due, bool others_wait) {
  if (--calls_ > 0) return;
  awaits_group_ = false;
  last_passed_ = now;
  if (others_wait) watch(true, link_->has_unsent());
  service_.wake_by(std::min(watched_ ? ServiceThread::never : last_passed_ + patience(), due));
}

void Engine::leave_to_thread() {
  last_passed_ = monotonic_now() - between_calls_;
  service_.wake_at(serve());
}

Nanoseconds Engine::patience() const {
  return link_->has_unsent() ? std::min(patience_with_unsent_, between_calls_) : between_calls_;
}

Nanoseconds Engine::serve() {
  if (calls_ > 0) return ServiceThread::never;
  const Nanoseconds now = monotonic_now();
  if (!watched_ && now - last_passed_ < patience()) {
    act_(now, false);
    patience_with_unsent_ = std::min(patience_with_unsent_ + patience_with_unsent_, between_calls_);
    return last_passed_ + patience();
  }
  patience_with_unsent_ = least_patience;
  woken();
  if (joined_) stay_in_group(now);  // probes are to be heard though nothing else comes
  const Nanoseconds next = act_(now, true);
  watch(true, link_->has_unsent());
  return next;
}

bool Engine::take_in(Nanoseconds now) {
  const bool by_stream =
      uses_streams_ && streams_->exchange(protocol_, now, between_grants, [&] { send_out(now); });
  const bool by_link = take_in_from(*link_, now);
  const bool by_group = group_link_ && is_group_looked_at(now) && take_in_from(*group_link_, now);
  return by_stream || by_link || by_group;
}

bool Engine::is_group_looked_at(Nanoseconds now) {
  if (!awaits_group_ && now - group_looked_at_ < between_looks_at_group) return false;
  group_looked_at_ = now;
  return true;
}

bool Engine::take_in_from(Link& link, Nanoseconds now) {
  for (bool any = false;; any = true, now = monotonic_now()) {
    const auto arrived = link.receive();
    if (arrived.empty() && !link.has_more()) return any;
    for (std::size_t i = 0; i < arrived.size(); ++i) {
      const auto heard = protocol_.on_datagram(link.source(i), arrived[i], now);
      if (heard && !heard->to_group && uses_streams_) streams_->heard_by_datagram(heard->from);
    }
    protocol_.learn([&link](std::size_t bytes) { return link.took(bytes); }, now);
    if (!link.has_more()) return true;
  }
}

bool Engine::flush(Batch& batch) {
  const auto [bytes, messages] = std::exchange(batch, Batch{});
  const bool are_long = messages > 0 && bytes >= messages * SendCosts::least_bytes;
  if (!uses_streams_ || !are_long) return link_->flush();
  const Nanoseconds begin = monotonic_now();
  const bool all_left = link_->flush();
  if (all_left) streams_->datagrams_took(bytes, monotonic_now() - begin);
  return all_left;
}

bool Engine::send_out(Nanoseconds now) {
  if (!link_->has_unsent() && !protocol_.is_due(now)) return false;
  const std::uint64_t before = link_->sent();
  if (cutting_.watch(
          *link_, [this] { return protocol_.counters(); }, now))
    on_uncut_();
  Batch batch;
  while (flush(batch)) {
    for (;;) {
      const auto room = link_->room();
      if (room.empty()) break;
      const auto outgoing = protocol_.next_datagram(room, now, link_->run_limit());
      if (!outgoing) break;
      if (uses_streams_ && outgoing->peer != Protocol::to_group) {
        streams_->open_streams(protocol_);  // the probe that found it silent goes there too
        if (streams_->send(protocol_, *outgoing, room.first(outgoing->length))) continue;
      }
      link_->use_path(outgoing->path);
      link_->add_next(outgoing->to, outgoing->length, outgoing->datagram);
      batch.bytes += outgoing->length;
      ++batch.messages;
    }
    if (!link_->has_unsent()) break;
  }
  return link_->sent() > before;
}

void Engine::note_refusals() {
  for (const NetworkAddress& address : link_->refusals()) protocol_.on_refusal(address);
  if (!uses_streams_ || !streams_->has_refusals()) return;
  for (const Protocol::PeerNumber peer : streams_->refusals()) protocol_.on_refused_stream(peer);
}

std::optional<std::string> Engine::loss(Nanoseconds now) {
  if (link_->is_cut() && !uses_streams_)
    return "the interface of the " + std::string(link_->name()) +
           " link was taken away (a link helper takes its own along when it ends)";
  if (own_address_.is_lost(now)) return own_address_.loss();
  return std::nullopt;
}

void Engine::woken() {
  group_looked_at_ = {};
  link_->woken();
  if (streams_) streams_->woken();
}

void Engine::wait(Nanoseconds time) {
  std::vector<pollfd> events;
  {
    const std::scoped_lock lock(mutex_);
    for (const int descriptor : descriptors_) events.push_back({descriptor, POLLIN, 0});
    if (link_->has_unsent()) events.push_back({link_->room_descriptor(), POLLIN | POLLOUT, 0});
  }
  const timespec most{0, static_cast<long>(time.value)};
  if (ppoll(events.data(), events.size(), &most, nullptr) <= 0) return;
  const std::scoped_lock lock(mutex_);
  woken();
}

}  // namespace quadrille::wire
