// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/call_trace.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/monotonic_clock.h"
#include "mpi/start/clock_alignment.h"

namespace quadrille {
namespace {

// The fastest of so many round trips with rank 0 says how clocks differ.
constexpr int kExchanges = 20;

std::string text_of(const nlohmann::json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// C++'s as the source has them.
std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

// "/usr/bin/app+0x1234 function": what addr2line takes, and the nearest name that the file exports.
std::string name_of_site(const void* address) {
  Dl_info found{};
  if (address == nullptr || dladdr(address, &found) == 0 || found.dli_fname == nullptr)
    return "unknown";
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(found.dli_fbase);
  char hexadecimal[32];
  std::snprintf(hexadecimal, sizeof hexadecimal, "+0x%tx", offset);
  std::string name = found.dli_fname + std::string(hexadecimal);
  if (found.dli_sname != nullptr) name += " " + readable(found.dli_sname);
  return name;
}

// Both sides count alike, as docs/tracing.md says.
static_assert(static_cast<int>(StepKind::send) == 0 && static_cast<int>(StepKind::receive) == 1 &&
              static_cast<int>(StepKind::copy) == 2 && static_cast<int>(StepKind::reduce) == 3 &&
              static_cast<int>(StepKind::group_bcast) == 4 &&
              static_cast<int>(StepKind::group_reduce) == 5);
static_assert(static_cast<int>(Carrier::own_memory) == 0 &&
              static_cast<int>(Carrier::mpi_library) == 1 && static_cast<int>(Carrier::wire) == 2 &&
              static_cast<int>(Carrier::host_memory) == 3);

trace::PhaseRecord record_of(const CallPhase& phase, const CallTrace::Call& call) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
  return {.communicator = call.communicator,
          .number = call.number,
          .kind = static_cast<std::uint8_t>(phase.kind),
          .carrier = static_cast<std::uint8_t>(phase.carrier),
          .steps = static_cast<std::uint16_t>(std::min(phase.steps, most)),
          .start_ns = phase.start.value,
          .end_ns = phase.end.value,
          .bytes = phase.bytes.value,
          .peer = phase.peer};
}

}  // namespace

std::unique_ptr<CallTrace> CallTrace::begin(const std::string& folder, const Process& process) {
  auto files = trace::TraceFiles::open(folder, static_cast<std::uint32_t>(process.rank));
  int mine = files.ok() ? 1 : 0;
  int all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, process.ranks);
  if (!files.ok()) {
    std::fprintf(stderr, "quadrille: rank %d (%s): %s; the job runs on without a trace\n",
                 process.rank, process.host.c_str(), files.error().message.c_str());
  }
  if (all == 0) return nullptr;
  std::unique_ptr<CallTrace> trace(new CallTrace(std::move(files.value()), process));
  int ranks = 0;
  PMPI_Comm_size(process.ranks, &ranks);
  trace->files_->tell(text_of({{"type", "rank"},
                               {"version", 1},
                               {"rank", process.rank},
                               {"ranks", ranks},
                               {"host", process.host}}));
  trace->tell_clock();
  trace->began_ns_ = monotonic_now().value;
  return trace;
}

void CallTrace::tell_clock() {
  const OffsetEstimate clock = measure_offset(process_.ranks, kExchanges);
  files_->tell(text_of({{"type", "clock"},
                        {"at_ns", clock.at_ns},
                        {"offset_ns", clock.offset_ns},
                        {"uncertainty_ns", clock.uncertainty_ns}}));
}

void CallTrace::tell_times(const TimedCalls& calls) {
  files_->tell(text_of(
      {{"type", "run"}, {"ns", monotonic_now().value - began_ns_}, {"fabric", process_.fabric}}));
  for (const auto& [kind, sum] : calls.sums()) {
    files_->tell(text_of({{"type", "times"},
                          {"part", kind.part},
                          {"function", kind.function},
                          {"executed_by", *kind.executed_by},
                          {"site", number_of_site(kind.site)},
                          {"calls", sum.calls},
                          {"ns", sum.time_ns},
                          {"bytes", sum.bytes}}));
  }
}

void CallTrace::end(const TimedCalls& calls) {
  tell_times(calls);
  tell_clock();
  if (const std::string problem = files_->flush(); !problem.empty()) {
    std::fprintf(stderr, "quadrille: rank %d (%s): the trace ends early: %s\n", process_.rank,
                 process_.host.c_str(), problem.c_str());
  }
}

std::int64_t CallTrace::number_communicator() {
  const std::scoped_lock lock(mutex_);
  return (static_cast<std::int64_t>(process_.rank) << 32U) | communicators_++;
}

void CallTrace::describe_communicator(std::uint64_t number, const std::vector<int>& world_ranks) {
  files_->tell(text_of({{"type", "communicator"}, {"number", number}, {"ranks", world_ranks}}));
}

std::uint16_t CallTrace::number_of_site(const void* address) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = sites_.find(address); found != sites_.end()) return found->second;
  }
  const std::uint16_t number =
      files_->number_of(trace::TraceFiles::Kind::site, name_of_site(address));
  const std::scoped_lock lock(mutex_);
  return sites_.emplace(address, number).first->second;
}

void CallTrace::add(const Call& call) {
  static const std::string library = "mpi";
  using Kind = trace::TraceFiles::Kind;
  trace::CallRecord record{
      .communicator = call.communicator,
      .number = call.number,
      .name = files_->number_of(Kind::function, call.function),
      .start_ns = call.start_ns,
      .end_ns = call.end_ns,
      .bytes = call.bytes,
      .root = call.root,
      .algorithm =
          files_->number_of(Kind::algorithm, call.algorithm == nullptr ? library : *call.algorithm),
      .site = number_of_site(call.site)};
  if (call.algorithm != nullptr) record.flags |= trace::kReplaced;
  if (call.in_trial) record.flags |= trace::kInTrial;
  if (call.flows != nullptr) {
    record.flags |= trace::kByWire;
    record.credit_wait_ns = static_cast<std::uint64_t>(call.flows->credit_wait.value);
    record.resent = static_cast<std::uint32_t>(call.flows->resent);
    record.stalls = static_cast<std::uint32_t>(call.flows->stalls);
  }
  files_->add(record);
  for (const CallPhase& phase : call.phases) files_->add(record_of(phase, call));
}

}  // namespace quadrille
