// SPDX-License-Identifier: BSD-3-Clause
#include "probe/bursts/safe_burst.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "probe/bursts/port_overload.h"
#include "probe/quantile.h"

namespace quadrille::probe {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Bytes beyond what a port can pass on: four times the buffer that a step is for.
constexpr double kFirstExcess = 32 << 10;
constexpr double kMostExcess = 1 << 20;
constexpr double kGrowth = 4;
constexpr double kLongestS = 0.15;
// A test that is longer than this is not repeated on other ports.
constexpr double kMostRepeated = 128 << 10;
// Less than this is no sign of flow control: the test was too short to tell.
constexpr double kDeep = 200e3;
constexpr std::size_t kMostSenders = 4;
constexpr std::size_t kPortsOfGroup = 3;
// Senders together, of what the port has free: enough to fill it, and little more is lost than need
// be.
constexpr double kWanted = 1.9;
constexpr double kEnough = 1.4;
// The true buffer is at most this times what is called safe.
constexpr double kAbove = 1.5;
// A port that seems to hold less than this of what is usual is looked at again.
constexpr double kLow = 0.75;

class BurstSearch {
 public:
  BurstSearch(Setting& setting, const std::vector<HostRates>& rates)
      : setting_(setting), rates_(rates) {}

  Result<Burst> measure(const PortGroup& group);

 private:
  using Sights = std::vector<std::optional<BufferSight>>;

  std::optional<Overload> plan(HostIndex receiver, std::vector<HostIndex> candidates) const;
  std::optional<Overload> plan_one(const PortGroup& group, HostIndex receiver);
  std::vector<Overload> plan_all(const PortGroup& group, std::size_t turn) const;
  double most_excess(const std::vector<Overload>& overloads) const;
  Result<Sights> overload(const std::string& purpose, const std::vector<Overload>& overloads,
                          double excess_bytes);
  Result<Sights> grow(const std::string& purpose, const std::vector<Overload>& overloads);
  std::optional<Error> look_again(const std::string& purpose,
                                  const std::vector<Overload>& overloads, double usual_bytes,
                                  Sights& sights);
  std::optional<Error> one_port(const PortGroup& group, Burst& burst);
  std::optional<Error> all_ports(const PortGroup& group, Burst& burst);

  Setting& setting_;
  const std::vector<HostRates>& rates_;
  double excess_bytes_ = kFirstExcess;  // at which the last port overflowed
};

// The smallest of several ports.
void take_least(const std::vector<std::optional<BufferSight>>& sights, MaybeMeasured& least,
                bool& lossless) {
  for (const auto& sight : sights) {
    if (!sight) continue;
    if (sight->overflowed) lossless = false;
    const Measured found{sight->bytes, sight->bytes,
                         sight->overflowed ? sight->bytes * kAbove + kFullFrameBytes : kInfinity};
    // What overflowed is a limit, what did not is a lower bound of one.
    const bool smaller =
        !least || (sight->overflowed && std::isinf(least->high)) ||
        (sight->overflowed != std::isinf(least->high) && found.value < least->value);
    if (smaller) least = found;
  }
}

// From the fastest down, as many as it takes.
std::optional<Overload> BurstSearch::plan(HostIndex receiver,
                                          std::vector<HostIndex> candidates) const {
  std::erase(candidates, receiver);
  std::stable_sort(candidates.begin(), candidates.end(), [&](HostIndex one, HostIndex other) {
    return rates_[one].free_out_bit_s() > 1.2 * rates_[other].free_out_bit_s();
  });
  Overload overload{.receiver = receiver, .senders = {}, .observer = std::nullopt};
  const double free = rates_[receiver].free_in_bit_s();
  for (const HostIndex from : candidates) {
    if (overload.senders.size() == kMostSenders) break;
    if (overload.senders.size() >= 2 && offered_bit_s(overload, rates_) >= kWanted * free) break;
    overload.senders.push_back(from);
  }
  if (free <= 0 || overload.senders.size() < 2) return std::nullopt;
  if (offered_bit_s(overload, rates_) < kEnough * free) return std::nullopt;
  return overload;
}

// With senders of the same group only: a trunk between would fill in place of the port.
std::optional<Overload> BurstSearch::plan_one(const PortGroup& group, HostIndex receiver) {
  std::vector<HostIndex> near = group.hosts;
  std::shuffle(near.begin(), near.end(), setting_.chance);
  auto overload = plan(receiver, near);
  if (!overload) return std::nullopt;
  const auto idle = [&](HostIndex host) {
    return host != receiver && std::find(overload->senders.begin(), overload->senders.end(),
                                         host) == overload->senders.end();
  };
  // From elsewhere, light datagrams would come when all is over: trunks may be long.
  const auto found = std::find_if(near.begin(), near.end(), idle);
  if (found != near.end()) overload->observer = *found;
  return overload;
}

// As many ports as can be overloaded at once by the hosts that do not receive. A receiver's own
// cable is idle outwards: receivers observe one another.
std::vector<Overload> BurstSearch::plan_all(const PortGroup& group, std::size_t turn) const {
  std::vector<HostIndex> left = group.hosts;
  std::rotate(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(turn % left.size()),
              left.end());
  std::vector<Overload> overloads;
  while (left.size() >= 3) {
    const HostIndex receiver = left.front();
    left.erase(left.begin());
    auto overload = plan(receiver, left);
    if (!overload) continue;
    std::erase_if(left, [&](HostIndex host) {
      return std::find(overload->senders.begin(), overload->senders.end(), host) !=
             overload->senders.end();
    });
    overloads.push_back(std::move(*overload));
  }
  for (std::size_t at = 0; at < overloads.size() && overloads.size() > 1; ++at)
    overloads[at].observer = overloads[(at + 1) % overloads.size()].receiver;
  return overloads;
}

double BurstSearch::most_excess(const std::vector<Overload>& overloads) const {
  double most = kMostExcess;
  for (const Overload& one : overloads) {
    const double excess_bit_s = offered_bit_s(one, rates_) - rates_[one.receiver].free_in_bit_s();
    most = std::min(most, kLongestS * excess_bit_s / 8);
  }
  return most;
}

Result<BurstSearch::Sights> BurstSearch::overload(const std::string& purpose,
                                                  const std::vector<Overload>& overloads,
                                                  double excess_bytes) {
  Round round;
  round.purpose = purpose;
  round.network = setting_.network_index;
  std::vector<std::size_t> first;
  for (const Overload& one : overloads) {
    first.push_back(round.streams.size());
    add_overload(one, excess_bytes, rates_, round);
  }
  auto performed = setting_.network.perform(round);
  if (!performed) return performed.error();
  Sights sights;
  for (std::size_t at = 0; at < overloads.size(); ++at)
    sights.push_back(sight_of(overloads[at], round, first[at], performed.value(), rates_));
  return sights;
}

// More and more, until something overflows or the bound is reached; then once more where the
// overflow was just reached, so that the queue was full for most of the time.
Result<BurstSearch::Sights> BurstSearch::grow(const std::string& purpose,
                                              const std::vector<Overload>& overloads) {
  const double most = most_excess(overloads);
  for (;;) {
    const bool last = excess_bytes_ > kMostRepeated || excess_bytes_ >= most;
    const double excess = last ? most : excess_bytes_;
    auto sights = overload(purpose, overloads, excess);
    if (!sights || last || setting_.depth == Depth::quick) return sights;
    const bool enough = std::any_of(
        sights.value().begin(), sights.value().end(), [&](const std::optional<BufferSight>& one) {
          return one && one->overflowed && one->bytes + kFullFrameBytes < excess / 2;
        });
    if (enough) return sights;
    excess_bytes_ = excess * kGrowth;
  }
}

// A sender that was held up leaves the queue half empty, so a port looks smaller than it is and
// never larger: of one that holds far less than usual the larger of two sights counts.
std::optional<Error> BurstSearch::look_again(const std::string& purpose,
                                             const std::vector<Overload>& overloads,
                                             double usual_bytes, Sights& sights) {
  const auto is_low = [&](const std::optional<BufferSight>& sight) {
    return sight && sight->overflowed && sight->bytes < kLow * usual_bytes;
  };
  if (std::ranges::none_of(sights, is_low)) return std::nullopt;
  const auto again = overload(purpose, overloads, excess_bytes_);
  if (!again) return again.error();
  for (std::size_t at = 0; at < sights.size(); ++at) {
    const auto& second = again.value()[at];
    if (is_low(sights[at]) && second && second->overflowed && second->bytes > sights[at]->bytes)
      sights[at] = second;
  }
  return std::nullopt;
}

std::optional<Error> BurstSearch::all_ports(const PortGroup& group, Burst& burst) {
  constexpr std::size_t kTurns = 3;
  bool lossless = true;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    const auto overloads = plan_all(group, turn);
    // One receiver is what was measured already.
    if (overloads.size() < 2) break;
    if (turn > 0 && excess_bytes_ > kMostRepeated) break;
    const std::string purpose = "all ports of a switch overloaded";
    auto sights = grow(purpose, overloads);
    if (!sights) return sights.error();
    const double usual_bytes = burst.one_port_bytes->value;
    if (auto error = look_again(purpose, overloads, usual_bytes, sights.value())) return error;
    take_least(sights.value(), burst.all_ports_bytes, lossless);
  }
  if (!burst.all_ports_bytes) burst.all_ports_bytes = burst.one_port_bytes;
  burst.lossless = burst.lossless && lossless && burst.all_ports_bytes->value > kDeep;
  return std::nullopt;
}

std::optional<Error> BurstSearch::one_port(const PortGroup& group, Burst& burst) {
  const std::string purpose = "a port overloaded";
  std::vector<HostIndex> receivers = group.hosts;
  std::shuffle(receivers.begin(), receivers.end(), setting_.chance);
  const std::size_t most = setting_.depth == Depth::quick ? 1 : kPortsOfGroup;
  receivers.resize(std::min(receivers.size(), most));
  std::vector<Overload> ports;
  std::vector<Sights> seen;  // [ports], of one each
  std::vector<double> held_bytes;
  for (const HostIndex receiver : receivers) {
    const auto overload = plan_one(group, receiver);
    if (!overload) continue;
    if (!held_bytes.empty() && excess_bytes_ > kMostRepeated) break;
    auto sights = grow(purpose, {*overload});
    if (!sights) return sights.error();
    ports.push_back(*overload);
    seen.push_back(std::move(sights.value()));
    if (seen.back().front()) held_bytes.push_back(seen.back().front()->bytes);
  }
  const double usual_bytes = median(std::move(held_bytes));
  bool lossless = true;
  for (std::size_t at = 0; at < ports.size(); ++at) {
    if (auto error = look_again(purpose, {ports[at]}, usual_bytes, seen[at])) return error;
    take_least(seen[at], burst.one_port_bytes, lossless);
  }
  burst.lossless = burst.one_port_bytes && lossless && burst.one_port_bytes->value > kDeep;
  return std::nullopt;
}

Result<Burst> BurstSearch::measure(const PortGroup& group) {
  Burst burst;
  if (group.kind == SegmentKind::bus || setting_.hosts.size() < 3 || group.hosts.empty())
    return burst;
  const bool quick = setting_.depth == Depth::quick;
  excess_bytes_ = quick ? 2 * kFirstExcess : kFirstExcess;
  if (auto error = one_port(group, burst)) return *error;
  if (quick || !burst.one_port_bytes) return burst;
  if (auto error = all_ports(group, burst)) return *error;
  return burst;
}

}  // namespace

Result<std::vector<Burst>> measure_safe_bursts(Setting& setting,
                                               const std::vector<PortGroup>& groups,
                                               const std::vector<HostRates>& rates) {
  std::vector<Burst> bursts;
  BurstSearch search(setting, rates);
  for (const PortGroup& group : groups) {
    auto burst = search.measure(group);
    if (!burst) return burst.error();
    bursts.push_back(burst.value());
  }
  return bursts;
}

}  // namespace quadrille::probe
