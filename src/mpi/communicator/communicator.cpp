// SPDX-License-Identifier: BSD-3-Clause
// Running a schedule on a communicator, and what becomes of one that fails.
#include "mpi/communicator/communicator.h"

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "mpi/agree/multicast_news.h"
#include "mpi/call/datatype.h"
#include "mpi/job/runtime.h"
#include "mpi/nonblocking/nonblocking_requests.h"
#include "wire/channels.h"

namespace quadrille {
namespace {

// In whose call this thread is.
thread_local Communicator* in_call = nullptr;

}  // namespace

Communicator::Communicator(MPI_Comm handle, Rank rank, std::vector<int> world_ranks,
                           KnownNetwork network)
    : handle_(handle),
      rank_(rank),
      world_ranks_(std::move(world_ranks)),
      planner_(Runtime::active()->planner_options(), std::move(network), rank),
      agreement_(
          planner_, [] { return multicast_finding(*Runtime::active()); },
          rank == 0 && Runtime::active()->settings().logs("plan")) {}

void Communicator::begin(const Contexts::Agreement& agreed, const char* operation) {
  context_ = agreed.number;
  const bool is_of_all = world_ranks_.size() == Runtime::active()->view().host_of_rank.size();
  planner_.begin({agreed.has_host_memory, agreed.reductions, is_of_all});
  if (agreed.has_host_memory) join_host_memory();
  CallTrace* const trace = Runtime::active()->trace();
  if (trace == nullptr) return;
  std::array number = {rank_ == 0 ? trace->number_communicator() : std::int64_t{-1}};
  if (agree_on_maximum(number, operation) != MPI_SUCCESS) return;
  traced_name_ = static_cast<std::uint64_t>(number[0]);
  if (rank_ == 0) trace->describe_communicator(traced_name_, world_ranks_);
}

// Of a host's own ranks, also where the view has hosts of an island as one.
void Communicator::join_host_memory() {
  const Runtime& runtime = *Runtime::active();
  const auto host_of = [&](Rank rank) {
    const int world_rank = world_ranks_[static_cast<std::size_t>(rank)];
    return runtime.host_of_world_rank()[static_cast<std::size_t>(world_rank)];
  };
  std::vector<HostCell*> cells;
  std::size_t own = 0;
  for (Rank rank = 0; rank < size(); ++rank) {
    if (host_of(rank) != host_of(rank_)) continue;
    if (rank == rank_) own = cells.size();
    const int world_rank = world_ranks_[static_cast<std::size_t>(rank)];
    cells.push_back(&runtime.host_memory()->cell(world_rank, context_));
  }
  host_group_.emplace(std::move(cells), own);
}

void Communicator::release(Contexts& contexts) {
  if (in_call == this) in_call = nullptr;
  if (NonblockingRequests* const requests = Runtime::active()->nonblocking()) {
    requests->release(handle_);
    retired_ =
        retired_ || (nonblocking_calls_ != nullptr && !requests->is_idle(*nonblocking_calls_));
  }
  if (wire::Port* const port = Runtime::active()->wire(); port != nullptr && !retired_) {
    const wire::Channel channel = wire::channel_of_context(context_);
    port->release(channel);
    if (nonblocking_calls_ != nullptr) port->release(wire::nonblocking_channel_of(channel));
  }
  if (!retired_) contexts.release(context_);
  groups_.free_all();
}

CountExchange& Communicator::count_exchange() {
  if (!count_exchange_) count_exchange_.emplace(view(), rank_);
  return *count_exchange_;
}

int Communicator::next_tag() {
  const int bits = Runtime::active()->sequence_bits();
  const std::uint32_t sequence = sequence_++ & ((1U << static_cast<unsigned>(bits)) - 1U);
  return static_cast<int>((context_ << static_cast<unsigned>(bits)) | sequence);
}

RankMessages Communicator::messages_to_agree(MPI_Comm shadow, int tag,
                                             const char* operation) const {
  return {shadow,
          tag,
          world_ranks_,
          rank_,
          Runtime::active()->settings().wait_report_s,
          [this, operation](Rank peer) { report_long_wait(operation, {peer}); }};
}

int Communicator::agree_on_maximum(std::span<std::int64_t> values, const char* operation) {
  const int code =
      take_maximum(messages_to_agree(Runtime::active()->shadow(), next_tag(), operation), values);
  if (code != MPI_SUCCESS) {
    // What the others sent for it may still come, under the context's tags.
    retired_ = true;
    Runtime::active()->expect_leftovers();
  }
  return code;
}

void Communicator::check_decision(const std::string& decision, const char* operation) {
  if (!decision_check_) decision_check_.emplace();
  decision_check_->compare(decision, messages_to_agree(Runtime::active()->decisions_shadow(),
                                                       static_cast<int>(context_), operation));
}

Outcome Communicator::run(const PreparedSchedule& prepared, const CallMemory& memory,
                          MPI_Datatype element, const char* operation, MPI_Op op) {
  const Runtime& runtime = *Runtime::active();
  const int tag = next_tag();
  const bool over_wire = prepared.schedule().over_wire;
  const bool in_host_memory = prepared.schedule().in_host_memory;
  if ((over_wire || in_host_memory) && cut_off_) {
    complain(operation,
             "an earlier call on this communicator was not finished here, so that its "
             "messages may come instead of this one's");
    return {MPI_ERR_OTHER};
  }
  MPI_Comm group = MPI_COMM_NULL;
  if (!over_wire && !in_host_memory) {
    const int code =
        groups_.find(prepared.schedule().group, world_ranks_, runtime.shadow(), tag, &group);
    if (code != MPI_SUCCESS) return {code};
  }
  transport_.begin({runtime.shadow(), tag, runtime.unused_tag(), element, world_ranks_, group, op});
  const WaitingRules rules{
      runtime.settings().waiting,
      {runtime.settings().wait_report_s * 1'000'000'000},
      [&](const std::vector<Rank>& peers) { report_long_wait(operation, peers); }};
  in_call = this;
  try {
    Outcome outcome = over_wire        ? run_by_wire(prepared, memory, element, operation, rules)
                      : in_host_memory ? run_in_host_memory(prepared, memory, element, rules)
                                       : run_by_library(prepared, memory, element, rules);
    in_call = nullptr;
    // Of a message that came, but not as it should be.
    return std::move(outcome).then([&] { return transport_.mpi_error(); });
  } catch (...) {
    in_call = nullptr;
    abandon(over_wire || in_host_memory);
    throw;
  }
}

Outcome Communicator::run_by_library(const PreparedSchedule& prepared, const CallMemory& memory,
                                     MPI_Datatype element, const WaitingRules& rules) {
  Outcome outcome;
  if (walk(prepared, memory, transport_, rules, element, outcome.phases).ok()) return outcome;
  abandon(false);
  return {transport_.mpi_error()};
}

Outcome Communicator::run_in_host_memory(const PreparedSchedule& prepared, const CallMemory& memory,
                                         MPI_Datatype element, const WaitingRules& rules) {
  host_group_->begin(memory, layout_of(element).size, transport_);
  Outcome outcome;
  if (walk(prepared, memory, *host_group_, rules, element, outcome.phases).ok()) {
    if (host_group_->lengths_differ()) outcome.code = MPI_ERR_TRUNCATE;
    return outcome;
  }
  abandon(true);
  return {transport_.mpi_error()};
}

// What others send for this call may still come: under the context's tags, on its channel, in host
// memory.
void Communicator::abandon(bool is_out_of_step) {
  if (by_wire_.is_in_call()) by_wire_.end(false);
  transport_.abandon();
  retired_ = true;
  Runtime::active()->expect_leftovers();
  cut_off_ = cut_off_ || is_out_of_step;
}

void Communicator::give_up_call_left_by_jump() {
  if (in_call == nullptr) return;
  Communicator* const left = std::exchange(in_call, nullptr);
  // Nothing goes through host memory that a program's own operation combines.
  left->abandon(left->by_wire_.is_in_call());
}

Result<bool> Communicator::walk(const PreparedSchedule& prepared, const CallMemory& memory,
                                Transport& transport, const WaitingRules& rules,
                                MPI_Datatype element, std::vector<CallPhase>& phases) {
  if (Runtime::active()->trace() == nullptr)
    return executor_.run(prepared, memory, transport, rules);
  auto done = executor_.run(prepared, memory, transport, rules, &step_spans_);
  if (done.ok())
    phases = phases_of(prepared.schedule(), step_spans_, transport, layout_of(element).size);
  return done;
}

Outcome Communicator::run_by_wire(const PreparedSchedule& prepared, const CallMemory& memory,
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
                  .channel = wire::channel_of_context(context_),
                  .element_bytes = layout.size,
                  .packing = layout.contiguous ? nullptr : &packing,
                  .world_ranks = world_ranks_,
                  .host_of_rank = view().host_of_rank,
                  .group = prepared.schedule().group,
                  .group_senders = prepared.group_roots(),
                  .rank = rank_,
                  .beside = &transport_});
  Outcome outcome;
  const auto done = walk(prepared, memory, by_wire_, rules, element, outcome.phases);
  if (done.ok()) {
    const ByWire::Fault fault = by_wire_.fault();
    // Nobody is to wait for what does not come, and no later call to get what this one has not.
    if (fault == ByWire::Fault::length &&
        (prepared.has_message_after_message() || by_wire_.is_out_of_step())) {
      abandon(true);
      return {MPI_ERR_TRUNCATE};
    }
    outcome.flows = by_wire_.end(true);
    if (fault == ByWire::Fault::length) outcome.code = MPI_ERR_TRUNCATE;
    if (fault == ByWire::Fault::packing) outcome.code = MPI_ERR_TYPE;
    return outcome;
  }
  abandon(true);
  if (transport_.mpi_error() != MPI_SUCCESS) return {transport_.mpi_error()};
  complain(operation, done.error().message + "; ending the job");
  PMPI_Abort(runtime.shadow(), 1);
  return {MPI_ERR_OTHER};
}

const std::shared_ptr<BackgroundCalls::Queue>& Communicator::nonblocking_calls() {
  if (nonblocking_calls_ == nullptr) {
    nonblocking_calls_ = std::make_shared<BackgroundCalls::Queue>(
        background_ranks(wire::nonblocking_channel_of(wire::channel_of_context(context_))));
  }
  return nonblocking_calls_;
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
