// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/mpi/coordinator.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

#include "apps/exit_codes.h"
#include "apps/probe/mpi/last_resort.h"
#include "apps/probe/mpi/mpi_costs.h"
#include "apps/probe/report_lines.h"
#include "apps/probe/samples.h"
#include "base/utc.h"
#include "mpi/job/version.h"
#include "mpi/start/mpi_control_channel.h"
#include "probe/investigation.h"
#include "probe/measure/hosts/host_identity.h"
#include "probe/measure/hosts/host_settings.h"
#include "probe/measure/measured_network.h"
#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

// What rank 0 tells all when it is done: how to go on.
constexpr int end_with_failure = 0;
constexpr int end_well = 1;
constexpr int measure_mpi = 2;
// Many times what the phase takes on a network that works.
constexpr std::int64_t mpi_phase_patience_ns = 30'000'000'000;
constexpr double share_of_network = 0.95;  // of the whole
// Some launchers drop what a rank has just written when it aborts.
constexpr std::int64_t before_abort_ns = 200'000'000;

volatile std::sig_atomic_t ended_by_launcher = 0;
void note_end(int) { ended_by_launcher = 1; }

AgentOptions own_agent(const ProberWorld& world) {
  AgentOptions options;
  options.ranks = world.ranks_on_own_host();
  options.settings = [] { return host_settings_json(); };
  return options;
}

[[noreturn]] void abort_job() {
  sleep_for(before_abort_ns);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

// MPICH aligns its version by tabs.
std::string with_single_spaces(const std::string& text) {
  std::istringstream in(text);
  std::string result;
  for (std::string word; in >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

// The kernel's counters of all hosts, from their agents to rank 0. Collective over the agents.
std::vector<KernelCounters> gathered(const ProberWorld& world, const KernelCounters& own) {
  const std::string text = encode(own);
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(world.hosts());
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, world.agents());
  std::vector<int> offsets(world.hosts());
  int total = 0;
  for (std::size_t host = 0; host < lengths.size(); ++host) {
    offsets[host] = total;
    total += lengths[host];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  PMPI_Gatherv(text.data(), length, MPI_BYTE, all.data(), lengths.data(), offsets.data(), MPI_BYTE,
               0, world.agents());
  std::vector<KernelCounters> counters(world.hosts());
  for (std::size_t host = 0; host < counters.size() && world.coordinates(); ++host) {
    const auto decoded = decode_counters(std::string_view(all).substr(
        static_cast<std::size_t>(offsets[host]), static_cast<std::size_t>(lengths[host])));
    if (decoded.ok()) counters[host] = decoded.value();
  }
  return counters;
}

class Coordinator {
 public:
  Coordinator(const ProberWorld& world, const ProberOptions& options)
      : world_(world), options_(options), lines_(std::cout) {}

  // Everything up to the MPI library's own calls; the agents have ended their service afterwards.
  Result<bool> investigate_hosts() {
    if (auto read = read_expected(); !read.ok()) return read;
    // As if all hosts were on one machine: who is where is not known yet.
    MpiControlChannel channel(
        world_.agents(), {longest_sleep_ns(world_.hosts()), [] { return ended_by_launcher != 0; }});
    MeasureOptions measure;
    measure.own = own_agent(world_);
    measure.interface = options_.interface;
    measure.observer = [this](const Round& round, const RoundResult& result) {
      samples_.keep(round, result);
    };
    lines_.progress(0, "learning what the hosts are");
    auto opened = MeasuredNetwork::open(channel, std::move(measure));
    if (!opened.ok()) return opened.error();
    MeasuredNetwork& network = *opened.value();
    Result<bool> investigated = true;
    if (!options_.hosts_only) investigated = investigate_and_compare(network);
    // A finding such as "UDP does not get through" leaves all agents alive; a lost one does not.
    if (!investigated.ok() && investigated.error().kind == ErrorKind::peer_lost) {
      return investigated;
    }
    if (auto reported = learn_host_reports(network); !reported.ok()) return reported;
    if (auto finished = network.finish(); !finished.ok()) return finished;
    agents_wait_ = true;
    return investigated;
  }

  // Whether all agents have ended their service, so that all ranks can be told how to go on.
  bool agents_wait() const { return agents_wait_; }
  bool found_model() const { return model_.has_value(); }

  void take_mpi_phase(std::vector<MpiCost> costs, std::vector<KernelCounters> counters) {
    if (model_) model_->mpi_costs = std::move(costs);
    for (std::size_t host = 0; host < reports_.size() && host < counters.size(); ++host) {
      reports_[host].during_mpi = std::move(counters[host]);
    }
  }

  void report() {
    for (const HostReport& host : reports_) lines_.host(host);
    if (!model_) return;
    lines_.progress(1, "done");
    lines_.model(*model_);
    if (expected_) lines_.check(differences_);
  }

  void report(const Error& error) { lines_.error(error); }
  void progress(double share, const char* purpose) { lines_.progress(share, purpose); }

 private:
  Result<bool> read_expected() {
    if (options_.check.empty()) return true;
    std::ifstream file(options_.check, std::ios::binary);
    const std::string contents(std::istreambuf_iterator<char>(file), {});
    if (contents.empty()) {
      return Error{ErrorKind::invalid_argument,
                   options_.check + ": is empty or cannot be read on rank 0's host"};
    }
    auto parsed = parse_model(contents);
    if (!parsed.ok()) {
      return Error{parsed.error().kind, options_.check + ": " + parsed.error().message};
    }
    expected_ = std::move(parsed.value());
    return true;
  }

  // What differs seriously from the expected model is measured again: others' traffic, or a host
  // that was held up, seldom misleads twice in the same place.
  Result<bool> investigate_and_compare(MeasuredNetwork& network) {
    if (auto measured = investigate_network(network, options_.seed); !measured.ok())
      return measured;
    if (!expected_) return true;
    differences_ = compare_models(*expected_, *model_);
    if (!any_serious(differences_)) return true;
    if (auto measured = investigate_network(network, options_.seed + 1); !measured.ok())
      return measured;
    differences_ = seen_in_both(differences_, compare_models(*expected_, *model_));
    return true;
  }

  Result<bool> investigate_network(MeasuredNetwork& network, std::uint64_t seed) {
    Options options;
    options.depth = options_.quick ? Depth::quick : Depth::full;
    options.seed = seed;
    options.multicast_after_ns = std::int64_t{options_.multicast_after_s} * 1'000'000'000;
    options.progress = [this](const std::string& purpose, double share) {
      lines_.progress(share * share_of_network, purpose);
    };
    auto model = investigate(network, options);
    if (!model.ok()) return model.error();
    model_ = std::move(model.value());
    Provenance& origin = model_->provenance;
    origin.created = utc_now();
    origin.quadrille_version = version;
    origin.mode = options_.quick ? "quick" : "full";
    origin.mpi_library = with_single_spaces(library_version());
    origin.seconds = static_cast<double>(network.elapsed_ns()) * 1e-9;
    origin.rounds = network.rounds();
    origin.sent_bytes = network.sent_bytes();
    if (options_.samples.empty()) return true;
    // The model is worth more than its samples, and was as long to measure.
    if (auto kept = samples_.write(options_.samples, network.hosts()); !kept.ok())
      std::fprintf(stderr, "quadrille-probe: %s\n", kept.error().message.c_str());
    return true;
  }

  Result<bool> learn_host_reports(MeasuredNetwork& network) {
    auto counters = network.counters();
    if (!counters.ok()) return counters.error();
    auto settings = network.settings();
    if (!settings.ok()) return settings.error();
    for (HostIndex host = 0; host < network.hosts().size(); ++host) {
      reports_.push_back({network.hosts()[host].name,
                          std::move(settings.value()[host]),
                          std::move(counters.value()[host]),
                          {}});
    }
    return true;
  }

  const ProberWorld& world_;
  const ProberOptions& options_;
  ReportLines lines_;
  Samples samples_;
  std::optional<NetworkModel> expected_;
  std::optional<NetworkModel> model_;
  std::vector<Difference> differences_;  // from the expected model
  std::vector<HostReport> reports_;
  bool agents_wait_ = false;
};

void serve_coordinator(const ProberWorld& world) {
  // When the launcher ends the job because a host has gone, rank 0 is to hear from all others.
  std::signal(SIGTERM, SIG_IGN);
  MpiControlChannel channel(world.agents(),
                            {longest_sleep_ns(world.hosts()), [] { return false; }});
  const auto served = serve(channel, own_agent(world));
  std::signal(SIGTERM, SIG_DFL);
  if (served.ok()) return;
  std::fprintf(stderr, "quadrille-probe: host %s: the coordinator %s\n", own_host_name().c_str(),
               served.error().message.c_str());
  abort_job();
}

// Costs on rank 0, and each host's counters of the time.
void run_mpi_phase(const ProberWorld& world, Coordinator* coordinator) {
  const KernelCounters before = read_kernel_counters();
  std::vector<MpiCost> costs = measure_mpi_costs(world);
  if (!world.is_agent()) return;
  auto counters = gathered(world, growth(before, read_kernel_counters()));
  if (coordinator != nullptr) coordinator->take_mpi_phase(std::move(costs), std::move(counters));
}

int coordinate(const ProberWorld& world, const ProberOptions& options) {
  std::signal(SIGTERM, note_end);
  Coordinator coordinator(world, options);
  const auto investigated = coordinator.investigate_hosts();
  if (!investigated.ok()) coordinator.report(investigated.error());
  if (!coordinator.agents_wait()) abort_job();
  const bool goes_on = investigated.ok() && coordinator.found_model();
  const int word = !investigated.ok() ? end_with_failure : goes_on ? measure_mpi : end_well;
  world.await_word_of_coordinator(word);
  if (goes_on) {
    const LastResort watch(mpi_phase_patience_ns, [&coordinator] {
      coordinator.report(Error{ErrorKind::timeout,
                               "the MPI library's own collectives have not ended within 30 s; does "
                               "the same job run without Quadrille?"});
    });
    coordinator.progress(share_of_network, "the MPI library's own calls");
    run_mpi_phase(world, &coordinator);
  }
  coordinator.report();
  return investigated.ok() ? exit_code::done : exit_code::failed;
}

}  // namespace

int run_prober(const ProberWorld& world, const ProberOptions& options) {
  if (world.coordinates()) return coordinate(world, options);
  if (world.is_agent()) serve_coordinator(world);
  const int word = world.await_word_of_coordinator(end_with_failure);
  if (word == measure_mpi) run_mpi_phase(world, nullptr);
  return word == end_with_failure ? exit_code::failed : exit_code::done;
}

}  // namespace quadrille::probe
