// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/start_probe.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "base/utc.h"
#include "mpi/job/version.h"
#include "probe/investigation.h"
#include "probe/measure/agent/agent_service.h"
#include "probe/measure/channel_until_deadline.h"
#include "probe/measure/measured_network.h"
#include "probe/measure/realtime.h"
#include "probe/until_deadline.h"

namespace quadrille {
namespace {

// Hosts on buses of 10 Mbit/s take 2.2 s, on a busy machine more. A start that is longer by more
// than this would be noticed.
constexpr std::int64_t time_for_measuring_ns = 5'000'000'000;
// For hosts to end their service after that.
constexpr std::int64_t time_for_ending_ns = 500'000'000;
// An agent that hears nothing for so long goes on with the program.
constexpr std::int64_t agent_patience_ns = time_for_measuring_ns + 2 * time_for_ending_ns;

Error exceptional(const std::exception& thrown) {
  return {ErrorKind::system, std::string("measuring the network: ") + thrown.what()};
}

}  // namespace

StartProbe::StartProbe(StartHosts hosts) : hosts_(std::move(hosts)) {
  PMPI_Comm_rank(hosts_.ranks, &rank_);
  std::vector<int> agent_of_host(hosts_.hosts, MPI_UNDEFINED);
  for (std::size_t rank = hosts_.host_of_rank.size(); rank-- > 0;) {
    agent_of_host[hosts_.host_of_rank[rank]] = static_cast<int>(rank);
  }
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group chosen = MPI_GROUP_NULL;
  PMPI_Comm_group(hosts_.ranks, &all);
  PMPI_Group_incl(all, static_cast<int>(agent_of_host.size()), agent_of_host.data(), &chosen);
  PMPI_Comm_create(hosts_.ranks, chosen, &agents_);
  PMPI_Group_free(&chosen);
  PMPI_Group_free(&all);
  if (agents_ == MPI_COMM_NULL) return;
  PMPI_Comm_set_errhandler(agents_, MPI_ERRORS_RETURN);
  channel_ = std::make_unique<MpiControlChannel>(
      agents_,
      MpiControlChannel::Options{longest_sleep_ns(hosts_.hosts_on_machine), [] { return false; }});
}

StartProbe::~StartProbe() {
  channel_.reset();
  if (agents_ != MPI_COMM_NULL) PMPI_Comm_free(&agents_);
}

std::uint32_t StartProbe::ranks_on_own_host() const {
  const std::uint32_t own = hosts_.host_of_rank[static_cast<std::size_t>(rank_)];
  return static_cast<std::uint32_t>(
      std::count(hosts_.host_of_rank.begin(), hosts_.host_of_rank.end(), own));
}

Result<NetworkModel> StartProbe::run() {
  // What is thrown must not reach the program.
  try {
    if (rank_ == 0) return coordinate();
    if (channel_) serve_coordinator();
  } catch (const std::exception& thrown) {
    return exceptional(thrown);
  }
  return Error{ErrorKind::unsupported, "only rank 0 knows"};
}

void StartProbe::serve_coordinator() {
  probe::AgentOptions options;
  options.ranks = ranks_on_own_host();
  options.patience_ns = agent_patience_ns;
  // Why it ended, the coordinator says.
  [[maybe_unused]] const auto served = probe::serve(*channel_, options);
}

Result<NetworkModel> StartProbe::coordinate() {
  const probe::Deadline deadline{probe::steady_ns() + time_for_measuring_ns, &probe::steady_ns};
  const auto measure = [&]() -> Result<NetworkModel> {
    probe::ChannelUntilDeadline channel(*channel_, deadline);
    probe::MeasureOptions options;
    options.own.ranks = ranks_on_own_host();
    auto opened = probe::MeasuredNetwork::open(channel, std::move(options));
    if (!opened.ok()) return opened.error();
    probe::NetworkUntilDeadline network(*opened.value(), deadline);
    return probe::investigate(network, {.depth = probe::Depth::quick, .seed = 1, .progress = {}});
  };
  Result<NetworkModel> model = [&]() -> Result<NetworkModel> {
    try {
      return measure();
    } catch (const std::exception& thrown) {
      return exceptional(thrown);
    }
  }();
  over_ = end_service();
  if (!model.ok()) return model;
  Provenance& made = model.value().provenance;
  made.created = utc_now();
  made.quadrille_version = version;
  made.mpi_library = library_version();
  return model;
}

// Answers to what was asked before may still be under way, and come first.
bool StartProbe::end_service() {
  using probe::Request;
  const std::int64_t until_ns = probe::steady_ns() + time_for_ending_ns;
  const auto left_ns = [until_ns] {
    return std::max<std::int64_t>(0, until_ns - probe::steady_ns());
  };
  bool all_sent = true;
  for (probe::HostIndex host = 1; host < hosts_.hosts; ++host) {
    all_sent &= channel_->send(host, probe::message(Request::finish, {})).ok();
  }
  bool all_ended = all_sent;
  for (probe::HostIndex host = 1; host < hosts_.hosts; ++host) {
    for (bool ended = false; !ended;) {
      const auto answer = channel_->receive(host, left_ns());
      if (!answer.ok()) {
        all_ended = false;
        break;
      }
      ended = probe::content_of(Request::finish, answer.value()).ok();
    }
  }
  const auto flushed = channel_->flush(left_ns());
  return all_ended && flushed.ok() && flushed.value();
}

}  // namespace quadrille
