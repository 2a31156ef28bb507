// SPDX-License-Identifier: BSD-3-Clause
// Keys here, in python/quadrille/contracts.py and in schemas/results.json are the same;
// results_test checks the examples that all three share.
#include "apps/bench/results.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/bench/statistics.h"

namespace quadrille::bench {
namespace {

Line nullable(const std::string& text) { return text.empty() ? Line(nullptr) : Line(text); }
std::int64_t rounded(double value) { return std::llround(value); }

const char* name_of(Synchronisation synchronisation) {
  return synchronisation == Synchronisation::instant ? "instant" : "none";
}

Line hosts_of(const std::vector<Machine>& machines) {
  Line hosts = Line::array();
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Line& host) {
      return host["name"] == machines[rank].host;
    });
    if (found != hosts.end()) {
      (*found)["ranks"].push_back(rank);
      continue;
    }
    const Machine& machine = machines[rank];
    hosts.push_back({{"name", machine.host},
                     {"ranks", {rank}},
                     {"kernel", machine.kernel},
                     {"cpu", machine.cpu},
                     {"cores", machine.cores},
                     {"tcp_congestion_control", machine.tcp_congestion_control}});
  }
  return hosts;
}

std::vector<std::int64_t> durations(const std::vector<Sample>& samples,
                                    std::int64_t Sample::*which) {
  std::vector<std::int64_t> values;
  values.reserve(samples.size());
  for (const auto& sample : samples) values.push_back(sample.*which);
  return values;
}

// Neighbouring samples with the same executor as one entry.
Line executions_of(const std::vector<Sample>& samples) {
  Line runs = Line::array();
  const Execution* latest = nullptr;
  for (const auto& sample : samples) {
    if (latest != nullptr && *latest == sample.execution) {
      runs.back()["calls"] = runs.back()["calls"].get<int>() + 1;
      continue;
    }
    latest = &sample.execution;
    runs.push_back({{"executor", latest->executor},
                    {"algorithm", nullable(latest->algorithm)},
                    {"reason", nullable(latest->reason)},
                    {"calls", 1}});
  }
  return runs;
}

std::string executor_of(const std::vector<Sample>& samples) {
  std::set<std::string> executors;
  for (const auto& sample : samples) executors.insert(sample.execution.executor);
  return executors.size() == 1 ? *executors.begin() : "mixed";
}

Line percent_of(const std::optional<PointBound>& bound, LowerBound PointBound::*which,
                double median_ns) {
  if (!bound || median_ns <= 0) return nullptr;
  const double limit = ((*bound).*which).time_ns();
  return limit > 0 ? Line(std::round(limit / median_ns * 1e4) / 100) : Line(nullptr);
}

// The mean of those calls that went by the wire.
Line flows_of(const std::vector<Sample>& samples) {
  wire::FlowStatistics all;
  std::int64_t calls = 0;
  for (const auto& sample : samples) {
    if (sample.flows.packets > 0) ++calls;
    all += sample.flows;
  }
  if (calls == 0) return nullptr;
  const auto mean = [&](auto sum) { return static_cast<double>(sum) / static_cast<double>(calls); };
  return {{"calls", calls},
          {"packets", mean(all.packets)},
          {"bytes", mean(all.bytes)},
          {"resent", mean(all.resent)},
          {"credit_wait_ns", rounded(mean(all.credit_wait.value))},
          {"stalls", mean(all.stalls)}};
}

Line side_of(const std::vector<Sample>& samples, const std::optional<PointBound>& bound) {
  const auto all = durations(samples, &Sample::duration_ns);
  const Summary summary = summarize(all);
  const auto runs = executions_of(samples);
  Line side{
      {"executor", executor_of(samples)},
      {"algorithm", runs.size() == 1 ? runs[0]["algorithm"] : Line(nullptr)},
      {"executions", runs},
      {"n", summary.samples},
      {"min_ns", rounded(summary.min_ns)},
      {"median_ns", rounded(summary.median_ns)},
      {"mean_ns", rounded(summary.mean_ns)},
      {"sd_ns", rounded(summary.deviation_ns)},
      {"p10_ns", rounded(summary.p10_ns)},
      {"p90_ns", rounded(summary.p90_ns)},
      {"p99_ns", rounded(summary.p99_ns)},
      {"max_ns", rounded(summary.max_ns)},
      {"stalls", summary.stalls},
      {"late_samples",
       std::count_if(samples.begin(), samples.end(), [](const auto& s) { return s.late; })},
      {"median_lateness_ns",
       rounded(summarize(durations(samples, &Sample::lateness_ns)).median_ns)},
      {"percent_of_payload_limit", percent_of(bound, &PointBound::payload, summary.median_ns)},
      {"percent_of_framed_limit", percent_of(bound, &PointBound::framed, summary.median_ns)},
      {"samples_ns", all},
      {"local_samples_ns", durations(samples, &Sample::local_duration_ns)},
      {"root_to_last_ns", nullptr},
      {"flows", flows_of(samples)}};
  if (samples.front().root_to_last_ns != Sample::kUnknown) {
    side["root_to_last_ns"] = durations(samples, &Sample::root_to_last_ns);
  }
  return side;
}

Line ratio_of(const Measurement& measured, Centre centre, std::uint64_t seed) {
  const Ratio ratio =
      bootstrap_ratio(durations(measured.library, &Sample::duration_ns),
                      durations(measured.native, &Sample::duration_ns), centre, seed);
  return {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
}

Line measurement_of(const Measurement& measured, const std::optional<PointBound>& bound,
                    std::uint64_t seed) {
  return {{"native", side_of(measured.native, bound)},
          {"quadrille", side_of(measured.library, bound)},
          {"ratio_of_medians", ratio_of(measured, Centre::median, seed)},
          {"ratio_of_means", ratio_of(measured, Centre::mean, seed)},
          {"repeated_samples", measured.repeated}};
}

Line bound_of(const std::optional<PointBound>& bound) {
  if (!bound) return nullptr;
  return {{"payload_ns", rounded(bound->payload.time_ns())},
          {"framed_ns", rounded(bound->framed.time_ns())},
          {"latency_ns", rounded(bound->payload.latency_ns)},
          {"bottleneck", nullable(bound->framed.bottleneck)},
          {"framing", bound->framing},
          {"source", bound->source}};
}

Line sort_of(const std::optional<SortFacts>& sort) {
  if (!sort) return nullptr;
  return {{"vectors", sort->size.vectors},
          {"doubles", sort->size.doubles},
          {"memory", sort->constant_local_memory ? "constant-local" : "constant-global"},
          {"global_bytes", sort->size.global_bytes()},
          {"local_bytes", sort->size.local_bytes()},
          {"block_bytes", sort->size.block_bytes()},
          {"arrays_bytes", sort->arrays_bytes},
          {"grown_bytes", sort->grown.resident_bytes},
          {"swapped_bytes", sort->grown.swapped_bytes},
          {"swapped_pages", sort->grown.swapped_pages},
          {"swapped", sort->grown.swapped_bytes > 0 || sort->grown.swapped_pages > 0}};
}

}  // namespace

Line run_line(const RunFacts& facts, const Options& options) {
  Line network = nullptr;
  if (!facts.network.is_null()) {
    network = {{"source", facts.network_source},
               {"path", facts.network_path},
               {"contents", facts.network}};
  }
  return {{"type", "run"},
          {"schema", kResultsSchema},
          {"started", facts.started},
          {"quadrille_version", nullptr},
          {"git_commit", nullptr},
          {"command", nullptr},
          {"launcher", nullptr},
          {"mpi_library", facts.mpi_library},
          {"ranks", facts.machine.size()},
          {"hosts", hosts_of(facts.machine)},
          {"library_loaded", facts.library_loaded},
          {"environment", facts.environment},
          {"network", network},
          {"beside", nullptr},
          {"settings",
           {{"sync", name_of(options.synchronisation)},
            {"wait", facts.spins ? "sleep, spinning the last 60 us" : "sleep"},
            {"calls", options.calls},
            {"blocks", options.blocks},
            {"seconds", options.seconds},
            {"warm_up", options.warm_up},
            {"skew_us", options.skew_us},
            {"computing_scale", options.computing_scale},
            {"seed", options.seed}}}};
}

Line point_line(const PointFacts& facts, const PointMeasurement& measured, const Options& options) {
  const std::set<std::string> hosts(facts.host_of_rank.begin(), facts.host_of_rank.end());
  return {{"type", "point"},
          {"collective", facts.collective},
          {"bytes", facts.bytes},
          {"bytes_meaning", facts.bytes_meaning},
          {"element_type", name_of(facts.type)},
          {"ranks", facts.host_of_rank.size()},
          {"hosts", hosts.size()},
          {"root", facts.root ? Line(*facts.root) : Line(nullptr)},
          {"in_place", facts.in_place},
          {"skew_us", options.skew_us},
          {"sync", name_of(options.synchronisation)},
          {"clock_uncertainty_ns", facts.clock_uncertainty_ns},
          {"clock_drift_ppm", facts.clock_drift_ppm},
          {"seconds", facts.seconds},
          {"calls_per_block", measured.calls_per_block},
          {"warm_up_calls",
           {{"native", measured.warm_up_native}, {"quadrille", measured.warm_up_library}}},
          {"verified_calls", measured.verified},
          {"wrong_results", measured.wrong},
          {"bound", bound_of(facts.bound)},
          {"sort", sort_of(facts.sort)},
          {"blocks", measurement_of(measured.blocks, facts.bound, options.seed)},
          {"alternating", measured.alternating
                              ? measurement_of(*measured.alternating, facts.bound, options.seed)
                              : Line(nullptr)}};
}

Line ready_line() { return {{"type", "ready"}}; }

Line end_line(std::int64_t points, std::int64_t wrong, double seconds) {
  return {{"type", "end"},       {"status", "complete"},   {"reason", nullptr},
          {"points", points},    {"wrong_results", wrong}, {"seconds", seconds},
          {"emulation", nullptr}};
}

Line progress_line(double done, std::size_t points, const std::string& label) {
  return {{"type", "progress"}, {"done", done}, {"points", points}, {"label", label}};
}

}  // namespace quadrille::bench
