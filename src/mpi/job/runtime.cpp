// SPDX-License-Identifier: BSD-3-Clause
// Start: settings, handshake, shadow communicator, hosts. End: from MPI_COMM_SELF's attributes,
// which MPI_Finalize deletes before all else; ours was set first and so goes last.
#include "mpi/job/runtime.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "base/monotonic_clock.h"
#include "executor/waiting.h"
#include "mpi/call/call_counts.h"
#include "mpi/communicator/attachment.h"
#include "mpi/job/job_summary.h"
#include "mpi/job/sent_messages.h"
#include "mpi/job/version.h"
#include "mpi/nonblocking/nonblocking_requests.h"
#include "mpi/start/fabric_use.h"
#include "network/model/model.h"
#include "probe/measure/hosts/host_identity.h"
#include "wire/links/open_link.h"

namespace quadrille {
namespace {

std::unique_ptr<Runtime> the_runtime;

// Positive, and so is its negation's negation.
std::int64_t positive_fingerprint(const std::string& text) {
  return static_cast<std::int64_t>(fingerprint(text) >> 2U);
}

// What has to be equal on all ranks for them to decide alike.
std::string agreed_settings(const Settings& settings) {
  return settings.algorithm + "|" + std::to_string(settings.trials) + "|" +
         std::to_string(settings.trial_floor) + "|" + settings.wire + "|" + settings.multicast +
         "|" + settings.model + "|" + settings.probe + "|" + settings.reorder + "|" +
         settings.trace + "|" + (settings.check_decisions ? "checked" : "") + "|" +
         (settings.learn ? "learns" : "");
}

// What was set for nothing costs a line each, and nothing else.
void tell_misspelt_settings() {
  std::vector<std::string_view> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  for (const std::string& line : misspelt_settings(environment))
    std::fprintf(stderr, "quadrille: %s\n", line.c_str());
}

// A launcher of another MPI starts every rank as a world of its own.
void warn_of_foreign_launcher(int world_size) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* value = std::getenv(variable);
    if (world_size == 1 && value != nullptr && std::strtol(value, nullptr, 10) > 1) {
      std::fprintf(stderr,
                   "quadrille: the launcher started %s ranks, but each is alone in its "
                   "MPI_COMM_WORLD: the program is "
                   "linked to another MPI than the launcher's (here: %s)\n",
                   value, library_version().c_str());
    }
  }
}

}  // namespace

Runtime::Runtime() = default;
Runtime::~Runtime() = default;

Runtime* Runtime::active() { return the_runtime.get(); }

void Runtime::start() noexcept {
  if (the_runtime != nullptr) return;
  try {
    begin();
  } catch (const std::exception& problem) {
    // The other ranks are in the middle of it, too.
    std::fprintf(stderr, "quadrille: MPI_Init: %s; ending the job\n", problem.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void Runtime::begin() {
  const Nanoseconds began = monotonic_now();
  auto runtime = std::unique_ptr<Runtime>(new Runtime());
  PMPI_Comm_rank(MPI_COMM_WORLD, &runtime->world_rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &runtime->world_size_);
  warn_of_foreign_launcher(runtime->world_size_);
  const std::string problem = runtime->take_settings();
  if (runtime->world_rank_ == 0) tell_misspelt_settings();
  runtime->step_back(problem);
  if (!runtime->shake_hands(problem.empty())) return;
  runtime->open_shadows();
  runtime->learn_hosts();
  if (const std::string misfit = runtime->take_model(); !misfit.empty()) {
    runtime->step_back(runtime->settings_.model + ": " + misfit);
    runtime->free_shadows();
    return;
  }
  runtime->take_wire();
  runtime->take_verdicts();
  runtime->begin_timing();
  // Threads that make communicators at the same time: Open MPI 5 may hang
  // (docs/decisions/22_islands_are_hosts.md).
  runtime->view_.group_steps = !runtime->has_threads_;
  PMPI_Comm_set_attr(MPI_COMM_SELF, runtime->closing_key_, runtime.get());
  the_runtime = std::move(runtime);
  if (Attachment* const world = Attachment::find(MPI_COMM_WORLD)) {
    if (const Communicator* const made = world->communicator("MPI_Init"))
      the_runtime->view_.has_host_memory = made->view().has_host_memory;
  }
  the_runtime->log_start(monotonic_now() - began);
}

std::string Runtime::take_settings() {
  auto settings = read_settings([](const char* name) { return std::getenv(name); });
  if (!settings.ok()) return settings.error().message;
  settings_ = settings.value();
  auto forced = parse_forced_choice(settings_.algorithm);
  if (!forced.ok()) return forced.error().message;
  planner_options_ = {forced.value(), static_cast<std::uint32_t>(settings_.trials),
                      Bytes{static_cast<std::uint64_t>(settings_.trial_floor)}};
  return "";
}

// Says once a job why Quadrille stays out of it. Nothing to say: no problem.
void Runtime::step_back(const std::string& problem) const {
  if (problem.empty() || world_rank_ != 0) return;
  std::fprintf(stderr, "quadrille: %s; the program runs on with the MPI library alone\n",
               problem.c_str());
}

void Runtime::log_start(Nanoseconds took) const {
  if (world_rank_ != 0) return;
  if (!wire_.problem.empty() && (settings_.logs("start") || settings_.logs("wire")))
    std::fprintf(stderr, "event=wire link=none reason=\"%s\"\n", wire_.problem.c_str());
  if (!settings_.logs("start")) return;
  if (start_model_.origin == ModelOrigin::none && !start_model_.problem.empty()) {
    std::fprintf(stderr, "event=probe model=none reason=\"%s\"\n", start_model_.problem.c_str());
  }
  std::fprintf(stderr,
               "event=start version=%s ranks=%d hosts=%zu took_us=%lld model=%s probe_us=%lld "
               "wire=%s multicast=%s fabric=%s mpi=\"%s\"\n",
               version, world_size_, host_names_.size(), static_cast<long long>(took.value / 1000),
               name_of(start_model_.origin), static_cast<long long>(start_model_.took.value / 1000),
               wire_.port ? wire_.port->link_name() : "none",
               view_.has_multicast          ? "yes"
               : view_.has_some_multicast() ? "inside"
                                            : "no",
               fabric_use(settings_.fabric == "on"), library_version().c_str());
}

void Runtime::take_wire() {
  std::vector<std::uint32_t> segments;
  for (const std::uint32_t host : view_.host_of_rank)
    segments.push_back(view_.segment_of_host[host]);
  wire_ = open_wire(settings_,
                    {shadow_, host_of_world_rank_, static_cast<std::uint32_t>(host_names_.size()),
                     std::move(segments), model(), model_host_});
  view_.has_wire = wire_.port != nullptr;
  if (wire_.port) nonblocking_ = std::make_unique<NonblockingRequests>(*wire_.port);
  view_.has_multicast = wire_.multicast;
  view_.multicast_in_segment = wire_.multicast_in_segment;
}

void Runtime::take_verdicts() {
  const std::string made_with = std::string(version) + "|" + library_version() + "|" +
                                agreed_settings(settings_) + "|" +
                                (wire_.port ? wire_.port->link_name() : "none") + "|" +
                                (settings_.fabric == "on" ? "fabric" : "") + "|" + settings_.bulk;
  verdicts_.take(settings_, start_hosts(), host_names_, made_with);
  planner_options_.verdicts = verdicts_.get();
}

void Runtime::begin_timing() {
  if (settings_.trace.empty() && !tells_messages_) return;
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    // Their ranks have the numbers, and so the files, of those that started them.
    tells_messages_ = false;
    if (world_rank_ == 0 && !settings_.trace.empty())
      std::fprintf(stderr, "quadrille: processes that a program starts itself are not traced\n");
    return;
  }
  timed_calls_ = std::make_unique<TimedCalls>(tells_messages_);
  began_ = monotonic_now();
  if (settings_.trace.empty()) return;
  const auto host = host_of_world_rank_[static_cast<std::size_t>(world_rank_)];
  trace_ = CallTrace::begin(settings_.trace, {shadow_, world_rank_, host_names_[host],
                                              fabric_use(settings_.fabric == "on")});
}

bool Runtime::shake_hands(bool usable) {
  // The maximum of a value and of its negation are equal and opposite only where all ranks gave the
  // same.
  const std::int64_t software = positive_fingerprint(version);
  const std::int64_t wishes = positive_fingerprint(agreed_settings(settings_));
  std::array<std::int64_t, 8> mine{software,
                                   -software,
                                   wishes,
                                   -wishes,
                                   usable ? 0 : 1,
                                   settings_.logs("wire") ? 1 : 0,
                                   settings_.summary ? 1 : 0,
                                   settings_.messages.empty() ? 0 : 1};
  std::array<std::int64_t, 8> most{};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX,
                  MPI_COMM_WORLD, &request);
  const Nanoseconds deadline = monotonic_now() + Nanoseconds{settings_.handshake_s * 1'000'000'000};
  Waiting waiting;
  for (int done = 0; done == 0;) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0 && settings_.handshake_s > 0 && monotonic_now() > deadline) {
      std::fprintf(stderr,
                   "quadrille: rank %d of %d on %s: not every rank has shown within %lld s that it "
                   "runs Quadrille "
                   "(QUADRILLE_HANDSHAKE_S); is it installed at the same path on all hosts, and "
                   "does the launcher pass "
                   "LD_PRELOAD on? Ending the job\n",
                   world_rank_, world_size_, probe::own_host_name().c_str(),
                   static_cast<long long>(settings_.handshake_s));
      // Some launchers drop what a rank has just written when it aborts.
      const timespec pause{0, 200'000'000};
      nanosleep(&pause, nullptr);
      PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    waiting.idle();
  }
  if (most[4] != 0) {
    // Rank 0 has spoken of its own settings already.
    step_back(usable ? "the QUADRILLE_ settings of another rank cannot be used" : "");
    return false;
  }
  if (most[0] != -most[1]) {
    step_back("the ranks of this job have different versions of Quadrille");
    return false;
  }
  if (most[2] != -most[3]) {
    step_back("the ranks of this job have different QUADRILLE_ settings");
    return false;
  }
  counts_wire_ = most[5] != 0;
  if (most[6] != 0) job_summary.begin(monotonic_now());
  tells_messages_ = most[7] != 0;
  return true;
}

void Runtime::open_shadows() {
  // PMPI_Comm_create takes one context id of the MPI library and calls no attribute copy callback
  // of the user's.
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  PMPI_Comm_create(MPI_COMM_WORLD, group, &shadow_);
  PMPI_Comm_set_errhandler(shadow_, MPI_ERRORS_RETURN);
  if (settings_.check_decisions) {
    PMPI_Comm_create(MPI_COMM_WORLD, group, &decisions_shadow_);
    PMPI_Comm_set_errhandler(decisions_shadow_, MPI_ERRORS_RETURN);
  }
  PMPI_Group_free(&group);
  PMPI_Comm_group(MPI_COMM_SELF, &group);
  PMPI_Comm_create(MPI_COMM_SELF, group, &self_shadow_);
  PMPI_Group_free(&group);
  PMPI_Comm_set_errhandler(self_shadow_, MPI_ERRORS_RETURN);

  int* tag_bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&tag_bound), &found);
  const int tags = found != 0 ? *tag_bound : 32767;  // the least that the standard guarantees
  sequence_bits_ = std::bit_width(static_cast<std::uint64_t>(tags) + 1U) - 1 - Contexts::bits;

  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Attachment::forget, &communicator_key_, nullptr);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Runtime::close, &closing_key_, nullptr);
}

// MPICH 5 ends the job where a communicator with messages that nobody has received is freed.
void Runtime::receive_leftovers() const {
  for (int found = 1; found != 0;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    if (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, shadow_, &found, &message, &status) !=
            MPI_SUCCESS ||
        found == 0)
      return;
    int bytes = 0;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<std::byte> dropped(static_cast<std::size_t>(std::max(bytes, 0)));
    PMPI_Mrecv(dropped.data(), static_cast<int>(dropped.size()), MPI_BYTE, &message,
               MPI_STATUS_IGNORE);
  }
}

void Runtime::free_shadows() {
  if (has_leftovers_) receive_leftovers();
  PMPI_Comm_free(&shadow_);
  PMPI_Comm_free(&self_shadow_);
  if (decisions_shadow_ != MPI_COMM_NULL) PMPI_Comm_free(&decisions_shadow_);
}

namespace {

// The service thread answers meanwhile; who asks does so several times a second.
constexpr std::chrono::seconds answers_without_barrier{1};

// MPICH's own switch for jobs some ranks of which may have aborted: MPI_Finalize waits for nobody.
bool others_may_never_finalize() {
  const char* const said = std::getenv("MPIR_CVAR_NO_COLLECTIVE_FINALIZE");
  const std::string_view value = said == nullptr ? "" : said;
  return value == "1" || value == "yes" || value == "true" || value == "on";
}

}  // namespace

int Runtime::close(MPI_Comm, int, void* state, void*) noexcept {
  auto* runtime = static_cast<Runtime*>(state);
  // MPI_COMM_WORLD keeps its attributes through MPI_Finalize on some libraries: ours goes here. A
  // world of one rank has none.
  if (Attachment::find(MPI_COMM_WORLD) != nullptr) {
    PMPI_Comm_delete_attr(MPI_COMM_WORLD, runtime->communicator_key_);
  }
  runtime->start_model_.unfinished.reset();
  if (runtime->world_rank_ == 0 && runtime->settings_.logs("plan")) {
    for (const std::string& line : call_counts.lines()) std::fprintf(stderr, "%s\n", line.c_str());
  }
  if (job_summary.has_begun()) job_summary.write(runtime->shadow_, monotonic_now());
  if (runtime->trace_) runtime->trace_->end(*runtime->timed_calls_);
  if (runtime->tells_messages_)
    write_sent_messages(runtime->shadow_, *runtime->timed_calls_, monotonic_now() - runtime->began_,
                        runtime->settings_.messages);
  runtime->verdicts_.keep();
  // Whoever is still asking whether its last message has arrived is answered till all are here.
  if (runtime->wire_.port) {
    if (runtime->counts_wire_) runtime->wire_log_.write(*runtime->wire_.port, runtime->shadow_);
    if (others_may_never_finalize()) {
      std::this_thread::sleep_for(answers_without_barrier);
    } else {
      // Then none starts a nonblocking collective any more; what is under way needs all ports.
      PMPI_Barrier(runtime->shadow_);
      runtime->nonblocking_->end();
      PMPI_Barrier(runtime->shadow_);
    }
  }
  runtime->nonblocking_.reset();
  runtime->wire_.port.reset();
  runtime->free_shadows();
  the_runtime.reset();
  return MPI_SUCCESS;
}

void Runtime::learn_hosts() {
  struct Introduction {
    std::int64_t host = 0;
    std::int64_t machine = 0;
    std::array<char, 72> name{};   // Linux allows 64 characters
    std::int64_t has_threads = 0;  // that may call MPI at the same time
    HostMemory::Place memory;
  };
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  host_memory_ = HostMemory::make();
  Introduction mine{positive_fingerprint(probe::host_identity()),
                    positive_fingerprint(probe::machine_identity()),
                    {},
                    level == MPI_THREAD_MULTIPLE ? 1 : 0,
                    host_memory_ ? host_memory_->place() : HostMemory::Place{}};
  probe::own_host_name().copy(mine.name.data(), mine.name.size() - 1);
  std::vector<Introduction> all(static_cast<std::size_t>(world_size_));
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, shadow_);
  std::map<std::int64_t, std::uint32_t> number_of;
  hosts_on_machine_ = 0;
  host_of_world_rank_.reserve(all.size());
  for (const Introduction& rank : all) {
    const auto next = static_cast<std::uint32_t>(number_of.size());
    const auto [entry, unseen] = number_of.try_emplace(rank.host, next);
    if (unseen) {
      host_names_.emplace_back(rank.name.data());
      if (rank.machine == mine.machine) ++hosts_on_machine_;
    }
    host_of_world_rank_.push_back(entry->second);
    has_threads_ = has_threads_ || rank.has_threads != 0;
  }
  std::vector<HostMemory::Place> places;
  for (const Introduction& rank : all) places.push_back(rank.memory);
  open_host_memory(places);
}

// Whether all ranks have it they agree on with each communicator (contexts).
void Runtime::open_host_memory(std::span<const HostMemory::Place> places) {
  const std::uint32_t own = host_of_world_rank_[static_cast<std::size_t>(world_rank_)];
  std::vector<int> mates;
  std::vector<HostMemory::Place> of_mates;
  for (int rank = 0; rank < world_size_; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (host_of_world_rank_[at] != own) continue;
    mates.push_back(rank);
    of_mates.push_back(places[at]);
  }
  if (host_memory_ && !host_memory_->open_mates(mates, of_mates)) host_memory_.reset();
}

StartHosts Runtime::start_hosts() const {
  const auto hosts = static_cast<std::uint32_t>(host_names_.size());
  return {shadow_, host_of_world_rank_, hosts, hosts_on_machine_};
}

std::string Runtime::take_model() {
  const auto hosts = static_cast<std::uint32_t>(host_names_.size());
  view_ = {host_of_world_rank_, std::vector<std::uint32_t>(hosts, 0)};
  start_model_ = find_start_model(settings_, start_hosts(), host_names_);
  if (start_model_.origin == ModelOrigin::none) {
    return settings_.model.empty() ? ""
                                   : "the model file is empty or cannot be read on rank 0's host";
  }
  auto model = parse_model(std::exchange(start_model_.text, {}));
  if (!model.ok()) return model.error().message;
  auto known = hosts_of(model.value(), host_names_);
  if (!known.ok()) return known.error().message;
  auto view = view_of(model.value(), host_names_, host_of_world_rank_);
  if (!view.ok()) return view.error().message;
  model_host_ = std::move(known.value());
  view_ = std::move(view.value());
  model_ = std::move(model.value());
  return "";
}

}  // namespace quadrille
