// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/volley.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace quadrille::probe {
namespace {

// Between two volleys, and after the last: for queues to drain and stragglers to come.
constexpr std::int64_t kPauseNs = 1'000'000;
constexpr std::int64_t kVolleySettleNs = 5'000'000;
// Nothing arrives faster than it was sent: a receiver that was held up found all of it waiting.
constexpr double kTooFast = 1.3;
// A socket takes four frames before it blocks, and the fifth's call begins at once.
constexpr std::uint32_t kSocketFrames = 5;
// Others may take more than was expected.
constexpr double kVolleyMargin = 1.2;

VolleyResult summary(const Volley& volley, const RoundResult& round, std::size_t first) {
  VolleyResult result;
  result.sends.at_once = kSocketFrames;
  result.arrivals.scattered = volley.to.size() > 1;
  for (std::size_t at = first; at < first + volley.from.size() * volley.to.size(); ++at) {
    const StreamResult& stream = round.streams[at];
    result.sent += stream.sent;
    result.received += stream.received;
    result.arrivals.streams.push_back(stream.arrivals);
    // A wrong time of arrival makes the delay wrong by as much: the time of sending is right.
    std::vector<Arrival> sends = stream.arrivals;
    for (Arrival& send : sends) send.at_ns -= send.delay_ns;
    result.sends.streams.push_back(std::move(sends));
  }
  if (const auto arrived = capacity_of(std::vector{result.arrivals}))
    result.arriving_bit_s = arrived->mean_bit_s;
  if (const auto taken = capacity_of(std::vector{result.sends}))
    result.taken_bit_s = taken->mean_bit_s;
  result.sound = result.taken_bit_s > 0 && result.arriving_bit_s < kTooFast * result.taken_bit_s;
  return result;
}

}  // namespace

std::int64_t Volley::expected_ns() const {
  const auto streams = static_cast<double>(from.size() * to.size());
  return std::llround(full_frame_bits(frames) * streams / expected_bit_s * 1e9 * kVolleyMargin) +
         kPauseNs;
}

Result<std::vector<VolleyResult>> fire(Setting& setting, const std::string& purpose,
                                       const std::vector<Volley>& volleys, Order order) {
  if (volleys.empty()) return std::vector<VolleyResult>{};
  Round round;
  round.purpose = purpose;
  round.network = setting.network_index;
  std::int64_t at_ns = 0;
  for (const Volley& volley : volleys) {
    for (const HostIndex from : volley.from)
      for (const HostIndex to : volley.to)
        round.streams.push_back({.from = from,
                                 .to = to,
                                 .at_ns = at_ns,
                                 .count = volley.frames,
                                 .keep_arrivals = true});
    if (order == Order::one_by_one) at_ns += volley.expected_ns();
    round.duration_ns = std::max(round.duration_ns, at_ns + kVolleySettleNs);
    if (order == Order::together)
      round.duration_ns = std::max(round.duration_ns, volley.expected_ns() + kVolleySettleNs);
  }
  auto performed = setting.network.perform(round);
  if (!performed) return performed.error();
  const RoundResult& answer = performed.value();
  const std::set<HostIndex> late(answer.unpunctual.begin(), answer.unpunctual.end());
  const auto is_late = [&](HostIndex host) { return late.contains(host); };

  std::vector<VolleyResult> results;
  std::size_t first = 0;
  for (const Volley& volley : volleys) {
    results.push_back(summary(volley, answer, first));
    results.back().sound = results.back().sound &&
                           std::none_of(volley.from.begin(), volley.from.end(), is_late) &&
                           std::none_of(volley.to.begin(), volley.to.end(), is_late);
    first += volley.from.size() * volley.to.size();
  }
  return results;
}

}  // namespace quadrille::probe
