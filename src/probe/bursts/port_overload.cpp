// SPDX-License-Identifier: BSD-3-Clause
#include "probe/bursts/port_overload.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "probe/rates/capacity.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t kBeforeNs = 4'000'000;  // light datagrams see the idle port first
constexpr std::int64_t kOverloadSettleNs = 5'000'000;
constexpr std::int64_t kLeastLightGapNs = 200'000;
constexpr double kLightSamples = 120;

double overload_s(const Overload& overload, double excess_bytes,
                  const std::vector<HostRates>& rates) {
  const double excess_bit_s =
      offered_bit_s(overload, rates) - rates[overload.receiver].free_in_bit_s();
  return excess_bytes * 8 / excess_bit_s;
}

// The delay beyond the idle port's that nine of ten datagrams in the second half of the overload
// stayed below: a full queue is at times a frame less than full. Senders' clocks are off by a
// constant that the difference does not contain.
std::optional<double> full_delay_ns(const std::vector<Arrival>& light, double begin_ns,
                                    double end_ns) {
  if (light.size() < 8) return std::nullopt;
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> late;
  const double middle_ns = (begin_ns + end_ns) / 2;
  for (const Arrival& arrival : light) {
    all.push_back(arrival.delay_ns);
    const auto sent_ns = static_cast<double>(arrival.at_ns - arrival.delay_ns);
    if (sent_ns >= middle_ns && sent_ns <= end_ns) late.push_back(arrival.delay_ns);
  }
  if (late.size() < 5) return std::nullopt;
  std::sort(all.begin(), all.end());
  std::sort(late.begin(), late.end());
  const std::int64_t idle_ns = all[1];
  // Nonsense is far above the rest.
  const std::int64_t usual_ns = late[late.size() / 2] - idle_ns;
  std::erase_if(late, [&](std::int64_t delay) { return delay - idle_ns > 3 * usual_ns; });
  if (late.empty()) return std::nullopt;
  return static_cast<double>(late[late.size() * 9 / 10] - idle_ns);
}

}  // namespace

double offered_bit_s(const Overload& overload, const std::vector<HostRates>& rates) {
  return std::accumulate(
      overload.senders.begin(), overload.senders.end(), 0.0,
      [&](double sum, HostIndex host) { return sum + rates[host].free_out_bit_s(); });
}

double port_bit_s(const Overload& overload, const std::vector<HostRates>& rates) {
  const MaybeMeasured& in = rates[overload.receiver].in_bit_s;
  return in ? in->low : 0;
}

void add_overload(const Overload& overload, double excess_bytes,
                  const std::vector<HostRates>& rates, Round& round) {
  const double seconds = overload_s(overload, excess_bytes, rates);
  for (const HostIndex from : overload.senders) {
    const double bits = rates[from].free_out_bit_s() * seconds;
    Stream stream{.from = from, .to = overload.receiver, .at_ns = kBeforeNs};
    stream.count = static_cast<std::uint32_t>(std::ceil(bits / 8 / kFullFrameBytes));
    stream.keep_arrivals = !overload.observer;
    // Without an observer the frames' own delays count: they must not wait in the sender as well.
    if (!overload.observer)
      stream.gap_ns = std::llround(kFullFrameBytes * 8 / rates[from].free_out_bit_s() * 1.1e9);
    round.streams.push_back(stream);
  }
  const double drain_s = excess_bytes * 8 / rates[overload.receiver].free_in_bit_s();
  const auto overload_ns = std::llround(seconds * 1e9);
  round.duration_ns = std::max<std::int64_t>(
      round.duration_ns,
      kBeforeNs + overload_ns * 11 / 10 + std::llround(drain_s * 1e9) + kOverloadSettleNs);
  if (!overload.observer) return;
  Stream light{.from = *overload.observer, .to = overload.receiver};
  light.frame_bytes = kLightFrameBytes;
  light.gap_ns =
      std::max<std::int64_t>(kLeastLightGapNs, std::llround(seconds * 1e9 / kLightSamples));
  light.count = static_cast<std::uint32_t>((kBeforeNs + overload_ns) / light.gap_ns + 1);
  light.keep_arrivals = true;
  round.streams.push_back(light);
}

std::optional<BufferSight> sight_of(const Overload& overload, const Round& round,
                                    std::size_t first_stream, const RoundResult& result,
                                    const std::vector<HostRates>& rates) {
  double sent = 0;
  double received = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::vector<Arrival> telling;
  std::int64_t longest_ns = 0;
  for (std::size_t at = first_stream; at < first_stream + overload.senders.size(); ++at) {
    const StreamResult& stream = result.streams[at];
    sent += stream.sent;
    received += stream.received;
    longest_ns = std::max(longest_ns, stream.send_time_ns);
    if (first_ns == 0 || stream.first_arrival_ns < first_ns) first_ns = stream.first_arrival_ns;
    last_ns = std::max(last_ns, stream.last_arrival_ns);
    telling.insert(telling.end(), stream.arrivals.begin(), stream.arrivals.end());
  }
  if (received < 8) return std::nullopt;
  if (overload.observer) telling = result.streams[first_stream + overload.senders.size()].arrivals;
  const double rate = port_bit_s(overload, rates);
  const auto begin_ns = static_cast<double>(round.streams[first_stream].at_ns);
  const auto delay_ns =
      full_delay_ns(telling, begin_ns, begin_ns + static_cast<double>(longest_ns));
  if (!delay_ns) return std::nullopt;
  // A frame may have been on the wire beside those that waited; together with the rate's low end
  // this stays below buffers of five frames as well.
  constexpr double kOnTheWireBytes = 0.37 * kFullFrameBytes;
  const double queued = *delay_ns * 1e-9 * rate / 8;
  // Without an observer, what frames of a sender that was held up waited behind its own counts as
  // well.
  constexpr double kNotInSenders = 0.88;
  const double in_port = (overload.observer ? 1 : kNotInSenders) * queued;
  BufferSight sight{.bytes = std::max(0.0, in_port - kOnTheWireBytes)};
  // Full: of what came beyond what the port passed on and what it held, most was lost. A few lost
  // at random are not that.
  const double passed_on =
      static_cast<double>(longest_ns) * 1e-9 * rates[overload.receiver].free_in_bit_s() / 8;
  const double beyond = sent * kFullFrameBytes - passed_on - queued;
  const double lost = (sent - received) * kFullFrameBytes;
  sight.overflowed = lost > std::max(2.0 * kFullFrameBytes, beyond / 3);
  return sight;
}

}  // namespace quadrille::probe
