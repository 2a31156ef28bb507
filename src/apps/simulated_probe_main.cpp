// SPDX-License-Identifier: BSD-3-Clause
// quadrille-simulated-probe: runs the investigation of `quadrille probe` on simulated networks and
// says how right it was. Exit codes: 0 every partition and kind right, 1 not, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "apps/exit_codes.h"
#include "apps/parse_options.h"
#include "probe/investigation.h"
#include "probe/simulated/simulated_network.h"
#include "probe/simulated/topologies/model_accuracy.h"
#include "probe/simulated/topologies/random_topology.h"
#include "probe/simulated/topologies/ready_made.h"

namespace quadrille::probe {
namespace {

constexpr std::size_t most_differences = 12;  // that are printed for a run

struct SimulatedProbeRequest {
  std::string topology = "one_switch";
  ReadyMadeOptions size;
  double ambient = 0;
  std::int64_t trunk_delay_ns = 0;
  double wrong_samples = 0;
  double stalls_per_s = 1;
  std::uint64_t seed = 1;
  std::uint32_t repeat = 1;
  bool shuffle = false;
  bool shuffle_names = false;
  bool one_machine = false;
  bool other_networks = false;
  bool serialised = false;
  bool quick = false;
  bool json = false;
  bool rounds = false;

  void add_to(CLI::App& app) {
    std::string known = "random, random:SHAPE";
    for (const auto& name : ready_made_names()) known += ", " + name;
    app.add_option("--topology", topology, known)->capture_default_str();
    app.add_option("--hosts", size.hosts, "hosts; default: the network's own")
        ->check(CLI::Range(2, 1024));
    app.add_option("--rate", size.rate_mbit, "Mbit/s of a host's cable")
        ->check(CLI::Range(0.1, 1e5));
    app.add_option("--buffer", size.buffer_kib, "KiB of each port")->check(CLI::Range(4.0, 1e6));
    app.add_option("--ambient", ambient, "share of every link that others take")
        ->check(CLI::Range(0.0, 0.9));
    app.add_option("--trunk-delay", trunk_delay_ns, "ns that each trunk takes, as switches do")
        ->check(CLI::Range(0, 1'000'000'000));
    app.add_option("--wrong-samples", wrong_samples, "share of samples replaced by nonsense")
        ->check(CLI::Range(0.0, 0.5));
    app.add_option("--stalls", stalls_per_s, "how often a second a host is held up")
        ->check(CLI::Range(0.0, 1000.0));
    app.add_option("--seed", seed, "of the first run; each further run takes the next");
    app.add_option("--repeat", repeat, "runs")->check(CLI::Range(1, 100'000));
    app.add_flag("--shuffle", shuffle, "hosts in random order");
    app.add_flag("--shuffle-names", shuffle_names, "names that do not go with the cables");
    app.add_flag("--one-machine", one_machine, "all hosts are namespaces of a machine of 2 cores");
    app.add_flag("--other-networks", other_networks,
                 "also a slow network for administration and one with the same address everywhere");
    app.add_flag("--serialised", serialised, "no token buckets: real links in place of the lab's");
    app.add_flag("--quick", quick, "as at program start, not as `quadrille probe`");
    app.add_flag("--rounds", rounds, "print each round to stderr as it begins");
    app.add_flag("--json", json, "one JSON object a run");
  }
};

struct Run {
  std::string topology;
  std::uint64_t seed = 0;
  std::string error;  // of the investigation
  ModelAccuracy accuracy;
  double simulated_s = 0;
  double cpu_s = 0;
  std::uint32_t rounds = 0;
  std::uint64_t sent_bytes = 0;

  bool right() const { return error.empty() && accuracy.partition_right && accuracy.kinds_right; }
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Result<SimulatedTopology> topology_for(const SimulatedProbeRequest& request, std::uint64_t seed) {
  const std::string prefix = "random";
  if (request.topology.rfind(prefix, 0) != 0) return ready_made(request.topology, request.size);
  RandomOptions options;
  if (request.topology.size() > prefix.size()) {
    options.shape = request.topology.substr(prefix.size() + 1);
    const auto shapes = random_shapes();
    if (std::find(shapes.begin(), shapes.end(), options.shape) == shapes.end()) {
      std::string known;
      for (const auto& shape : shapes) known += (known.empty() ? "" : ", ") + shape;
      return Error{ErrorKind::invalid_argument,
                   "there is no shape '" + options.shape + "'; there are " + known};
    }
  }
  return random_topology(seed, options);
}

Conditions conditions_of(const SimulatedProbeRequest& request, const SimulatedTopology& topology,
                         std::uint64_t seed) {
  Conditions conditions;
  conditions.seed = seed;
  conditions.wrong_samples = request.wrong_samples;
  conditions.stalls_per_s = request.stalls_per_s;
  if (request.other_networks) {
    const double slow_bit_s = topology.hosts[0].out_bit_s / 5;
    conditions.other_networks = {{.interface = "docker0", .physical = false, .same_address = true},
                                 {.interface = "adm0", .rate_bit_s = slow_bit_s}};
    conditions.main_network = 1;
  }
  return conditions;
}

// REQUIRES: the topology was made for `request`.
Run investigate_one(const SimulatedProbeRequest& request, SimulatedTopology topology,
                    std::uint64_t seed) {
  for (auto& trunk : topology.trunks) trunk.delay_ns += request.trunk_delay_ns;
  set_ambient(topology, request.ambient);
  if (request.shuffle_names) probe::shuffle_names(topology, seed);
  if (request.shuffle) shuffle_hosts(topology, seed);
  if (request.serialised) topology.token_buckets = false;
  if (request.one_machine) {
    for (auto& host : topology.hosts) {
      host.machine = "one";
      host.cores = 2;
    }
  }
  SimulatedNetwork network(topology, conditions_of(request, topology, seed));
  Options options;
  options.depth = request.quick ? Depth::quick : Depth::full;
  options.seed = seed;
  if (request.rounds) {
    options.progress = [&](const std::string& purpose, double) {
      std::cerr << "at_s=" << static_cast<double>(network.elapsed_ns()) * 1e-9
                << " cpu_s=" << cpu_seconds() << " purpose=\"" << purpose << "\"\n";
    };
  }
  Run run{.topology = topology.name, .seed = seed, .error = {}, .accuracy = {}};
  const double began_s = cpu_seconds();
  const auto model = investigate(network, options);
  run.cpu_s = cpu_seconds() - began_s;
  run.simulated_s = static_cast<double>(network.elapsed_ns()) * 1e-9;
  run.rounds = network.rounds();
  run.sent_bytes = network.sent_bytes();
  if (model.ok()) {
    run.accuracy = accuracy_of(model.value(), expected_network(topology));
  } else {
    run.error = model.error().message;
  }
  return run;
}

nlohmann::json to_json(const Run& run) {
  const ModelAccuracy& accuracy = run.accuracy;
  nlohmann::json object{{"topology", run.topology},
                        {"seed", run.seed},
                        {"partition_right", accuracy.partition_right},
                        {"kinds_right", accuracy.kinds_right},
                        {"multicast_right", accuracy.multicast_right},
                        {"worst_host_rate_error", accuracy.worst_host_rate_error},
                        {"worst_trunk_rate_error", accuracy.worst_trunk_rate_error},
                        {"unknown_host_rates", accuracy.unknown_host_rates},
                        {"false_trunks", accuracy.false_trunks},
                        {"missing_trunks", accuracy.missing_trunks},
                        {"least_burst_share", accuracy.least_burst_share},
                        {"most_burst_share", accuracy.most_burst_share},
                        {"simulated_s", run.simulated_s},
                        {"cpu_s", run.cpu_s},
                        {"rounds", run.rounds},
                        {"sent_bytes", run.sent_bytes},
                        {"differences", accuracy.differences}};
  if (!run.error.empty()) object["error"] = run.error;
  return object;
}

void print(const Run& run) {
  const ModelAccuracy& accuracy = run.accuracy;
  std::cout << run.topology << " seed " << run.seed << ": ";
  if (!run.error.empty()) {
    std::cout << "failed: " << run.error << '\n';
    return;
  }
  std::cout << (accuracy.partition_right ? "partition right" : "partition WRONG")
            << (accuracy.kinds_right ? "" : ", kinds WRONG")
            << (accuracy.multicast_right ? "" : ", multicast WRONG")
            << "; worst rate error of hosts " << accuracy.worst_host_rate_error * 100
            << " %, of trunks " << accuracy.worst_trunk_rate_error * 100 << " %; burst "
            << accuracy.least_burst_share << " to " << accuracy.most_burst_share
            << " of the buffer; simulated " << run.simulated_s << " s, " << run.rounds
            << " rounds, " << static_cast<double>(run.sent_bytes) / 1e6 << " MB sent, CPU "
            << run.cpu_s << " s\n";
  const std::size_t shown = std::min(accuracy.differences.size(), most_differences);
  for (std::size_t at = 0; at < shown; ++at) std::cout << "  " << accuracy.differences[at] << '\n';
  if (shown < accuracy.differences.size()) {
    std::cout << "  and " << accuracy.differences.size() - shown << " more; --json lists all\n";
  }
}

void summarise(const std::vector<Run>& runs) {
  const auto right =
      std::count_if(runs.begin(), runs.end(), [](const Run& run) { return run.right(); });
  const auto worst = [&](auto value) {
    return std::transform_reduce(
        runs.begin(), runs.end(), 0.0,
        [](double one, double other) { return std::max(one, other); }, value);
  };
  std::cout << "partition and kinds right in " << right << " of " << runs.size()
            << "; worst rate error of hosts "
            << worst([](const Run& run) { return run.accuracy.worst_host_rate_error; }) * 100
            << " %, of trunks "
            << worst([](const Run& run) { return run.accuracy.worst_trunk_rate_error; }) * 100
            << " %; longest " << worst([](const Run& run) { return run.simulated_s; })
            << " s simulated\n";
}

int run(int argc, char** argv) {
  CLI::App app{"Runs the investigation of `quadrille probe` on simulated networks."};
  SimulatedProbeRequest request;
  request.add_to(app);
  if (const auto code = parse_options(app, argc, argv)) return *code;
  std::vector<Run> runs;
  for (std::uint32_t at = 0; at < request.repeat; ++at) {
    const std::uint64_t seed = request.seed + at;
    auto topology = topology_for(request, seed);
    if (!topology.ok()) {
      std::cerr << "quadrille-simulated-probe: " << topology.error().message << '\n';
      return exit_code::wrong_usage;
    }
    runs.push_back(investigate_one(request, std::move(topology.value()), seed));
    if (request.json) {
      std::cout << to_json(runs.back()).dump() << '\n' << std::flush;
    } else {
      print(runs.back());
    }
  }
  if (!request.json && runs.size() > 1) summarise(runs);
  const bool all =
      std::all_of(runs.begin(), runs.end(), [](const Run& one) { return one.right(); });
  return all ? exit_code::done : exit_code::failed;
}

}  // namespace
}  // namespace quadrille::probe

int main(int argc, char** argv) { return quadrille::probe::run(argc, argv); }
