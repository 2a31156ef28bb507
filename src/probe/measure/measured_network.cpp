// SPDX-License-Identifier: BSD-3-Clause
// Rounds: orders out, a common start, results in. What happens before the first round is in
// measured_network_start.cpp.
#include "probe/measure/measured_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "probe/measure/agent/round_part.h"
#include "probe/measure/byte_codec.h"
#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

constexpr int most_attempts = 3;
constexpr std::int64_t latest_start_ns = 3'000'000;
constexpr std::int64_t longest_hold_up_ns = 10'000'000;
constexpr std::int64_t hold_up_in_exchange_ns = 1'000'000;
// Long results that may be on their way to the coordinator at once: less than the buffer of a port
// of a simple switch.
constexpr std::size_t most_fetched_at_once = 16'384;

bool lacks_round_trips(const Round& round, const RoundResult& result, HostIndex host) {
  for (std::size_t i = 0; i < round.exchanges.size(); ++i) {
    const Exchange& exchange = round.exchanges[i];
    if (exchange.from != host && exchange.to != host) continue;
    if (result.exchanges[i].round_trips_ns.size() < exchange.count) return true;
  }
  return false;
}

// Round trips leave out what the ends' delays add, so that of exchanges only the incomplete ones
// may have suffered.
std::vector<HostIndex> unpunctual(const Round& round, const std::vector<PartResult>& reports,
                                  const RoundResult& result) {
  const bool timed = !round.streams.empty() || !round.fans.empty() || !round.multicasts.empty();
  std::vector<HostIndex> hosts;
  for (HostIndex host = 0; host < reports.size(); ++host) {
    const PartResult& report = reports[host];
    const std::int64_t delay_ns = std::max(report.late_ns, report.held_up_ns);
    const bool spoilt =
        timed && (report.late_ns > latest_start_ns || report.held_up_ns > longest_hold_up_ns);
    const bool cut_short = report.missed > 0 || delay_ns > hold_up_in_exchange_ns;
    if (spoilt || (cut_short && lacks_round_trips(round, result, host))) hosts.push_back(host);
  }
  return hosts;
}

// What a repetition has to measure: of exchanges only those that are not complete.
Round still_wanted(const Round& round, const RoundResult& result) {
  Round wanted = round;
  for (std::size_t i = 0; i < round.exchanges.size(); ++i) {
    if (result.exchanges[i].round_trips_ns.size() >= round.exchanges[i].count) {
      wanted.exchanges[i].count = 0;
    }
  }
  return wanted;
}

// A round trip that was measured is right, whoever else was late; of all else the attempt counts
// that most hosts were punctual for.
void keep_better(RoundResult& best, RoundResult other) {
  std::vector<ExchangeResult> exchanges = best.exchanges;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    const bool more = other.exchanges[i].round_trips_ns.size() > exchanges[i].round_trips_ns.size();
    if (more) exchanges[i] = other.exchanges[i];
  }
  if (other.unpunctual.size() < best.unpunctual.size()) best = std::move(other);
  best.exchanges = std::move(exchanges);
}

}  // namespace

std::int64_t MeasuredNetwork::elapsed_ns() const { return steady_ns() - began_ns_; }

std::vector<bool> MeasuredNetwork::reachable_on(std::uint32_t network) const {
  std::vector<bool> reachable;
  for (const std::string& address : networks_[network].address) {
    reachable.push_back(!address.empty());
  }
  return reachable;
}

Result<RoundResult> MeasuredNetwork::perform(const Round& round) {
  const std::string problem = problem_of(round, hosts_.size(), networks_.size());
  if (!problem.empty()) {
    return Error{ErrorKind::invalid_argument, "round \"" + round.purpose + "\": " + problem};
  }
  if (auto aligned = align_clocks(round.network); !aligned.ok()) return aligned.error();
  agents_.set_purpose("measuring \"" + round.purpose + "\"");
  RoundResult best;
  for (int tried = 0; tried < most_attempts; ++tried) {
    std::vector<PartResult> reports;
    const Round wanted = tried == 0 ? round : still_wanted(round, best);
    if (auto done = attempt(wanted, reports); !done.ok()) return done.error();
    auto merged = merge(wanted, reports);
    if (!merged.ok()) return merged.error();
    empty_at_ns_ += merged.value().left_ns;
    if (tried == 0) {
      best = std::move(merged.value());
    } else {
      ++repeated_;
      keep_better(best, std::move(merged.value()));
    }
    if (best.unpunctual.empty()) break;
  }
  if (options_.observer) options_.observer(round, best);
  return best;
}

Result<bool> MeasuredNetwork::attempt(const Round& round, std::vector<PartResult>& reports) {
  std::vector<RoundPart> parts = parts_of(round, reachable_on(round.network));
  std::vector<bool> takes_part;
  ++number_;
  // A round does not begin behind what the one before has left in deep queues.
  sleep_for(empty_at_ns_ - realtime_ns() - margin_.ns());
  const std::int64_t start_ns = realtime_ns() + margin_.ns();
  for (HostIndex host = 0; host < parts.size(); ++host) {
    parts[host].number = number_;
    parts[host].start_ns = start_ns + clocks_[host].ahead_ns(start_ns);
    parts[host].drift_ppb = std::llround(clocks_[host].drift() * 1e9);
    takes_part.push_back(!parts[host].idle());
    if (host == 0 || !takes_part[host]) continue;
    auto asked = agents_.ask(host, Request::perform, encode(parts[host]));
    if (!asked.ok()) return asked.error();
  }
  auto flushed = agents_.flush(start_ns - realtime_ns());
  if (!flushed.ok()) return flushed.error();
  reports.assign(parts.size(), {});
  if (takes_part[0]) {
    const std::int64_t spare_ns = start_ns - realtime_ns();
    auto own = own_agent_.perform(parts[0]);
    if (!own.ok()) return own.error();
    reports[0] = std::move(own.value());
    reports[0].spare_ns = spare_ns;
  } else {
    sleep_for(start_ns + round.duration_ns - realtime_ns());
  }
  auto collected = collect(takes_part, reports);
  empty_at_ns_ = start_ns + round.duration_ns;
  return collected;
}

Result<bool> MeasuredNetwork::collect(const std::vector<bool>& takes_part,
                                      std::vector<PartResult>& reports) {
  std::vector<std::size_t> long_bytes(reports.size());
  for (HostIndex host = 1; host < reports.size(); ++host) {
    if (!takes_part[host]) continue;
    const auto answered = agents_.answer(host, Request::perform);
    if (!answered.ok()) return answered.error();
    ByteReader in(answered.value());
    long_bytes[host] = static_cast<std::size_t>(in.at_most(1U << 30U));
    if (long_bytes[host] != kResultFollows || in.failed()) continue;
    auto taken = take_report(host, std::string_view(answered.value()).substr(1), reports);
    if (!taken.ok()) return taken.error();
  }
  if (auto fetched = fetch_long(long_bytes, reports); !fetched.ok()) return fetched.error();
  std::int64_t least_spare_ns = margin_.ns();
  for (HostIndex host = 0; host < reports.size(); ++host) {
    sent_bytes_ += reports[host].sent_bytes;
    foreign_ += reports[host].foreign;
    if (takes_part[host]) least_spare_ns = std::min(least_spare_ns, reports[host].spare_ns);
  }
  margin_.learn(least_spare_ns);
  return true;
}

Result<bool> MeasuredNetwork::take_report(HostIndex host, std::string_view encoded,
                                          std::vector<PartResult>& reports) const {
  auto decoded = decode_result(encoded);
  if (!decoded.ok()) return decoded.error();
  if (decoded.value().number != number_) {
    return Error{ErrorKind::corrupt, "host " + hosts_[host].name + " reports on round " +
                                         std::to_string(decoded.value().number) + " instead of " +
                                         std::to_string(number_)};
  }
  reports[host] = std::move(decoded.value());
  return true;
}

Result<bool> MeasuredNetwork::fetch_long(const std::vector<std::size_t>& bytes,
                                         std::vector<PartResult>& reports) {
  HostIndex asked = 1;  // all before it that have something long have been asked for it
  std::size_t under_way = 0;
  for (HostIndex host = 1; host < bytes.size(); ++host) {
    if (bytes[host] == 0) continue;
    for (; asked < bytes.size(); ++asked) {
      if (under_way > 0 && under_way + bytes[asked] > most_fetched_at_once) break;
      if (bytes[asked] == 0) continue;
      auto sent = agents_.ask(asked, Request::fetch);
      if (!sent.ok()) return sent.error();
      under_way += bytes[asked];
    }
    const auto answered = agents_.answer(host, Request::fetch);
    if (!answered.ok()) return answered.error();
    auto taken = take_report(host, answered.value(), reports);
    if (!taken.ok()) return taken.error();
    under_way -= bytes[host];
  }
  return true;
}

Result<RoundResult> MeasuredNetwork::merge(const Round& round,
                                           const std::vector<PartResult>& reports) {
  RoundResult result = empty_result(round, hosts_.size());
  for (HostIndex host = 0; host < reports.size(); ++host) {
    if (auto entered = enter(round, host, reports[host], result); !entered.ok()) {
      return entered.error();
    }
  }
  result.unpunctual = unpunctual(round, reports, result);
  result.left_ns = backlog_ns(round, reports);
  return result;
}

}  // namespace quadrille::probe
