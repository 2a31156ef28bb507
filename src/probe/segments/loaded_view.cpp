// SPDX-License-Identifier: BSD-3-Clause
// Composes the round of a load and reads the waits out of its result.
#include "probe/segments/loaded_view.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "probe/quantile.h"
#include "probe/rates/host_rates.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t kQuietNs = 30 * kMillisecond;  // light datagrams alone, before the load
constexpr std::int64_t kTailNs = 20 * kMillisecond;   // for the last to arrive
constexpr std::int64_t kQuickTailNs = 10 * kMillisecond;
constexpr double kMostUse = 0.96;        // of a cable, by us alone
constexpr double kQuiet = 0.96;          // of a cable is free: others have nothing of it
constexpr double kMostSharedUse = 0.92;  // with others' random traffic
constexpr std::uint32_t kQuietPasses = 3;
// The load has filled its queues when the light datagrams begin.
constexpr double kFillShare = 0.35;
constexpr std::int64_t kLongestDrainNs = 500 * kMillisecond;
constexpr std::int64_t kMostLeftNs = 25 * kMillisecond;  // more is waited for on its own
constexpr int kMostDrains = 6;
constexpr std::size_t kDrainTargets = 4;
constexpr std::int64_t kLeastFloorNs = 150'000;  // scheduling noise of a busy host
constexpr double kBusShare = 0.8;     // of a bus's free rate that all its hosts together may take
constexpr double kLightShare = 0.05;  // of a usual cable, at most, that light datagrams take
constexpr int kMostLonger = 3;        // times a load's duration, for that
constexpr double kUsualBitS = 10e6;   // of a cable: through slower ones go as many frames
constexpr double kMostSlowness = 5;   // of a cable that gets its frames through
constexpr double kBesideOthers = 2;   // times as long, as their traffic comes and goes
constexpr double kQuickShare = 0.5;   // of a load's duration, when a program starts
constexpr std::int64_t kUnseen = std::numeric_limits<std::int64_t>::max();

HostSet landmarks_of(const Load& load, const HostSet& all) {
  if (load.landmarks.empty()) return all;
  return joined(load.landmarks, load.near);
}

// Each host begins its turn at another one, so that light datagrams do not meet at one port.
HostSet targets_of(HostIndex host, const Load& load, const HostSet& all) {
  const bool everybody = load.landmarks.empty() || contains(load.landmarks, host);
  HostSet targets = everybody ? all : load.landmarks;
  if (!everybody && contains(load.group, host)) {
    targets = joined(targets, contains(load.near, host) ? load.group : load.near);
  }
  targets.erase(std::remove(targets.begin(), targets.end(), host), targets.end());
  std::rotate(targets.begin(), std::upper_bound(targets.begin(), targets.end(), host),
              targets.end());
  return targets;
}

// How long to wait for a queue that was found to take `backlog_ns` to empty.
std::int64_t with_margin(std::int64_t backlog_ns) { return backlog_ns + backlog_ns / 3; }

// Not the largest: some samples are grossly wrong.
std::int64_t longest_of(std::vector<std::int64_t> waits) {
  return std::max<std::int64_t>(quantile(std::move(waits), 19, 20), 0);
}

Stream stream_of(const Flow& flow, std::int64_t at_ns, std::int64_t duration_ns) {
  const double gap_ns = kFullFrameBytes * 8e9 / flow.rate_bit_s;
  return {
      .from = flow.from,
      .to = flow.to,
      .at_ns = at_ns,
      .count = std::max(1U, static_cast<std::uint32_t>(static_cast<double>(duration_ns) / gap_ns)),
      .frame_bytes = kFullFrameBytes,
      .gap_ns = static_cast<std::int64_t>(gap_ns)};
}

// Lowers what is free of a cable so that a flow of kCableShare of it, with what others send, does
// not use more than kMostSharedUse: beyond, random traffic alone makes its queue stand.
void leave_room(const MaybeMeasured& capacity, double& free_bit_s) {
  if (!capacity || free_bit_s <= 0 || free_bit_s > kQuiet * capacity->value) return;
  const double others_bit_s = capacity->value - free_bit_s;
  const double room = (kMostSharedUse * capacity->value - others_bit_s) / kMostUse;
  free_bit_s = std::clamp(room, 0.1 * capacity->value, free_bit_s);
}

}  // namespace

LoadedViews::LoadedViews(Setting& setting, std::vector<HostRates> cables)
    : setting_(setting), idle_delay_ns_(cables.size(), kUnseen) {
  use(std::move(cables));
}

void LoadedViews::use(std::vector<HostRates> cables) {
  cables_ = std::move(cables);
  rates_ = cables_;
  for (HostRates& rates : rates_) {
    leave_room(rates.out_bit_s, rates.usual_out_bit_s);
    leave_room(rates.in_bit_s, rates.usual_in_bit_s);
  }
  room_ = one_way_rates_ = rates_;
}

void LoadedViews::share_bus(const HostSet& bus) {
  for (const HostIndex host : bus) {
    for (const auto& [shared, ways] :
         {std::pair{&rates_[host], 2}, std::pair{&one_way_rates_[host], 1}}) {
      const double share = kBusShare / (ways * static_cast<double>(bus.size()));
      shared->usual_out_bit_s = share * cables_[host].free_out_bit_s();
      shared->usual_in_bit_s = share * cables_[host].free_in_bit_s();
    }
  }
}

double arrived_together_bit_s(const std::vector<FlowOutcome>& flows) {
  std::int64_t first = kUnseen;
  std::int64_t last = 0;
  std::uint64_t frames = 0;
  for (const FlowOutcome& flow : flows) {
    if (flow.received == 0) continue;
    first = std::min(first, flow.first_arrival_ns);
    last = std::max(last, flow.last_arrival_ns);
    frames += flow.received;
  }
  return frames > 1 && last > first ? static_cast<double>(frames - 1) * kFullFrameBytes * 8e9 /
                                          static_cast<double>(last - first)
                                    : 0;
}

double light_bit_s(const LoadedView& view, const HostSet& senders, const HostSet& receivers) {
  double sum = 0;
  for (const HostIndex sender : senders) {
    for (const HostIndex receiver : receivers) sum += view.light_bit_s.at(sender, receiver);
  }
  return sum;
}

std::int64_t LoadedViews::floor_ns(HostIndex from, HostIndex to) const {
  const double out = rates_[from].out_bit_s ? rates_[from].out_bit_s->value : 0;
  const double in = rates_[to].in_bit_s ? rates_[to].in_bit_s->value : 0;
  const double slower = out > 0 && in > 0 ? std::min(out, in) : std::max(out, in);
  const double frame_ns = slower > 0 ? kFullFrameBytes * 8e9 / slower : 0;
  return std::max(kLeastFloorNs, static_cast<std::int64_t>(1.1 * frame_ns));
}

bool LoadedViews::standing(const LoadedView& view, HostIndex from, HostIndex to) const {
  return is_standing(view.waits.at(from, to), floor_ns(from, to));
}

bool is_standing(const Wait& wait, std::int64_t floor_ns) {
  const auto longest = std::max(wait.first_half_ns, wait.second_half_ns);
  return wait.known && wait.least_ns() > floor_ns && wait.least_ns() * 3 > longest;
}

// The flows, thinner where light datagrams would fill what they leave of a cable.
std::vector<Flow> LoadedViews::beside_fans(const std::vector<Flow>& flows,
                                           const std::vector<Fan>& fans,
                                           const HostSet& filled) const {
  struct Use {
    double flows_bit_s = 0;
    double light_bit_s = 0;
    double factor(double free_bit_s) const {
      const double left = std::max(kMostUse * free_bit_s - light_bit_s, 0.0);
      return flows_bit_s > left ? left / flows_bit_s : 1;
    }
  };
  std::vector<Use> out(cables_.size());
  std::vector<Use> in(cables_.size());
  for (const Flow& flow : flows) {
    out[flow.from].flows_bit_s += flow.rate_bit_s;
    in[flow.to].flows_bit_s += flow.rate_bit_s;
  }
  for (const Fan& fan : fans) {
    const double light = fan.passes * kLightFrameBytes * 8e9 / static_cast<double>(fan.duration_ns);
    out[fan.from].light_bit_s += light * static_cast<double>(fan.to.size());
    for (const HostIndex target : fan.to) in[target].light_bit_s += light;
  }
  std::vector<Flow> thinner = flows;
  for (Flow& flow : thinner) {
    flow.rate_bit_s *= std::min(
        out[flow.from].factor(room_[flow.from].free_out_bit_s()),
        contains(filled, flow.to) ? 1 : in[flow.to].factor(room_[flow.to].free_in_bit_s()));
  }
  return thinner;
}

// As many frames as on usual cables, and long enough for light datagrams to leave the cables to the
// flows: of what they take, flows that would just fill a trunk do not. What a few landmarks take of
// their own cables does no harm.
std::int64_t LoadedViews::duration_ns(const Load& load) const {
  std::vector<double> slowness;
  std::vector<std::int64_t> least;
  const HostSet landmarks = landmarks_of(load, setting_.hosts);
  for (const HostIndex host : landmarks.size() > kFewLandmarks ? landmarks : setting_.hosts) {
    const double free = cables_[host].free_out_bit_s();
    if (free <= 0) continue;
    const MaybeMeasured& all = cables_[host].out_bit_s;
    slowness.push_back(std::clamp(kUsualBitS / (all ? all->value : free), 1.0, kMostSlowness));
    const auto ways = static_cast<double>(targets_of(host, load, setting_.hosts).size());
    const double half_ns = ways * load.passes * kLightFrameBytes * 8e9 / (kLightShare * free);
    least.push_back(static_cast<std::int64_t>(2 * half_ns / (1 - kFillShare)));
  }
  if (least.empty()) return load.duration_ns;
  double times = kQuickShare;
  if (setting_.depth != Depth::quick) {
    const bool is_longer = load.group.empty() && !quiet(cables_);
    times = median(std::move(slowness)) * (is_longer ? kBesideOthers : 1);
  }
  const auto usual = static_cast<std::int64_t>(times * static_cast<double>(load.duration_ns));
  if (!load.group.empty()) return usual;
  return std::clamp(median(std::move(least)), usual, kMostLonger * usual);
}

// Whether all delays in the idle network are known that the load's are compared with.
bool LoadedViews::idle_known(const Load& load) const {
  return std::ranges::all_of(setting_.hosts, [&](HostIndex host) {
    return std::ranges::all_of(targets_of(host, load, setting_.hosts), [&](HostIndex target) {
      return idle_delay_ns_.at(host, target) != kUnseen;
    });
  });
}

Round LoadedViews::compose(const Load& load) const {
  // What little the last load left is waited for before anything is sent.
  const std::int64_t quiet_at = with_margin(backlog_ns_);
  const bool quiet_first = !idle_known(load);
  const auto begin = quiet_at + (quiet_first ? kQuietNs + 10 * kMillisecond : 0);
  const std::int64_t duration = duration_ns(load);
  const auto fill = static_cast<std::int64_t>(kFillShare * static_cast<double>(duration));
  const auto half = (duration - fill) / 2;
  Round round;
  round.purpose = load.purpose;
  round.network = setting_.network_index;
  const auto add_fans = [&](std::int64_t at, std::int64_t length, std::uint32_t passes) {
    for (const HostIndex host : setting_.hosts)
      round.fans.push_back({host, targets_of(host, load, setting_.hosts), at, length, passes});
  };
  add_fans(begin + fill, half, load.passes);
  add_fans(begin + fill + half, half, load.passes);
  if (quiet_first) add_fans(quiet_at, kQuietNs, kQuietPasses);
  const std::vector<Fan> fans_of_a_half(
      round.fans.begin(), round.fans.begin() + static_cast<std::ptrdiff_t>(setting_.hosts.size()));
  const std::vector<Flow> flows = beside_fans(load.flows, fans_of_a_half, load.filled);
  std::vector<std::int64_t> flows_of(rates_.size());
  for (const Flow& flow : flows) ++flows_of[flow.from];
  std::vector<std::int64_t> before(rates_.size());  // of its flows
  for (const Flow& flow : flows) {
    // Frames of one host's flows do not leave at the same moment: they would wait for each other.
    const std::int64_t turn = before[flow.from]++;
    if (flow.rate_bit_s <= 0) continue;
    Stream stream = stream_of(flow, begin, duration);
    stream.at_ns += stream.gap_ns * turn / flows_of[flow.from];
    round.streams.push_back(stream);
  }
  round.duration_ns = begin + duration + (setting_.depth == Depth::quick ? kQuickTailNs : kTailNs);
  return round;
}

LoadedView LoadedViews::read(const Load& load, const Round& round, const RoundResult& result) {
  LoadedView view{PairTable<Wait>(rates_.size()),
                  PairTable<double>(rates_.size()),
                  landmarks_of(load, setting_.hosts),
                  {}};
  const std::size_t hosts = setting_.hosts.size();
  const Fan& second_half = round.fans[hosts];
  const double load_ns = 2 * static_cast<double>(second_half.duration_ns) / (1 - kFillShare);
  const std::int64_t still_waiting_ns = round.duration_ns - second_half.at_ns;
  std::vector<std::int64_t> last_waits;
  for (std::size_t sender = 0; sender < hosts; ++sender) {
    const auto& targets = round.fans[sender].to;
    for (std::size_t at = 0; at < targets.size(); ++at) {
      auto& idle = idle_delay_ns_.at(round.fans[sender].from, targets[at]);
      for (std::size_t set = sender; set < round.fans.size(); set += hosts) {
        const FanResult& fan = result.fans[set][at];
        if (fan.received > 0) idle = std::min(idle, fan.least_delay_ns);
      }
      const std::array halves{&result.fans[sender][at], &result.fans[hosts + sender][at]};
      if (idle == kUnseen) continue;
      const auto wait = [&](std::size_t own, std::size_t other) {
        if (halves[own]->received > 0) return halves[own]->least_delay_ns - idle;
        // A queue that lets nothing through is as full as one can be: the other half stands for
        // both, and where it is empty too, everything still waits.
        return halves[other]->received > 0 ? halves[other]->least_delay_ns - idle
                                           : still_waiting_ns;
      };
      const auto received = static_cast<double>(halves[0]->received + halves[1]->received);
      view.light_bit_s.at(round.fans[sender].from, targets[at]) =
          received * kLightFrameBytes * 8e9 / load_ns;
      view.waits.at(round.fans[sender].from, targets[at]) = {true, wait(0, 1), wait(1, 0)};
      last_waits.push_back(wait(1, 0));
    }
  }
  backlog_ns_ = std::max<std::int64_t>(longest_of(std::move(last_waits)) - result.left_ns, 0);
  for (std::size_t at = 0; at < round.streams.size(); ++at) {
    const StreamResult& stream = result.streams[at];
    const Stream& sent = round.streams[at];
    FlowOutcome outcome{
        .flow = {sent.from, sent.to, kFullFrameBytes * 8e9 / static_cast<double>(sent.gap_ns)},
        .received = stream.received,
        .first_arrival_ns = stream.first_arrival_ns,
        .last_arrival_ns = stream.last_arrival_ns};
    if (stream.received > 1) {
      const auto spread =
          std::max<std::int64_t>(stream.last_arrival_ns - stream.first_arrival_ns, 1);
      outcome.arrived_bit_s =
          (stream.received - 1) * kFullFrameBytes * 8e9 / static_cast<double>(spread);
    }
    view.flows.push_back(outcome);
  }
  return view;
}

// Waits until what the last load left in the queues is gone: light datagrams find their idle delays
// again.
Result<bool> LoadedViews::drain() {
  for (int tries = 0; backlog_ns_ > kMostLeftNs && tries < kMostDrains; ++tries) {
    Round round;
    round.purpose = "waiting for queues to empty";
    round.network = setting_.network_index;
    // Most queues are empty by now: it is asked first, and waited only where they are not.
    const auto start = tries == 0 ? 0 : std::min(with_margin(backlog_ns_), kLongestDrainNs);
    for (const HostIndex host : setting_.hosts) {
      HostSet some;
      std::sample(setting_.hosts.begin(), setting_.hosts.end(), std::back_inserter(some),
                  kDrainTargets, setting_.chance);
      some.erase(std::remove(some.begin(), some.end(), host), some.end());
      round.fans.push_back({host, some, start, 4 * kMillisecond, 1});
    }
    round.duration_ns = start + 40 * kMillisecond;
    const auto result = setting_.network.perform(round);
    if (!result.ok()) return result.error();
    std::vector<std::int64_t> waits;
    for (std::size_t at = 0; at < round.fans.size(); ++at) {
      for (std::size_t target = 0; target < round.fans[at].to.size(); ++target) {
        const auto idle = idle_delay_ns_.at(round.fans[at].from, round.fans[at].to[target]);
        const FanResult& seen = result.value().fans[at][target];
        if (idle == kUnseen) continue;
        waits.push_back(seen.received > 0 ? seen.least_delay_ns - idle : 36 * kMillisecond);
      }
    }
    backlog_ns_ = longest_of(std::move(waits));
  }
  return true;
}

std::optional<Error> LoadedViews::settle() {
  if (const auto drained = drain(); !drained.ok()) return drained.error();
  if (backlog_ns_ == 0) return std::nullopt;
  Round silence;
  silence.purpose = "waiting for queues to empty";
  silence.network = setting_.network_index;
  silence.duration_ns = with_margin(backlog_ns_);
  backlog_ns_ = 0;
  const auto waited = setting_.network.perform(silence);
  return waited.ok() ? std::nullopt : std::optional(waited.error());
}

void LoadedViews::keep_crossing(const HostSet& inside, double arrived_bit_s) {
  double& most = crossing_bit_s_[inside];
  most = std::max(most, arrived_bit_s);
}

double LoadedViews::crossing_bit_s(const HostSet& inside) const {
  const auto known = crossing_bit_s_.find(inside);
  return known == crossing_bit_s_.end() ? std::numeric_limits<double>::infinity() : known->second;
}

Result<LoadedView> LoadedViews::observe(const Load& load) {
  if (const auto drained = drain(); !drained.ok()) return drained.error();
  const Round round = compose(load);
  auto result = setting_.network.perform(round);
  if (!result.ok()) return result.error();
  return read(load, round, result.value());
}

}  // namespace quadrille::probe
