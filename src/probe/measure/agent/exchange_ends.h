// SPDX-License-Identifier: BSD-3-Clause
// This host's ends of the round's exchanges: questions asked, and answers to others' questions.
//
// A round trip counts from just before the question is sent until the kernel has the last piece of
// the answer, less the time for which the other end held it: from its kernel's having the last
// piece of the question until just before the answer is sent. What a sleeping or preempted process
// adds is so left out.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "probe/measure/agent/datagram_sender.h"
#include "probe/measure/agent/round_part.h"

namespace quadrille::probe {

class ExchangeEnds {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  ExchangeEnds(const RoundPart& part, const NetworkEnd& network, DatagramSender& sender);

  // A question or an answer that the kernel had at `at_ns`. False when it belongs to no exchange
  // of this host.
  bool take(const Datagram& datagram, std::int64_t at_ns, std::uint8_t time_to_live);
  // Asks what is due.
  void step(std::int64_t now_ns);

  // Whether this host is to wait without sleeping.
  bool spins(std::int64_t now_ns) const;
  // Whether what arrives is to be looked at as it arrives.
  bool listens(std::int64_t now_ns) const;
  // When one of these answers may change, or something is to be asked.
  std::int64_t next_due_ns(std::int64_t now_ns) const;
  // The longest time for which something due, or something that had come, had to wait.
  std::int64_t most_lag_ns() const { return most_lag_ns_; }
  void report(PartResult& result) const;

 private:
  struct Exchange {
    ExchangeEnd end;
    bool over = false;
    std::uint32_t trips = 0;   // begun, of the asking end; answered, of the other
    std::uint32_t trip = 0;    // whose pieces are being counted
    std::uint32_t pieces = 0;  // of it that have come
    std::int64_t last_activity_ns = 0;
    std::vector<std::int64_t> asked_ns;  // [trips]
    std::vector<std::int64_t> round_trips_ns;
    std::int64_t least_ns = never;
    std::int64_t clock_error_ns = 0;
    std::uint8_t time_to_live = 0;

    std::int64_t ends_ns() const { return end.at_ns + end.limit_ns; }
    std::int64_t patience_ns() const;
  };

  std::uint32_t pieces_of(std::uint32_t bytes) const;
  void send_message(const Exchange& exchange, DatagramKind kind, std::uint32_t trip,
                    std::int64_t complete_ns);
  void ask(Exchange& exchange);
  void note_activity(Exchange& exchange, std::int64_t at_ns);
  bool take_question(Exchange& exchange, const Datagram& datagram, std::int64_t at_ns);
  bool take_answer(Exchange& exchange, const Datagram& datagram, std::int64_t at_ns);
  bool count_piece(Exchange& exchange, const Datagram& datagram, std::uint32_t bytes);

  const NetworkEnd& network_;
  DatagramSender& sender_;
  std::vector<Exchange> exchanges_;
  std::unordered_map<std::uint32_t, std::size_t> by_id_;
  std::int64_t most_lag_ns_ = 0;
  std::uint32_t missed_ = 0;
};

}  // namespace quadrille::probe
