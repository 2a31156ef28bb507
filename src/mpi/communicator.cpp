// SPDX-License-Identifier: BSD-3-Clause
// Attaching, finding and forgetting a communicator's state; running a schedule on it.
#include "mpi/communicator.h"

#include <cstdio>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "mpi/datatype.h"
#include "mpi/left_calls.h"
#include "mpi/runtime.h"

namespace quadrille {
namespace {

std::vector<int> world_ranks_of(MPI_Comm communicator, MPI_Comm world) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world_group = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &group);
  PMPI_Comm_group(world, &world_group);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group, world_ranks.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  return world_ranks;
}

KnownNetwork network_of(const std::vector<int>& world_ranks, const Runtime& runtime) {
  TopologyView view = runtime.view().restricted_to(world_ranks);
  if (runtime.model() == nullptr) return {std::move(view), std::nullopt, {}};
  std::vector<std::uint32_t> model_host_of_rank;
  for (const int world_rank : world_ranks) {
    const auto host = runtime.host_of_world_rank()[static_cast<std::size_t>(world_rank)];
    model_host_of_rank.push_back(runtime.model_host()[host]);
  }
  return known_network(*runtime.model(), std::move(view), model_host_of_rank);
}

}  // namespace

Communicator::Communicator(MPI_Comm handle, std::uint32_t context, Rank rank,
                           std::vector<int> world_ranks, KnownNetwork network)
    : handle_(handle),
      context_(context),
      rank_(rank),
      world_ranks_(std::move(world_ranks)),
      planner_(Runtime::active()->planner_options(), std::move(network), rank) {}

Communicator* Communicator::find(MPI_Comm handle) {
  const Runtime* runtime = Runtime::active();
  if (runtime == nullptr || handle == MPI_COMM_NULL) return nullptr;
  void* state = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(handle, runtime->communicator_key(), static_cast<void*>(&state), &found) !=
      MPI_SUCCESS) {
    return nullptr;
  }
  return found != 0 ? static_cast<Communicator*>(state) : nullptr;
}

void Communicator::attach(MPI_Comm handle) {
  Runtime* runtime = Runtime::active();
  if (runtime == nullptr || handle == MPI_COMM_NULL || find(handle) != nullptr) return;
  int between = 0;
  int size = 0;
  int rank = 0;
  PMPI_Comm_test_inter(handle, &between);
  PMPI_Comm_size(handle, &size);
  PMPI_Comm_rank(handle, &rank);
  if (between != 0 || size < 2) return;
  std::vector<int> world_ranks = world_ranks_of(handle, runtime->shadow());
  for (const int world_rank : world_ranks) {
    if (world_rank == MPI_UNDEFINED)
      return;  // ranks of other worlds (spawned, connected): same on all ranks
  }
  const std::optional<std::uint32_t> context =
      runtime->contexts().agree(handle, rank, runtime->world_rank());
  if (!context) return;
  KnownNetwork network = network_of(world_ranks, *runtime);
  auto* made = new Communicator(handle, *context, rank, std::move(world_ranks), std::move(network));
  if (CallTrace* const trace = runtime->trace())
    made->traced_name_ = trace->name_communicator(handle, rank, made->world_ranks_);
  PMPI_Comm_set_attr(handle, runtime->communicator_key(), made);
}

int Communicator::forget(MPI_Comm, int, void* state, void*) {
  LeftCalls::forget_all();
  auto* communicator = static_cast<Communicator*>(state);
  if (Runtime* runtime = Runtime::active(); runtime != nullptr) {
    if (!communicator->retired_) runtime->contexts().release(communicator->context_);
    communicator->groups_.free_all();
  }
  delete communicator;
  return MPI_SUCCESS;
}

NeighbourLengths& Communicator::neighbour_lengths() {
  if (!neighbour_lengths_) neighbour_lengths_.emplace(view(), rank_);
  return *neighbour_lengths_;
}

int Communicator::next_tag() {
  const int bits = Runtime::active()->sequence_bits();
  const std::uint32_t sequence = sequence_++ & ((1U << static_cast<unsigned>(bits)) - 1U);
  return static_cast<int>((context_ << static_cast<unsigned>(bits)) | sequence);
}

int Communicator::run(const PreparedSchedule& prepared, const CallMemory& memory,
                      MPI_Datatype element, const char* operation, MPI_Op op) {
  const Runtime& runtime = *Runtime::active();
  latest_flows_.reset();
  const int tag = next_tag();
  const bool over_wire = prepared.schedule().over_wire;
  MPI_Comm group = MPI_COMM_NULL;
  if (!over_wire) {
    const int code =
        groups_.find(prepared.schedule().group, world_ranks_, runtime.shadow(), tag, &group);
    if (code != MPI_SUCCESS) return code;
  }
  transport_.begin({runtime.shadow(), tag, element, world_ranks_, group, op});
  const WaitingRules rules{
      runtime.settings().waiting,
      {runtime.settings().wait_report_s * 1'000'000'000},
      [&](const std::vector<Rank>& peers) { report_long_wait(operation, peers); }};
  try {
    return over_wire ? run_by_wire(prepared, memory, element, operation, rules)
                     : run_by_library(prepared, memory, element, rules);
  } catch (const std::bad_alloc&) {
    if (over_wire) by_wire_.end(false);
    abandon();
    throw;
  }
}

int Communicator::run_by_library(const PreparedSchedule& prepared, const CallMemory& memory,
                                 MPI_Datatype element, const WaitingRules& rules) {
  const auto done = walk(prepared, memory, transport_, rules, element);
  if (done.ok()) return MPI_SUCCESS;
  abandon();
  return transport_.mpi_error();
}

// What others send for this call may still come: under the context's tags and on its channel.
void Communicator::abandon() {
  transport_.abandon();
  retired_ = true;
}

Result<bool> Communicator::walk(const PreparedSchedule& prepared, const CallMemory& memory,
                                Transport& transport, const WaitingRules& rules,
                                MPI_Datatype element) {
  if (Runtime::active()->trace() == nullptr)
    return executor_.run(prepared, memory, transport, rules);
  latest_phases_.clear();
  auto done = executor_.run(prepared, memory, transport, rules, &step_spans_);
  if (done.ok()) {
    latest_phases_ =
        phases_of(prepared.schedule(), step_spans_, transport, layout_of(element).size);
  }
  return done;
}

int Communicator::run_by_wire(const PreparedSchedule& prepared, const CallMemory& memory,
                              MPI_Datatype element, const char* operation,
                              const WaitingRules& rules) {
  const Runtime& runtime = *Runtime::active();
  const Layout layout = layout_of(element);
  const Packing packing{[&](const void* from, std::uint64_t count, std::byte* into) {
                          return pack(from, count, element, layout, into) == MPI_SUCCESS;
                        },
                        [&](const std::byte* from, std::uint64_t count, void* into) {
                          return unpack(from, into, count, element, layout) == MPI_SUCCESS;
                        }};
  by_wire_.begin({.port = runtime.wire(),
                  .channel = static_cast<wire::Channel>(context_),
                  .element_bytes = layout.size,
                  .packing = layout.contiguous ? nullptr : &packing,
                  .world_ranks = world_ranks_,
                  .host_of_rank = view().host_of_rank,
                  .group = prepared.schedule().group,
                  .group_senders = prepared.group_roots(),
                  .rank = rank_,
                  .beside = &transport_});
  const auto done = walk(prepared, memory, by_wire_, rules, element);
  const wire::FlowStatistics flows = by_wire_.end(done.ok());
  if (done.ok()) {
    latest_flows_ = flows;
    return MPI_SUCCESS;
  }
  abandon();
  if (transport_.mpi_error() != MPI_SUCCESS) return transport_.mpi_error();
  if (done.error().kind == ErrorKind::invalid_argument) return MPI_ERR_TRUNCATE;
  complain(operation, done.error().message + "; ending the job");
  PMPI_Abort(runtime.shadow(), 1);
  return MPI_ERR_OTHER;
}

void Communicator::complain(const char* operation, const std::string& what) const {
  const Runtime& runtime = *Runtime::active();
  const auto host = runtime.host_of_world_rank()[static_cast<std::size_t>(runtime.world_rank())];
  std::fprintf(stderr, "quadrille: rank %d (%s) in %s: %s\n", rank_,
               runtime.host_name(host).c_str(), operation, what.c_str());
}

void Communicator::report_long_wait(const char* operation, std::vector<Rank> peers) const {
  std::erase(peers, rank_);  // one of its own group
  const Runtime& runtime = *Runtime::active();
  const auto host_of = [&](Rank rank) {
    const auto world_rank = static_cast<std::size_t>(world_ranks_[static_cast<std::size_t>(rank)]);
    return runtime.host_name(runtime.host_of_world_rank()[world_rank]);
  };
  constexpr std::size_t most_named = 8;
  std::string whom;
  for (std::size_t i = 0; i < peers.size() && i < most_named; ++i) {
    whom += (i == 0 ? "" : ", ") + std::to_string(peers[i]) + " (" + host_of(peers[i]) + ")";
  }
  if (peers.size() > most_named)
    whom += " and " + std::to_string(peers.size() - most_named) + " more";
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(handle_, name, &length);
  std::fprintf(stderr,
               "quadrille: rank %d (%s) has waited %lld s in %s on communicator '%s' of %d ranks "
               "for rank %s\n",
               rank_, host_of(rank_).c_str(),
               static_cast<long long>(runtime.settings().wait_report_s), operation,
               name[0] == '\0' ? "unnamed" : name, size(), whom.c_str());
}

}  // namespace quadrille
