// SPDX-License-Identifier: BSD-3-Clause
// One host's part of a round, and what it reports: the messages between the coordinator and the
// hosts. `id` is the position in the round's list of that kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "probe/round.h"

namespace quadrille::probe {

struct OutgoingStream {
  std::uint32_t id = 0;
  HostIndex to = 0;
  std::int64_t at_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t frame_bytes = 0;
  std::int64_t gap_ns = 0;
};

struct OutgoingFan {
  std::uint32_t id = 0;
  std::vector<HostIndex> to;
  std::int64_t at_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t passes = 0;
};

struct OutgoingMulticast {
  std::uint32_t id = 0;
  std::int64_t at_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t frame_bytes = 0;
  std::int64_t gap_ns = 0;
};

// A stream, a fan or a multicast that this host is to hear.
struct Incoming {
  std::uint32_t id = 0;
  HostIndex from = 0;
  std::uint32_t count = 0;
  bool keep_arrivals = false;
};

// This host's end of an exchange.
struct ExchangeEnd {
  std::uint32_t id = 0;
  HostIndex peer = 0;
  bool asks = false;
  std::int64_t at_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t there_bytes = 0;
  std::uint32_t back_bytes = 0;
  std::int64_t limit_ns = 0;
};

struct RoundPart {
  std::uint32_t number = 0;
  std::uint32_t network = 0;
  std::int64_t start_ns = 0;   // in this host's clock
  std::int64_t drift_ppb = 0;  // by which this host's clock runs faster than the coordinator's
  std::int64_t duration_ns = 0;
  std::vector<OutgoingStream> streams_out;
  std::vector<OutgoingFan> fans_out;
  std::vector<OutgoingMulticast> multicasts_out;
  std::vector<Incoming> streams_in;
  std::vector<Incoming> fans_in;
  std::vector<Incoming> multicasts_in;
  std::vector<ExchangeEnd> exchanges;

  bool idle() const {
    return streams_out.empty() && fans_out.empty() && multicasts_out.empty() &&
           streams_in.empty() && fans_in.empty() && multicasts_in.empty() && exchanges.empty();
  }
};

struct Sent {
  std::uint32_t id = 0;
  std::uint32_t sent = 0;
  std::int64_t send_time_ns = 0;
  std::int64_t send_call_ns = 0;
};

struct HeardDatagrams {
  std::uint32_t id = 0;
  std::uint32_t received = 0;
  std::int64_t first_arrival_ns = 0;
  std::int64_t last_arrival_ns = 0;
  std::int64_t least_delay_ns = 0;
  std::int64_t median_delay_ns = 0;
  std::int64_t receive_call_ns = 0;
  std::uint32_t highest_index = 0;  // of those received
  std::vector<Arrival> arrivals;
};

struct ExchangeOutcome {
  std::uint32_t id = 0;
  std::uint8_t time_to_live = 0;
  std::vector<std::int64_t> round_trips_ns;
  // How far the answering host's clock is ahead of what was taken for it, by the fastest trip.
  std::int64_t clock_error_ns = 0;
};

struct PartResult {
  std::uint32_t number = 0;
  std::int64_t spare_ns = 0;     // between the order's coming and the start; negative: too late
  std::int64_t late_ns = 0;      // that this host began after the start
  std::int64_t held_up_ns = 0;   // longest time for which it could not do what was due
  std::uint32_t missed = 0;      // exchanges whose time was over before they began
  std::uint64_t sent_bytes = 0;  // of frames
  std::uint64_t foreign = 0;     // datagrams of other jobs, rounds or hosts, dropped
  std::vector<Sent> streams_out;
  std::vector<HeardDatagrams> streams_in;
  std::vector<HeardDatagrams> fans_in;
  std::vector<HeardDatagrams> multicasts_in;
  std::vector<ExchangeOutcome> exchanges;
};

// What is wrong with a round for so many hosts and networks, or nothing.
std::string problem_of(const Round& round, std::size_t hosts, std::size_t networks);

// Each host's part; number, start and drift are still to be set. A pair one of whose hosts is not
// `reachable` (has no address on the network) has no part in it.
// REQUIRES: problem_of(round) is empty.
std::vector<RoundPart> parts_of(const Round& round, const std::vector<bool>& reachable);

// A result of the round's form in which nothing has arrived.
RoundResult empty_result(const Round& round, std::size_t hosts);
// Enters what `host` reports. Error corrupt when it reports what it had no part in.
Result<bool> enter(const Round& round, HostIndex host, const PartResult& part, RoundResult& result);

// How long after the round's end its streams and multicasts still arrive, for datagrams that wait
// in deep queues. What was lost is not waited for.
std::int64_t backlog_ns(const Round& round, const std::vector<PartResult>& reports);

std::string encode(const RoundPart& part);
std::string encode(const PartResult& result);
// Errors: corrupt.
Result<RoundPart> decode_part(std::string_view bytes);
Result<PartResult> decode_result(std::string_view bytes);

}  // namespace quadrille::probe
