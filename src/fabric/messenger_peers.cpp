// SPDX-License-Identifier: BSD-3-Clause
// Whom a messenger knows, and their datagrams.
#include <algorithm>
#include <utility>

#include "fabric/messenger.h"
#include "fabric/names/introduction.h"

namespace quadrille::fabric {
namespace {

// Of what the network holds in front of a host: an eighth is spare for others' packets.
constexpr std::size_t spare_part = 8;
constexpr std::uint32_t most_packets = 256;
constexpr std::uint32_t most_local_packets = 32;
// So short a message goes at once to as many others as there may be.
constexpr std::size_t least_unscheduled = 256;
constexpr std::size_t most_unscheduled_packets = 8;  // where few share the burst
// The same of rests: the longest message's, and as it is spread over more of the burst.
constexpr std::size_t most_eager_packets = 12;
constexpr double eager_part = 0.625;
constexpr Nanoseconds between_introductions{1'000'000};
// To one that speaks again and again.
constexpr Nanoseconds between_farewells{100'000'000};
// While only the other end's program is awaited: it need not say anything for long.
constexpr Nanoseconds between_words{3'000'000'000};
// One refusal may be a firewall's while it is set up anew.
constexpr std::uint32_t probes_before_lost = 2;
constexpr std::uint32_t probes_before_silent = 4;

std::uint32_t packets_of(const MessengerSettings& settings) {
  if (!settings.flow_control) return wire::CreditBudget::unlimited;
  const std::size_t usable = settings.burst_bytes - settings.burst_bytes / spare_part;
  return std::clamp<std::uint32_t>(
      static_cast<std::uint32_t>(usable / (settings.name.payload + wire::packet_framing_bytes)), 2,
      most_packets);
}

}  // namespace

Messenger::Messenger(const MessengerSettings& settings, const KeyPair& keys)
    : settings_(settings),
      keys_(keys),
      network_budget_(settings.board != nullptr ? settings.board->board() : own_board_,
                      settings.board != nullptr ? settings.board->holder() : 0,
                      packets_of(settings), settings.most_budget),
      local_budget_(local_board_, 0, most_local_packets) {}

PeerNumber* Messenger::known_at(wire::NetworkAddress address) {
  const auto found = by_address_.find({address.address, address.port});
  return found == by_address_.end() ? nullptr : &found->second;
}

PeerNumber* Messenger::known_as(const EndpointName& name) {
  PeerNumber* const known = known_at(name.at);
  return known != nullptr && peers_[*known]->name == name ? known : nullptr;
}

std::optional<PeerNumber> Messenger::peer(const EndpointName& name, Nanoseconds now) {
  if (const PeerNumber* known = known_as(name)) return *known;
  const auto secret = keys_.secret_with(name.key, settings_.job_secret);
  if (!secret) return std::nullopt;
  return add_peer(name, *secret, now);
}

PeerNumber Messenger::add_peer(const EndpointName& name, const wire::Secret& secret,
                               Nanoseconds now) {
  const auto number = static_cast<PeerNumber>(peers_.size());
  auto peer = std::make_unique<Peer>();
  peer->name = name;
  peer->secret = secret;
  peer->lost = reaches_nobody_;
  const bool is_local = name.at.address == settings_.name.at.address;
  if (name != settings_.name) {
    ConversationSettings made;
    made.secret = secret;
    made.is_first = settings_.name.key < name.key;
    made.payload = is_local ? settings_.local_payload
                            : std::min<std::size_t>(settings_.name.payload, name.payload);
    if (is_local && settings_.inbox != nullptr) {
      made.claim = [this, name] { return ClaimedRing::claim(name, settings_.name.key); };
      on_host_.push_back(number);
    }
    made.flow_control = is_local || settings_.flow_control;
    made.paths = is_local ? 1 : settings_.paths;
    const std::size_t packet = made.payload + wire::packet_framing_bytes;
    const std::size_t most = most_unscheduled_packets * packet;
    const std::size_t share =
        settings_.flow_control ? settings_.burst_bytes / 2 / (peers_.size() + 1) : most;
    made.unscheduled = is_local
                           ? made.payload
                           : std::clamp(share, std::min(least_unscheduled, made.payload), most);
    if (!is_local) ++network_peers_;
    const double eager = eager_part * static_cast<double>(settings_.burst_bytes) /
                         static_cast<double>(packet * std::max(network_peers_, 1U));
    made.most_eager = is_local ? 1
                               : static_cast<std::uint32_t>(std::min<double>(
                                     eager, static_cast<double>(most_eager_packets)));
    peer->conversation =
        std::make_unique<Conversation>(made, is_local ? local_budget_ : network_budget_, now);
    if (is_local && settings_.flow_control && settings_.board == nullptr) {
      const std::uint32_t start = std::max(packets_of(settings_) / ++local_peers_, 2U);
      own_board_.start = start;
      own_board_.limit = std::min(own_board_.limit.load(), start);
    }
  }
  peers_.push_back(std::move(peer));
  by_address_[{name.at.address, name.at.port}] = number;
  for (const std::uint16_t port : name.other_ports) {
    if (port != 0) by_address_[{name.at.address, port}] = number;
  }
  return number;
}

void Messenger::on_introduction(std::span<const std::byte> datagram, Nanoseconds now) {
  const auto name = claimed_name(datagram);
  // Without a job's secret everybody is genuine.
  if (!name || !settings_.job_secret) {
    ++strangers_;
    return;
  }
  if (known_as(*name) != nullptr) return;
  const auto secret = keys_.secret_with(name->key, settings_.job_secret);
  if (!secret || !is_genuine(datagram, settings_.name, *secret)) {
    ++strangers_;
    return;
  }
  add_peer(*name, *secret, now);
}

std::optional<wire::Protocol::Heard> Messenger::on_datagram(wire::NetworkAddress from,
                                                            std::span<std::byte> datagram,
                                                            Nanoseconds now) {
  if (is_introduction(datagram)) {
    on_introduction(datagram, now);
    return std::nullopt;
  }
  if (is_farewell(datagram)) {
    on_farewell(datagram);
    return std::nullopt;
  }
  const PeerNumber* known = known_at(from);
  if (known == nullptr || !peers_[*known]->conversation) {
    ++strangers_;
    return std::nullopt;
  }
  const PeerNumber number = *known;
  Peer& peer = *peers_[number];
  if (peer.lost) {
    owe_farewell(number);
    return std::nullopt;
  }
  const auto heard = peer.conversation->on_datagram(datagram, now);
  if (!heard) return std::nullopt;
  peer.heard = true;
  peer.refused = false;
  take_events(number, now);
  touch(number, now);
  return Heard{.from = number, .is_ack = heard->is_ack};
}

void Messenger::learn(const Bursts& bursts, Nanoseconds now) {
  network_budget_.learn(bursts, settings_.name.payload + wire::packet_framing_bytes, now);
}

// Who was given up, and lives, is not to wait for what never comes.
void Messenger::owe_farewell(PeerNumber number) {
  Peer& peer = *peers_[number];
  peer.owes_farewell = true;
  if (std::exchange(peer.ready, true)) return;
  ready_.push_back(number);
}

std::optional<std::size_t> Messenger::farewell(Peer& peer, std::span<std::byte> room,
                                               Nanoseconds now) {
  if (!std::exchange(peer.owes_farewell, false)) return std::nullopt;
  if (peer.bade_farewell && now - *peer.bade_farewell < between_farewells) return std::nullopt;
  peer.bade_farewell = now;
  write_farewell(settings_.name, peer.name, peer.secret, room);
  return introduction_bytes;
}

void Messenger::on_farewell(std::span<const std::byte> datagram) {
  if (const auto from = introduced(datagram)) lose(*from);
}

std::optional<PeerNumber> Messenger::introduced(std::span<const std::byte> datagram) {
  const auto name = claimed_name(datagram);
  const PeerNumber* const known = name ? known_as(*name) : nullptr;
  if (known != nullptr && is_genuine(datagram, settings_.name, peers_[*known]->secret))
    return *known;
  ++strangers_;
  return std::nullopt;
}

std::optional<PeerNumber> Messenger::next_silent() {
  if (silent_.empty()) return std::nullopt;
  return silent_.extract(silent_.begin()).value();
}

wire::PortAddress Messenger::address_of(PeerNumber peer) const {
  const EndpointName& name = peers_[peer]->name;
  return {.datagrams = name.at, .streams = {name.at.address, name.streams}};
}

void Messenger::set_stream(PeerNumber peer, bool open) {
  Peer& of = *peers_[peer];
  if (of.conversation) of.conversation->set_stream(open);
}

void Messenger::lose_stream(PeerNumber peer) {
  Peer& of = *peers_[peer];
  if (of.conversation) of.conversation->lose_stream();
}

void Messenger::set_receive_loss(PeerNumber peer, bool receive_loss) {
  Peer& of = *peers_[peer];
  if (of.conversation) of.conversation->set_receive_loss(receive_loss);
}

bool Messenger::has_receive_loss(PeerNumber peer) const {
  const Peer& of = *peers_[peer];
  return of.conversation && of.conversation->has_receive_loss();
}

std::size_t Messenger::hail(PeerNumber to, std::span<std::byte> room) {
  write_introduction(settings_.name, peers_[to]->name, peers_[to]->secret, room);
  return introduction_bytes;
}

// Whoever shares a secret with this endpoint is answered, in its address vector or not: that it
// lives is all that is asked.
std::optional<wire::Protocol::Hailed> Messenger::on_hail(std::span<const std::byte> datagram,
                                                         std::span<std::byte> room,
                                                         Nanoseconds now) {
  if (!is_introduction(datagram)) return std::nullopt;
  const auto name = claimed_name(datagram);
  const auto secret = name ? keys_.secret_with(name->key, settings_.job_secret) : std::nullopt;
  if (!secret || !is_genuine(datagram, settings_.name, *secret)) {
    ++strangers_;
    return Hailed{};
  }
  Hailed hailed{.from = std::nullopt, .answer = introduction_bytes};
  if (const PeerNumber* known = known_as(*name)) {
    if (peers_[*known]->lost) return Hailed{};
    hailed.from = *known;
  } else if (settings_.job_secret) {  // without it everybody is genuine
    hailed.from = add_peer(*name, *secret, now);
  }
  write_introduction(settings_.name, *name, *secret, room);
  return hailed;
}

void Messenger::ask_programs_later(Nanoseconds now) {
  if (!asks_programs_at_) asks_programs_at_ = now + between_words;
}

// A receive of what has not been announced, or an offer that nobody has called for, asks for
// nothing by itself, and would never find out that the other end is no more: a word to it has to
// be acknowledged.
void Messenger::ask_programs(Nanoseconds now) {
  std::set<PeerNumber> awaited;
  tagged_.add_awaited(awaited);
  untagged_.add_awaited(awaited);
  for (PeerNumber number = 0; number < peers_.size(); ++number) {
    if (!peers_[number]->offers.empty()) awaited.insert(number);
  }
  asks_programs_at_.reset();
  for (const PeerNumber number : awaited) {
    Peer& peer = *peers_[number];
    if (peer.lost || !peer.conversation) continue;
    ask_programs_later(now);
    if (peer.conversation->unanswered()) continue;  // that asks
    peer.conversation->send_control({.freed = peer.credit.tell()}, now);
    touch(number, now);
  }
}

void Messenger::take_events(PeerNumber number, Nanoseconds now) {
  Peer& peer = *peers_[number];
  while (!peer.lost) {
    const auto happened = peer.conversation->next(now);
    if (!happened) return;
    using Event = Conversation::Event;
    if (happened->event == Event::message) {
      if (!on_packet(number, happened->bytes, now)) return lose(number);
    } else if (happened->event == Event::rest_received) {
      on_rest(number, now);
    } else if (happened->event == Event::control) {
      const auto parsed = parse_control(happened->bytes);
      if (!parsed) return lose(number);
      peer.credit.heard(parsed->freed);
      if (parsed->calls) on_call(number, *parsed, now);
    } else if (happened->event == Event::bulk_sent) {
      const auto offer = leaving_.extract(happened->token).mapped().second;
      end_offer(offer, number, Outcome::success);
    } else if (happened->event == Event::bulk_received) {
      const Transfer transfer = transfers_.extract(happened->token).mapped();
      end_receive(transfer.receive, transfer.done);
    } else {
      return lose(number);
    }
  }
}

void Messenger::touch(PeerNumber number, Nanoseconds now) {
  Peer& peer = *peers_[number];
  if (!peer.conversation || peer.lost) return;
  probe_memory_later(*peer.conversation, now);
  if (peer.ready || peer.conversation->is_silent()) return;
  peer.ready = true;
  ready_.push_back(number);
}

void Messenger::set_timer(PeerNumber number) {
  Peer& peer = *peers_[number];
  const auto due = peer.lost ? std::nullopt : peer.conversation->deadline();
  if (peer.wakes == due) return;
  if (peer.wakes) timers_.erase({*peer.wakes, number});
  if (due) timers_.insert({*due, number});
  peer.wakes = due;
}

std::optional<std::size_t> Messenger::introduction(Peer& peer, std::span<std::byte> room,
                                                   Nanoseconds now) {
  if (peer.heard || peer.conversation->was_read()) return std::nullopt;
  const auto deadline = peer.conversation->deadline();
  const bool speaks = !peer.conversation->is_idle() || (deadline && *deadline <= now);
  if (!speaks) return std::nullopt;
  if (peer.introduced && now - *peer.introduced < between_introductions) return std::nullopt;
  peer.introduced = now;
  write_introduction(settings_.name, peer.name, peer.secret, room);
  return introduction_bytes;
}

std::optional<wire::Protocol::Outgoing> Messenger::next_datagram(std::span<std::byte> room,
                                                                 Nanoseconds now,
                                                                 wire::RunLimit limit) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const PeerNumber number = timers_.begin()->second;
    timers_.erase(timers_.begin());
    peers_[number]->wakes.reset();
    touch(number, now);
    check_refused(number);
  }
  if (probes_memory_at_ && *probes_memory_at_ <= now) probe_memory(now);
  if (asks_programs_at_ && *asks_programs_at_ <= now) ask_programs(now);
  while (!ready_.empty()) {
    const PeerNumber number = ready_.front();
    ready_.pop_front();
    Peer& peer = *peers_[number];
    if (peer.lost) {
      if (const auto length = farewell(peer, room, now)) {
        peer.ready = false;
        return Outgoing{{.peer = number, .length = *length}, peer.name.at};
      }
    } else {
      std::optional<wire::Endpoint::Outgoing> outgoing;
      if (const auto length = introduction(peer, room, now)) {
        outgoing = {.length = *length};
      } else {
        outgoing = peer.conversation->next_datagram(room, now, limit);
        const bool is_local = peer.name.at.address == settings_.name.at.address;
        if (peer.conversation->wants_stream() && !is_local) wants_stream_ = number;
      }
      take_events(number, now);  // what leaves unscheduled is done
      if (outgoing) {
        ready_.push_back(number);
        outgoing->peer = number;
        return Outgoing{*outgoing, peer.name.at};
      }
    }
    peer.ready = false;
    set_timer(number);
  }
  return std::nullopt;
}

std::size_t Messenger::largest_datagram() const {
  return std::max<std::size_t>({settings_.name.payload, settings_.local_payload}) +
         wire::overhead_bytes + wire::largest_ack;
}

std::optional<Nanoseconds> Messenger::deadline() const {
  std::optional<Nanoseconds> first = probes_memory_at_;
  if (asks_programs_at_ && (!first || *asks_programs_at_ < *first)) first = asks_programs_at_;
  if (!timers_.empty() && (!first || timers_.begin()->first < *first))
    first = timers_.begin()->first;
  return first;
}

bool Messenger::is_due(Nanoseconds now) const {
  if (!ready_.empty()) return true;
  const auto due = deadline();
  return due && *due <= now;
}

void Messenger::on_refusal(wire::NetworkAddress to) {
  const PeerNumber* known = known_at(to);
  if (known != nullptr) peers_[*known]->refused = true;
}

void Messenger::check_refused(PeerNumber number) {
  Peer& peer = *peers_[number];
  if (peer.lost || !peer.conversation) return;
  const auto unanswered = peer.conversation->unanswered();
  if (unanswered && *unanswered >= probes_before_silent) silent_.insert(number);
  if (peer.refused && unanswered && *unanswered >= probes_before_lost) lose(number);
}

void Messenger::lose(PeerNumber number) {
  Peer& peer = *peers_[number];
  if (std::exchange(peer.lost, true)) return;
  if (peer.conversation) peer.conversation->give_up();
  peer.arriving.clear();
  set_timer(number);
  while (!peer.offers.empty()) end_offer(peer.offers.begin()->first, number, Outcome::peer_lost);
  std::erase_if(leaving_, [&](const auto& entry) { return entry.second.first == number; });
  for (auto next = transfers_.begin(); next != transfers_.end();) {
    if (next->second.from != number) {
      ++next;
      continue;
    }
    Transfer transfer = next->second;
    next = transfers_.erase(next);
    transfer.done.outcome = Outcome::peer_lost;
    transfer.done.length = 0;
    end_receive(transfer.receive, transfer.done);
  }
  for (Matcher* matcher : {&tagged_, &untagged_}) {
    for (const Token receive : matcher->withdraw_directed_at(number))
      end_waiting(receive, Outcome::peer_lost);
  }
}

void Messenger::lose_everybody() {
  if (std::exchange(reaches_nobody_, true)) return;
  for (std::size_t number = 0; number < peers_.size(); ++number)
    lose(static_cast<PeerNumber>(number));
  for (Matcher* matcher : {&tagged_, &untagged_}) {
    for (const Token receive : matcher->withdraw_receives())
      end_waiting(receive, Outcome::peer_lost);
  }
}

bool Messenger::is_idle() const {
  return std::ranges::all_of(peers_, [](const auto& peer) {
    return !peer->conversation || peer->lost || peer->refused ||
           (!peer->ready && peer->offers.empty() && peer->conversation->is_idle());
  });
}

wire::EndpointCounters Messenger::counters() const {
  wire::EndpointCounters all;
  for (const auto& peer : peers_) {
    if (!peer->conversation) continue;
    const wire::EndpointCounters& own = peer->conversation->counters();
    all.data_sent += own.data_sent;
    all.data_resent += own.data_resent;
    all.data_again += own.data_again;
    all.runs_sent += own.runs_sent;
    all.stream_sent += own.stream_sent;
    all.data_received += own.data_received;
    all.bytes_sent += own.bytes_sent;
    all.bytes_received += own.bytes_received;
    all.acks_sent += own.acks_sent;
    all.acks_received += own.acks_received;
    all.probes += own.probes;
    all.losses += own.losses;
    all.duplicates += own.duplicates;
    all.refused += own.refused;
    all.forged += own.forged;
    all.malformed += own.malformed;
  }
  return all;
}

}  // namespace quadrille::fabric
