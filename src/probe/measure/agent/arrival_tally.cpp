// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/agent/arrival_tally.h"

#include <algorithm>

namespace quadrille::probe {

void ArrivalTally::take(const Datagram& datagram, std::int64_t at_ns,
                        std::int64_t receive_call_ns) {
  if (datagram.index >= seen_.size() || seen_[datagram.index]) return;
  seen_[datagram.index] = true;
  const std::int64_t delay_ns = at_ns - datagram.sent_ns;
  first_ns_ = delays_.empty() ? at_ns : std::min(first_ns_, at_ns);
  last_ns_ = delays_.empty() ? at_ns : std::max(last_ns_, at_ns);
  highest_index_ = std::max(highest_index_, datagram.index);
  delays_.push_back(delay_ns);
  if (expected_.keep_arrivals) arrivals_.push_back({datagram.index, at_ns, delay_ns});
  if (receive_call_ns > 0 && (receive_call_ns_ == 0 || receive_call_ns < receive_call_ns_)) {
    receive_call_ns_ = receive_call_ns;
  }
}

HeardDatagrams ArrivalTally::report() {
  HeardDatagrams heard;
  heard.id = expected_.id;
  heard.received = static_cast<std::uint32_t>(delays_.size());
  if (delays_.empty()) return heard;
  heard.first_arrival_ns = first_ns_;
  heard.last_arrival_ns = last_ns_;
  const auto middle = delays_.begin() + static_cast<std::ptrdiff_t>(delays_.size() / 2);
  std::ranges::nth_element(delays_, middle);
  heard.median_delay_ns = *middle;
  heard.least_delay_ns = *std::min_element(delays_.begin(), middle + 1);
  heard.receive_call_ns = receive_call_ns_;
  heard.highest_index = highest_index_;
  heard.arrivals = std::move(arrivals_);
  return heard;
}

ArrivalTallies::ArrivalTallies(const RoundPart& part) {
  for (const Incoming& stream : part.streams_in) streams_.try_emplace(stream.id, stream);
  for (const Incoming& fan : part.fans_in) fans_.try_emplace(fan.id, fan);
  for (const Incoming& multicast : part.multicasts_in) {
    multicasts_.try_emplace(multicast.id, multicast);
  }
}

ArrivalTallies::ById* ArrivalTallies::of_kind(DatagramKind kind) {
  switch (kind) {
    case DatagramKind::stream:
      return &streams_;
    case DatagramKind::fan:
      return &fans_;
    case DatagramKind::multicast:
      return &multicasts_;
    case DatagramKind::question:
    case DatagramKind::answer:
      break;
  }
  return nullptr;
}

bool ArrivalTallies::take(const Datagram& datagram, std::int64_t at_ns,
                          std::int64_t receive_call_ns) {
  ById* tallies = of_kind(datagram.kind);
  if (tallies == nullptr) return false;
  const auto tally = tallies->find(datagram.id);
  if (tally == tallies->end() || tally->second.from() != datagram.from) return false;
  tally->second.take(datagram, at_ns, receive_call_ns);
  return true;
}

void ArrivalTallies::report(PartResult& result) {
  for (auto& [id, tally] : streams_) result.streams_in.push_back(tally.report());
  for (auto& [id, tally] : fans_) result.fans_in.push_back(tally.report());
  for (auto& [id, tally] : multicasts_) result.multicasts_in.push_back(tally.report());
}

}  // namespace quadrille::probe
