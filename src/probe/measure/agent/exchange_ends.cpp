// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/agent/exchange_ends.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

// Clocks agree to better than this even before they have been aligned by datagrams.
constexpr std::int64_t clock_slack_ns = 20'000'000;
// An end that hears nothing for so long gives its core back until something comes.
constexpr std::int64_t longest_idle_spin_ns = 3'000'000;
constexpr std::int64_t first_patience_ns = 50'000'000;
constexpr std::int64_t least_patience_ns = 10'000'000;

}  // namespace

// An answer that takes longer is given up, though it still counts when it comes.
std::int64_t ExchangeEnds::Exchange::patience_ns() const {
  if (least_ns == never) return first_patience_ns;
  return std::max(least_patience_ns, 5 * least_ns);
}

ExchangeEnds::ExchangeEnds(const RoundPart& part, const NetworkEnd& network, DatagramSender& sender)
    : network_(network), sender_(sender) {
  for (const ExchangeEnd& end : part.exchanges) {
    by_id_[end.id] = exchanges_.size();
    Exchange exchange;
    exchange.end = end;
    exchange.over = end.count == 0;
    exchange.last_activity_ns = end.at_ns;
    exchanges_.push_back(std::move(exchange));
  }
}

std::uint32_t ExchangeEnds::pieces_of(std::uint32_t bytes) const {
  const std::uint32_t pieces = (bytes + network_.piece_bytes - 1) / network_.piece_bytes;
  return std::clamp(pieces, 1U, 65'535U);
}

// `complete_ns`: of an answer, when its question was complete.
void ExchangeEnds::send_message(const Exchange& exchange, DatagramKind kind, std::uint32_t trip,
                                std::int64_t complete_ns) {
  const bool question = kind == DatagramKind::question;
  std::uint32_t left = question ? exchange.end.there_bytes : exchange.end.back_bytes;
  Datagram header;
  header.kind = kind;
  header.id = exchange.end.id;
  header.index = trip;
  if (!question) {
    const std::int64_t held = sender_.clock().now() - complete_ns;
    header.held_ns = static_cast<std::uint32_t>(std::clamp<std::int64_t>(held, 0, 0xFFFFFFFF));
  }
  const std::uint32_t pieces = pieces_of(left);
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    const std::uint32_t bytes = std::min(left, network_.piece_bytes);
    left -= bytes;
    header.piece = static_cast<std::uint16_t>(piece);
    const auto outcome =
        sender_.send(network_.light, network_.peers[exchange.end.peer], header, bytes);
    // The rest of a message that does not fit the queue is lost, and the trip with it.
    if (outcome != UdpSocket::Outcome::sent) return;
  }
}

void ExchangeEnds::ask(Exchange& exchange) {
  exchange.asked_ns.push_back(sender_.clock().now());
  exchange.last_activity_ns = exchange.asked_ns.back();
  send_message(exchange, DatagramKind::question, exchange.trips, 0);
  ++exchange.trips;
}

void ExchangeEnds::note_activity(Exchange& exchange, std::int64_t at_ns) {
  exchange.last_activity_ns = sender_.clock().now();
  most_lag_ns_ = std::max(most_lag_ns_, exchange.last_activity_ns - at_ns);
}

// True when all pieces of the trip's message have come with this one.
bool ExchangeEnds::count_piece(Exchange& exchange, const Datagram& datagram, std::uint32_t bytes) {
  if (datagram.index != exchange.trip) {
    exchange.trip = datagram.index;
    exchange.pieces = 0;
  }
  ++exchange.pieces;
  return exchange.pieces == pieces_of(bytes);
}

bool ExchangeEnds::take_question(Exchange& exchange, const Datagram& datagram, std::int64_t at_ns) {
  if (exchange.end.asks || datagram.index >= exchange.end.count) return false;
  note_activity(exchange, at_ns);
  if (!count_piece(exchange, datagram, exchange.end.there_bytes)) return true;
  send_message(exchange, DatagramKind::answer, datagram.index, at_ns);
  exchange.trips = datagram.index + 1;
  return true;
}

bool ExchangeEnds::take_answer(Exchange& exchange, const Datagram& datagram, std::int64_t at_ns) {
  if (!exchange.end.asks || datagram.index >= exchange.trips) return false;
  note_activity(exchange, at_ns);
  if (!count_piece(exchange, datagram, exchange.end.back_bytes)) return true;
  const std::int64_t asked_ns = exchange.asked_ns[datagram.index];
  const std::int64_t held_ns = datagram.held_ns;
  const std::int64_t round_trip_ns = std::max<std::int64_t>(1, at_ns - asked_ns - held_ns);
  exchange.round_trips_ns.push_back(round_trip_ns);
  if (round_trip_ns < exchange.least_ns) {
    exchange.least_ns = round_trip_ns;
    // The way there took t2 - t1 by both clocks, the way back t4 - t3: half of their difference is
    // the clocks'.
    const std::int64_t there_ns = datagram.sent_ns - held_ns - asked_ns;
    const std::int64_t back_ns = at_ns - datagram.sent_ns;
    exchange.clock_error_ns = (there_ns - back_ns) / 2;
  }
  if (datagram.index + 1 < exchange.trips) return true;  // a late one
  if (exchange.trips < exchange.end.count) {
    ask(exchange);
  } else {
    exchange.over = true;
  }
  return true;
}

bool ExchangeEnds::take(const Datagram& datagram, std::int64_t at_ns, std::uint8_t time_to_live) {
  const auto known = by_id_.find(datagram.id);
  if (known == by_id_.end()) return false;
  Exchange& exchange = exchanges_[known->second];
  if (exchange.end.peer != datagram.from) return false;
  if (datagram.kind == DatagramKind::question) return take_question(exchange, datagram, at_ns);
  if (datagram.kind != DatagramKind::answer) return false;
  exchange.time_to_live = time_to_live;
  return take_answer(exchange, datagram, at_ns);
}

void ExchangeEnds::step(std::int64_t now_ns) {
  for (Exchange& exchange : exchanges_) {
    if (exchange.over || now_ns < exchange.end.at_ns) continue;
    if (now_ns >= exchange.ends_ns() + (exchange.end.asks ? 0 : clock_slack_ns)) {
      exchange.over = true;
      if (exchange.end.asks && exchange.trips == 0) ++missed_;
    } else if (exchange.end.asks && exchange.trips == 0) {
      most_lag_ns_ = std::max(most_lag_ns_, now_ns - exchange.end.at_ns);
      ask(exchange);
    } else if (exchange.end.asks && now_ns - exchange.last_activity_ns > exchange.patience_ns()) {
      if (exchange.trips < exchange.end.count) ask(exchange);
    }
  }
}

bool ExchangeEnds::spins(std::int64_t now_ns) const {
  return std::ranges::any_of(exchanges_, [&](const Exchange& exchange) {
    const bool done = exchange.over || exchange.trips >= exchange.end.count;
    return now_ns >= exchange.end.at_ns && now_ns < exchange.ends_ns() &&
           now_ns - exchange.last_activity_ns < longest_idle_spin_ns &&
           !(done && (exchange.over || !exchange.end.asks));
  });
}

bool ExchangeEnds::listens(std::int64_t now_ns) const {
  return std::ranges::any_of(exchanges_, [&](const Exchange& exchange) {
    return !exchange.over && now_ns >= exchange.end.at_ns - clock_slack_ns;
  });
}

std::int64_t ExchangeEnds::next_due_ns(std::int64_t now_ns) const {
  std::int64_t next = never;
  for (const Exchange& exchange : exchanges_) {
    if (exchange.over) continue;
    const std::int64_t early_ns = exchange.end.at_ns - (exchange.end.asks ? 0 : clock_slack_ns);
    for (const std::int64_t at_ns :
         {early_ns, exchange.end.at_ns, exchange.last_activity_ns + exchange.patience_ns() + 1,
          exchange.ends_ns()}) {
      if (at_ns > now_ns) next = std::min(next, at_ns);
    }
  }
  return next;
}

void ExchangeEnds::report(PartResult& result) const {
  result.missed = missed_;
  for (const Exchange& exchange : exchanges_) {
    if (!exchange.end.asks) continue;
    result.exchanges.push_back(
        {exchange.end.id, exchange.time_to_live, exchange.round_trips_ns, exchange.clock_error_ns});
  }
}

}  // namespace quadrille::probe
