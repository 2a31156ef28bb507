// SPDX-License-Identifier: BSD-3-Clause
// From a round to the hosts' parts, and from their reports to the round's result.
#include "probe/measure/agent/round_part.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr std::uint32_t most_stream_datagrams = 4'000'000;  // of one stream
constexpr std::uint32_t most_frame_bytes = 65'535 + 14;
constexpr std::uint32_t most_message_bytes = 16U << 20U;  // of an exchange
constexpr std::int64_t longest_ns = 120'000'000'000;
constexpr std::int64_t short_silence_ns = 3'000'000;
constexpr std::uint32_t least_paced = 3;  // of fewer datagrams no pace can be told
constexpr std::int64_t longest_backlog_ns = 1'500'000'000;

bool in_time(std::int64_t value) { return value >= 0 && value <= longest_ns; }

bool good_frame(std::uint32_t bytes) {
  return bytes >= kLightFrameBytes && bytes <= most_frame_bytes;
}

bool good(const Stream& stream, std::size_t hosts) {
  return stream.from < hosts && stream.to < hosts && stream.from != stream.to &&
         in_time(stream.at_ns) && in_time(stream.gap_ns) && stream.count <= most_stream_datagrams &&
         good_frame(stream.frame_bytes);
}

bool good(const Fan& fan, std::size_t hosts) {
  return fan.from < hosts && in_time(fan.at_ns) && in_time(fan.duration_ns) &&
         fan.passes <= most_stream_datagrams &&
         std::ranges::all_of(fan.to, [&](HostIndex to) { return to < hosts && to != fan.from; });
}

bool good(const Exchange& exchange, std::size_t hosts) {
  return exchange.from < hosts && exchange.to < hosts && exchange.from != exchange.to &&
         in_time(exchange.at_ns) && in_time(exchange.limit_ns) &&
         exchange.count <= most_stream_datagrams && exchange.there_bytes <= most_message_bytes &&
         exchange.back_bytes <= most_message_bytes;
}

bool good(const MulticastStream& multicast, std::size_t hosts) {
  return multicast.from < hosts && in_time(multicast.at_ns) && in_time(multicast.gap_ns) &&
         multicast.count <= most_stream_datagrams && good_frame(multicast.frame_bytes);
}

template <typename Items>
std::string first_bad(const Items& items, const char* what, std::size_t hosts) {
  const auto bad = std::ranges::find_if_not(items, [&](const auto& i) { return good(i, hosts); });
  if (bad == items.end()) return "";
  return std::string(what) + " " + std::to_string(bad - items.begin()) +
         " names a host that is not there, or a time, count or size out of bounds";
}

ExchangeEnd end_of(std::uint32_t id, const Exchange& exchange, bool asks) {
  return {id,
          asks ? exchange.to : exchange.from,
          asks,
          exchange.at_ns,
          exchange.count,
          exchange.there_bytes,
          exchange.back_bytes,
          exchange.limit_ns};
}

void add_fan(std::uint32_t id, const Fan& fan, const std::vector<bool>& reachable,
             std::vector<RoundPart>& parts) {
  if (!reachable[fan.from]) return;
  OutgoingFan out{id, {}, fan.at_ns, fan.duration_ns, fan.passes};
  std::ranges::copy_if(fan.to, std::back_inserter(out.to),
                       [&](HostIndex to) { return reachable[to]; });
  for (const HostIndex to : out.to) parts[to].fans_in.push_back({id, fan.from, fan.passes, false});
  if (!out.to.empty()) parts[fan.from].fans_out.push_back(std::move(out));
}

Error foreign_report(HostIndex host) {
  return {ErrorKind::corrupt, "host " + std::to_string(host) +
                                  " reports on traffic it had no part in; are all hosts running "
                                  "the same version?"};
}

void enter_heard(const HeardDatagrams& heard, StreamResult& stream) {
  stream.received = heard.received;
  stream.first_arrival_ns = heard.first_arrival_ns;
  stream.last_arrival_ns = heard.last_arrival_ns;
  stream.least_delay_ns = heard.least_delay_ns;
  stream.median_delay_ns = heard.median_delay_ns;
  stream.receive_call_ns = heard.receive_call_ns;
  stream.arrivals = heard.arrivals;
}

bool enter_streams(const Round& round, HostIndex host, const PartResult& part,
                   RoundResult& result) {
  for (const Sent& sent : part.streams_out) {
    if (sent.id >= round.streams.size() || round.streams[sent.id].from != host) return false;
    StreamResult& stream = result.streams[sent.id];
    stream.sent = sent.sent;
    stream.send_time_ns = sent.send_time_ns;
    stream.send_call_ns = sent.send_call_ns;
  }
  for (const HeardDatagrams& heard : part.streams_in) {
    if (heard.id >= round.streams.size() || round.streams[heard.id].to != host) return false;
    enter_heard(heard, result.streams[heard.id]);
  }
  return true;
}

bool enter_fans(const Round& round, HostIndex host, const PartResult& part, RoundResult& result) {
  for (const HeardDatagrams& heard : part.fans_in) {
    if (heard.id >= round.fans.size()) return false;
    const Fan& fan = round.fans[heard.id];
    const auto target = std::ranges::find(fan.to, host);
    if (target == fan.to.end()) return false;
    result.fans[heard.id][static_cast<std::size_t>(target - fan.to.begin())] = {
        heard.received, heard.least_delay_ns, heard.median_delay_ns};
  }
  return true;
}

// How long after `end_ns` datagrams of a stream still arrive: by the pace at which they came until
// then; where some of them were lost, the queue is full and the last waits as long as those that
// came.
std::int64_t still_coming_ns(const Sent& sent, const HeardDatagrams& heard, std::int64_t end_ns) {
  if (heard.highest_index < least_paced || heard.highest_index + 1 >= sent.sent) return 0;
  const std::int64_t pace_ns =
      (heard.last_arrival_ns - heard.first_arrival_ns) / heard.highest_index;
  if (end_ns - heard.last_arrival_ns > 5 * pace_ns + short_silence_ns) return 0;
  const std::int64_t unseen = sent.sent - 1 - heard.highest_index;
  if (heard.received > heard.highest_index) return unseen * pace_ns;
  const std::int64_t sent_after_ns = sent.send_time_ns / sent.sent * unseen;
  return std::clamp<std::int64_t>(heard.last_arrival_ns + sent_after_ns - end_ns, 0,
                                  unseen * pace_ns);
}

}  // namespace

std::string problem_of(const Round& round, std::size_t hosts, std::size_t networks) {
  if (round.network >= networks) {
    return "network " + std::to_string(round.network) + " is none of " + std::to_string(networks);
  }
  if (!in_time(round.duration_ns)) {
    return "a duration of " + std::to_string(round.duration_ns) + " ns is out of bounds";
  }
  for (const std::string& problem :
       {first_bad(round.streams, "stream", hosts), first_bad(round.fans, "fan", hosts),
        first_bad(round.exchanges, "exchange", hosts),
        first_bad(round.multicasts, "multicast", hosts)}) {
    if (!problem.empty()) return problem;
  }
  return "";
}

std::vector<RoundPart> parts_of(const Round& round, const std::vector<bool>& reachable) {
  std::vector<RoundPart> parts(reachable.size());
  for (RoundPart& part : parts) {
    part.network = round.network;
    part.duration_ns = round.duration_ns;
  }
  for (std::uint32_t id = 0; id < round.streams.size(); ++id) {
    const Stream& s = round.streams[id];
    if (!reachable[s.from] || !reachable[s.to]) continue;
    parts[s.from].streams_out.push_back({id, s.to, s.at_ns, s.count, s.frame_bytes, s.gap_ns});
    parts[s.to].streams_in.push_back({id, s.from, s.count, s.keep_arrivals});
  }
  for (std::uint32_t id = 0; id < round.fans.size(); ++id) {
    add_fan(id, round.fans[id], reachable, parts);
  }
  for (std::uint32_t id = 0; id < round.exchanges.size(); ++id) {
    const Exchange& exchange = round.exchanges[id];
    if (!reachable[exchange.from] || !reachable[exchange.to] || exchange.count == 0) continue;
    parts[exchange.from].exchanges.push_back(end_of(id, exchange, true));
    parts[exchange.to].exchanges.push_back(end_of(id, exchange, false));
  }
  for (std::uint32_t id = 0; id < round.multicasts.size(); ++id) {
    const MulticastStream& m = round.multicasts[id];
    if (!reachable[m.from]) continue;
    parts[m.from].multicasts_out.push_back({id, m.at_ns, m.count, m.frame_bytes, m.gap_ns});
    for (HostIndex host = 0; host < parts.size(); ++host) {
      if (host != m.from && reachable[host]) {
        parts[host].multicasts_in.push_back({id, m.from, m.count, false});
      }
    }
  }
  return parts;
}

RoundResult empty_result(const Round& round, std::size_t hosts) {
  RoundResult result;
  result.streams.resize(round.streams.size());
  for (const Fan& fan : round.fans) result.fans.emplace_back(fan.to.size());
  result.exchanges.resize(round.exchanges.size());
  const MulticastResult silence{std::vector<std::uint32_t>(hosts), std::vector<std::int64_t>(hosts),
                                std::vector<std::int64_t>(hosts)};
  result.multicasts.assign(round.multicasts.size(), silence);
  return result;
}

Result<bool> enter(const Round& round, HostIndex host, const PartResult& part,
                   RoundResult& result) {
  if (!enter_streams(round, host, part, result)) return foreign_report(host);
  if (!enter_fans(round, host, part, result)) return foreign_report(host);
  for (const ExchangeOutcome& outcome : part.exchanges) {
    if (outcome.id >= round.exchanges.size() || round.exchanges[outcome.id].from != host) {
      return foreign_report(host);
    }
    result.exchanges[outcome.id] = {outcome.round_trips_ns, outcome.time_to_live};
  }
  for (const HeardDatagrams& heard : part.multicasts_in) {
    if (heard.id >= round.multicasts.size()) return foreign_report(host);
    MulticastResult& multicast = result.multicasts[heard.id];
    multicast.received[host] = heard.received;
    multicast.first_arrival_ns[host] = heard.first_arrival_ns;
    multicast.last_arrival_ns[host] = heard.last_arrival_ns;
  }
  return true;
}

std::int64_t backlog_ns(const Round& round, const std::vector<PartResult>& reports) {
  std::vector<Sent> sent(round.streams.size());
  for (const PartResult& report : reports) {
    for (const Sent& stream : report.streams_out) {
      if (stream.id < sent.size()) sent[stream.id] = stream;
    }
  }
  std::int64_t most_ns = 0;
  for (const PartResult& report : reports) {
    for (const HeardDatagrams& heard : report.streams_in) {
      if (heard.id >= sent.size()) continue;
      const std::int64_t left_ns = still_coming_ns(sent[heard.id], heard, round.duration_ns);
      most_ns = std::max(most_ns, left_ns);
    }
    for (const HeardDatagrams& heard : report.multicasts_in) {
      if (heard.id >= round.multicasts.size()) continue;
      const MulticastStream& multicast = round.multicasts[heard.id];
      const Sent all{heard.id, multicast.count, multicast.gap_ns * multicast.count, 0};
      most_ns = std::max(most_ns, still_coming_ns(all, heard, round.duration_ns));
    }
  }
  return std::min(most_ns, longest_backlog_ns);
}

}  // namespace quadrille::probe
