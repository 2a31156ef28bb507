// SPDX-License-Identifier: BSD-3-Clause
#include "probe/investigation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "network/model/model_checks.h"
#include "probe/bursts/safe_burst.h"
#include "probe/conclusion.h"
#include "probe/counted_network.h"
#include "probe/latency/delay_classes.h"
#include "probe/rates/host_rates.h"
#include "probe/reach/choose_network.h"
#include "probe/segments/bus_search.h"
#include "probe/trunks/trunk_search.h"

namespace quadrille::probe {
namespace {

class Investigation {
 public:
  Investigation(Network& network, const Options& options)
      : network_(network, options.progress),
        options_(options),
        setting_{network_, 0, {}, options.depth, std::mt19937_64(options.seed)} {}

  Result<NetworkModel> run() {
    struct Phase {
      double from;  // share of the whole that is done when it begins
      std::optional<Error> (Investigation::*measure)();  // returns what failed, or nothing
      const char* optional = nullptr;  // what stays unknown where no time is left at start
    };
    const std::vector<Phase> phases{{0.0, &Investigation::choose},
                                    {0.05, &Investigation::time_pairs},
                                    {0.15, &Investigation::measure_cables},
                                    {0.3, &Investigation::partition},
                                    {0.55, &Investigation::measure_cables_again},
                                    {0.65, &Investigation::join},
                                    {0.8, &Investigation::overload, "safe bursts"},
                                    {0.9, &Investigation::multicast, "multicast"},
                                    {0.95, &Investigation::time_hosts},
                                    {0.97, &Investigation::multicast_again}};
    for (std::size_t at = 0; at < phases.size(); ++at) {
      const Phase& phase = phases[at];
      network_.reached(phase.from, at + 1 < phases.size() ? phases[at + 1].from : 1);
      const auto failed = (this->*phase.measure)();
      if (!failed) continue;
      const bool late = failed->kind == ErrorKind::timeout;
      if (full() || phase.optional == nullptr || !late) return *failed;
      findings_.left_out.push_back(
          {"left_out", std::string(phase.optional) + ": " + failed->message, {}});
    }
    return model();
  }

 private:
  bool full() const { return options_.depth == Depth::full; }
  std::optional<Error> choose();
  std::optional<Error> time_pairs();
  std::optional<Error> measure_cables();
  std::optional<Error> partition();
  std::optional<Error> measure_cables_again();
  std::optional<Error> join();
  std::optional<Error> overload();
  std::optional<Error> multicast();
  std::optional<Error> time_hosts();
  std::optional<Error> multicast_again();
  Result<NetworkModel> model();
  void use_rates();

  CountedNetwork network_;
  const Options& options_;
  Setting setting_;
  Findings findings_;
  std::optional<LoadedViews> views_;
};

std::optional<Error> Investigation::choose() {
  auto choice = choose_network(network_, options_.depth, options_.seed);
  if (!choice.ok()) return choice.error();
  findings_.choice = std::move(choice.value());
  setting_.network_index = findings_.choice.network;
  setting_.hosts = findings_.choice.hosts;
  return std::nullopt;
}

std::optional<Error> Investigation::time_pairs() {
  if (!full()) return std::nullopt;
  auto latencies = measure_pair_latency(setting_);
  if (!latencies.ok()) return latencies.error();
  findings_.latencies = std::move(latencies.value());
  return std::nullopt;
}

std::optional<Error> Investigation::measure_cables() {
  auto rates = measure_host_rates(setting_);
  if (!rates.ok()) return rates.error();
  findings_.rates = std::move(rates.value());
  return std::nullopt;
}

// The hosts that latency alone tells apart.
std::vector<HostSet> distant_of(const Findings& findings) {
  std::vector<HostSet> sets;
  if (!findings.latencies) return sets;
  const auto distant = latency_partition(findings.latencies->small, findings.choice.hosts);
  if (!distant) return sets;
  for (std::size_t at = 0; at < distant->size(); ++at) {
    const std::uint32_t part = (*distant)[at];
    if (sets.size() <= part) sets.resize(part + 1);
    sets[part].push_back(findings.choice.hosts[at]);
  }
  return sets;
}

void Investigation::use_rates() {
  views_->use(findings_.rates);
  for (const Bus& bus : findings_.buses) views_->share_bus(bus.hosts);
}

std::optional<Error> Investigation::partition() {
  views_.emplace(setting_, findings_.rates);
  auto buses = find_buses(*views_);
  if (!buses.ok()) return buses.error();
  findings_.buses = std::move(buses.value().buses);
  settle_bus_rates(findings_.buses, findings_.rates);
  use_rates();
  PartitionHints hints;
  hints.was_clear = buses.value().all_clear;
  hints.apart = distant_of(findings_);
  for (const Bus& bus : findings_.buses) hints.buses.push_back(bus.hosts);
  if (findings_.latencies)
    hints.near_first = ordered_by_distance(findings_.latencies->small, setting_.hosts);
  auto partition = find_segments(*views_, hints);
  if (!partition.ok()) return partition.error();
  findings_.partition = std::move(partition.value());
  // Distance that nothing else explains is a division too: what lies between may be too fast to be
  // filled.
  auto sets = findings_.partition.segments;
  sets.insert(sets.end(), hints.apart.begin(), hints.apart.end());
  findings_.partition.segments = common_refinement(setting_.hosts, sets);
  return std::nullopt;
}

// Between hosts of one switch nothing limits but their own cables: what was measured across others
// may have been slower. Beside others' traffic a cable measured once is misread now and then.
std::optional<Error> Investigation::measure_cables_again() {
  const auto kinds = kinds_of(findings_);
  if (!full() || (kinds.size() < 2 && quiet(findings_.rates))) return std::nullopt;
  if (auto error = views_->settle()) return error;
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    if (kinds[at] == SegmentKind::bus || findings_.partition.segments[at].size() < 2) continue;
    Setting inside = setting_;
    inside.hosts = findings_.partition.segments[at];
    const auto again = measure_host_rates(inside);
    if (!again.ok()) return again.error();
    settle_cable_rates(inside.hosts, again.value(), findings_.rates);
  }
  use_rates();
  return std::nullopt;
}

std::optional<Error> Investigation::join() {
  if (!full()) return std::nullopt;
  auto trunks = find_trunks(*views_, findings_.partition.segments, kinds_of(findings_),
                            findings_.partition.proven);
  if (!trunks.ok()) return trunks.error();
  findings_.trunks = std::move(trunks.value());
  return std::nullopt;
}

// A port that the last load left full looks shallower than it is.
std::optional<Error> Investigation::overload() {
  if (auto error = views_->settle()) return error;
  std::vector<PortGroup> groups;
  const auto kinds = kinds_of(findings_);
  for (std::size_t at = 0; at < kinds.size(); ++at)
    groups.push_back({findings_.partition.segments[at], kinds[at]});
  auto bursts = measure_safe_bursts(setting_, groups, findings_.rates);
  if (!bursts.ok()) return bursts.error();
  findings_.bursts = std::move(bursts.value());
  return std::nullopt;
}

std::optional<Error> Investigation::multicast() {
  auto reach = measure_multicast_reach(setting_, findings_.partition.segments, findings_.rates);
  if (!reach.ok()) return reach.error();
  findings_.multicast = std::move(reach.value());
  return std::nullopt;
}

std::optional<Error> Investigation::time_hosts() {
  if (!full()) return std::nullopt;
  auto overheads = measure_host_overheads(setting_, findings_.rates);
  if (!overheads.ok()) return overheads.error();
  findings_.overheads = std::move(overheads.value());
  return std::nullopt;
}

std::optional<Error> Investigation::multicast_again() {
  if (!findings_.multicast) return std::nullopt;
  const auto works = [](const GroupMulticast& group) { return group.works.value_or(false); };
  const auto& groups = findings_.multicast->groups;
  if (options_.multicast_after_ns <= 0 || std::none_of(groups.begin(), groups.end(), works))
    return std::nullopt;
  const std::int64_t due = findings_.multicast->tried_at_ns + options_.multicast_after_ns;
  while (network_.elapsed_ns() < due) {
    Round wait;
    wait.purpose = "waiting whether multicast goes on working";
    wait.network = setting_.network_index;
    wait.duration_ns = std::min<std::int64_t>(due - network_.elapsed_ns(), 2'000'000'000);
    if (const auto waited = network_.perform(wait); !waited.ok()) return waited.error();
  }
  auto again =
      multicast_keeps_working(setting_, findings_.partition.segments, *findings_.multicast);
  if (!again.ok()) return again.error();
  findings_.multicast_again = std::move(again.value());
  return std::nullopt;
}

Result<NetworkModel> Investigation::model() {
  NetworkModel model = conclude(network_, findings_);
  Provenance& made = model.provenance;
  made.mode = full() ? "full" : "quick";
  made.seconds = static_cast<double>(network_.elapsed_ns()) / 1e9;
  made.rounds = network_.rounds();
  made.sent_bytes = network_.sent_bytes();
  double slowest = 0;
  for (const ModelHost& host : model.hosts) {
    if (host.from_host_bit_s && (slowest == 0 || host.from_host_bit_s->value < slowest))
      slowest = host.from_host_bit_s->value;
  }
  if (slowest > 0 && made.seconds > 0) {
    made.most_load_share = std::min(
        1.0, static_cast<double>(network_.most_sent_bytes()) * 8 / (slowest * made.seconds));
  }
  if (auto wrong = check_model(model)) return *wrong;
  return model;
}

}  // namespace

Result<NetworkModel> investigate(Network& network, const Options& options) {
  return Investigation(network, options).run();
}

}  // namespace quadrille::probe
