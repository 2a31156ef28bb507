// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/nonblocking_requests.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/monotonic_clock.h"
#include "executor/waiting.h"
#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

// How often the MPI library is looked after while a call of ours is awaited.
constexpr Nanoseconds between_looks_at_library{500'000};
// At the job's end: what has not moved for so long lacks a rank.
constexpr Nanoseconds longest_standstill{2'000'000'000};

// Null: the communicator has been freed.
void tell_handler(MPI_Comm comm, int code) {
  PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
}

// With tags of 1 and more; 0 is that of message_to_self().
MPI_Comm self() { return Runtime::active()->self_shadow(); }

void complete_receive(int tag) { PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, self()); }

void progress_library() {
  const Runtime& runtime = *Runtime::active();
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, runtime.unused_tag(), runtime.shadow(), &found, MPI_STATUS_IGNORE);
}

}  // namespace

// REQUIRES: mutex_ held. May throw std::bad_alloc; there is room for the tag to come back.
int NonblockingRequests::take_tag() {
  if (free_tags_.empty()) {
    free_tags_.reserve(static_cast<std::size_t>(next_tag_) + 1);
    return next_tag_++;
  }
  const int tag = free_tags_.back();
  free_tags_.pop_back();
  return tag;
}

int NonblockingRequests::start(MPI_Comm comm, Communicator& communicator,
                               std::unique_ptr<PendingCall> call, const Timed& timed,
                               MPI_Request* request) {
  const std::scoped_lock lock(mutex_);
  Entries made;
  made[MPI_REQUEST_NULL].queue = communicator.nonblocking_calls();
  auto entry = made.extract(made.begin());
  const int tag = take_tag();
  entry.mapped().call = std::move(call);
  entry.mapped().comm = comm;
  entry.mapped().communicator = &communicator;
  entry.mapped().tag = tag;
  entry.mapped().timed = timed;
  const int code = PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, tag, self(), &entry.key());
  if (code != MPI_SUCCESS) {
    free_tags_.push_back(tag);
    return code;
  }
  *request = entry.key();
  // One that is there was the MPI library's, and has been completed unseen.
  if (const auto stale = entries_.find(*request); stale != entries_.end()) forget(stale);
  Entry& started = entries_.insert(std::move(entry)).position->second;
  ++pending_count;
  try {
    calls_.start(started.queue, started.call->background());
  } catch (...) {
    complete_receive(tag);
    entries_.erase(*request);
    --pending_count;
    free_tags_.push_back(tag);
    PMPI_Wait(request, MPI_STATUS_IGNORE);
    throw;
  }
  return MPI_SUCCESS;
}

// Its data are where the program wants them, and the MPI library takes its request for complete.
void NonblockingRequests::complete(Entry& entry) {
  Runtime& runtime = *Runtime::active();
  const BackgroundCall& done = *entry.call->background();
  if (done.error() && entry.communicator != nullptr) {
    entry.communicator->complain(entry.call->name(), done.error()->message + "; ending the job");
    PMPI_Abort(runtime.shadow(), 1);
  }
  entry.failure = done.error() ? MPI_ERR_OTHER : entry.call->complete();
  runtime.wire_log().add(entry.call->collective(), done.flows());
  if (entry.persistent != nullptr) {
    entry.persistent->call = std::move(entry.call);
  } else {
    entry.call.reset();
    free_tags_.push_back(entry.tag);
  }
  complete_receive(entry.tag);
}

int NonblockingRequests::make_persistent(MPI_Comm comm, Communicator& communicator,
                                         std::unique_ptr<PendingCall> call, BackgroundRanks ranks,
                                         std::uint32_t context, MPI_Request* request) {
  const std::scoped_lock lock(mutex_);
  const wire::Channel channel = ranks.channel;
  auto queue = std::make_shared<BackgroundCalls::Queue>(std::move(ranks));
  const int tag = take_tag();
  std::map<MPI_Request, Persistent> made;
  made[MPI_REQUEST_NULL] = {std::move(call), comm,   std::move(queue), &communicator, tag,
                            context,         channel};
  auto persistent = made.extract(made.begin());
  const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, self(), &persistent.key());
  if (code != MPI_SUCCESS) {
    free_tags_.push_back(tag);
    return code;
  }
  *request = persistent.key();
  persistent_.insert(std::move(persistent));
  ++persistent_count;
  return MPI_SUCCESS;
}

bool NonblockingRequests::is_persistent(MPI_Request request) {
  const std::scoped_lock lock(mutex_);
  return persistent_.contains(request);
}

int NonblockingRequests::start_of(MPI_Request request, Persistent& persistent) try {
  if (persistent.call == nullptr) return MPI_ERR_REQUEST;  // it is under way
  Entries made;
  Entry& entry = made[request];
  entry.comm = persistent.comm;
  entry.queue = persistent.queue;
  entry.communicator = persistent.communicator;
  entry.tag = persistent.tag;
  entry.persistent = &persistent;
  MPI_Request started = request;
  if (const int code = PMPI_Start(&started); code != MPI_SUCCESS) return code;
  const auto begin = [&]() -> int {
    try {
      const int code = persistent.call->begin();
      if (code == MPI_SUCCESS) calls_.start(persistent.queue, persistent.call->background());
      return code;
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    }
  };
  if (const int code = begin(); code != MPI_SUCCESS) {
    complete_receive(persistent.tag);
    PMPI_Wait(&started, MPI_STATUS_IGNORE);
    return code;
  }
  entry.call = std::move(persistent.call);
  // One that is there has failed, and nobody has asked for its code.
  if (const auto stale = entries_.find(request); stale != entries_.end()) forget(stale);
  entries_.insert(made.extract(made.begin()));
  ++pending_count;
  return MPI_SUCCESS;
} catch (const std::bad_alloc&) {
  return MPI_ERR_NO_MEM;
}

int NonblockingRequests::start_persistent(MPI_Request request) {
  MPI_Comm comm = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
  {
    const std::scoped_lock lock(mutex_);
    Persistent& persistent = persistent_.at(request);
    comm = persistent.comm;
    code = start_of(request, persistent);
  }
  if (code != MPI_SUCCESS) tell_handler(comm, code);
  return code;
}

int NonblockingRequests::free_persistent(MPI_Request* request) {
  std::unique_lock lock(mutex_);
  const auto found = persistent_.find(*request);
  const Persistent& persistent = found->second;
  if (persistent.call == nullptr) {  // it is under way
    const MPI_Comm comm = persistent.comm;
    lock.unlock();
    tell_handler(comm, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
  }
  free_tags_.push_back(persistent.tag);
  if (calls_.is_idle(*persistent.queue)) {
    port_.release(persistent.channel);
    Runtime::active()->contexts().release(persistent.context);
  }
  persistent_.erase(found);
  --persistent_count;
  return PMPI_Request_free(request);
}

void NonblockingRequests::complete_done() {
  std::vector<std::pair<MPI_Comm, int>> failures;
  {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t finished = calls_.finished();
    if (finished == seen_finished_) return;
    seen_finished_ = finished;
    for (auto next = entries_.begin(); next != entries_.end();) {
      Entry& entry = next->second;
      if (entry.call == nullptr || !entry.call->background()->is_done()) {
        ++next;
        continue;
      }
      complete(entry);
      if (entry.failure == MPI_SUCCESS) {
        next = forget(next);
      } else {
        failures.emplace_back(entry.comm, entry.failure);
        ++next;
      }
    }
  }
  for (const auto& [comm, code] : failures) tell_handler(comm, code);
}

void NonblockingRequests::progress() {
  BackgroundCalls::Driving(calls_).turn();
  complete_done();
}

bool NonblockingRequests::is_any_of(std::span<const MPI_Request> requests) {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(requests, [this](MPI_Request request) {
    const auto found = entries_.find(request);
    return found != entries_.end() && found->second.call != nullptr;
  });
}

int NonblockingRequests::completed(MPI_Request request) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(request);
  if (found == entries_.end() || found->second.call != nullptr) return MPI_SUCCESS;
  const int failure = found->second.failure;
  forget(found);
  return failure;
}

NonblockingRequests::Entries::iterator NonblockingRequests::forget(Entries::iterator entry) {
  const Timed& timed = entry->second.timed;
  if (timed.sample != nullptr) timed.sample->duration_ns = (monotonic_now() - timed.began).value;
  --pending_count;
  return entries_.erase(entry);
}

void NonblockingRequests::watch(MPI_Request request, const Timed& timed) noexcept try {
  if (request == MPI_REQUEST_NULL) {  // it was an error, or is done
    timed.sample->duration_ns = (monotonic_now() - timed.began).value;
    return;
  }
  const std::scoped_lock lock(mutex_);
  Entry entry;
  entry.timed = timed;
  // One that is there has been completed unseen.
  if (entries_.insert_or_assign(request, std::move(entry)).second) ++pending_count;
} catch (const std::bad_alloc&) {
  timed.sample->duration_ns = OpenSample::longest_ns;
}

void NonblockingRequests::wait_for(std::span<const MPI_Request> requests) {
  if (!is_any_of(requests)) return;
  const Nanoseconds began = monotonic_now();
  const Nanoseconds reports_after{Runtime::active()->settings().wait_report_s * 1'000'000'000};
  bool reported = reports_after.value == 0;
  poll_until([&] {
    if (!reported && monotonic_now() - began > reports_after) {
      reported = true;
      report_wait(requests);
    }
    return !is_any_of(requests);
  });
}

void NonblockingRequests::poll_until(const std::function<bool()>& poll) {
  BackgroundCalls::Driving driving(calls_);
  Waiting waiting(Runtime::active()->settings().waiting);
  Nanoseconds looked_at_library = monotonic_now();
  for (;;) {
    const bool moved = driving.turn();
    complete_done();
    if (poll()) return;
    if (moved) {
      waiting.progressed();
      continue;
    }
    if (const Nanoseconds now = monotonic_now();
        now - looked_at_library > between_looks_at_library) {
      looked_at_library = now;
      progress_library();
    }
    waiting.idle(true, [&](Nanoseconds time) { driving.sleep(time); });
  }
}

void NonblockingRequests::report_wait(std::span<const MPI_Request> requests) {
  const std::scoped_lock lock(mutex_);
  for (const MPI_Request request : requests) {
    const auto found = entries_.find(request);
    if (found == entries_.end()) continue;
    const Entry& entry = found->second;
    if (entry.call != nullptr && entry.communicator != nullptr)
      return entry.communicator->report_long_wait(entry.call->name(),
                                                  calls_.missing_peers(*entry.queue));
  }
}

void NonblockingRequests::release(MPI_Comm comm) {
  const std::scoped_lock lock(mutex_);
  const auto leave = [comm](auto& call) {
    if (call.comm != comm) return;
    call.comm = MPI_COMM_NULL;
    call.communicator = nullptr;
  };
  for (auto& [request, entry] : entries_) leave(entry);
  for (auto& [request, persistent] : persistent_) leave(persistent);
}

void NonblockingRequests::end() {
  Nanoseconds moved = monotonic_now();
  {
    BackgroundCalls::Driving driving(calls_);
    while (!calls_.is_idle() && monotonic_now() - moved < longest_standstill) {
      if (driving.turn()) {
        moved = monotonic_now();
      } else {
        driving.sleep(Nanoseconds{1'000'000});
      }
    }
  }
  complete_done();
  const std::scoped_lock lock(mutex_);
  for (auto& [request, entry] : entries_) {
    if (entry.call == nullptr) continue;
    MPI_Request left = request;
    PMPI_Cancel(&left);
    PMPI_Request_free(&left);
  }
  pending_count -= static_cast<std::uint32_t>(entries_.size());
  entries_.clear();
  for (auto& [request, persistent] : persistent_) {
    if (persistent.call == nullptr) continue;
    MPI_Request left = request;
    PMPI_Request_free(&left);
  }
  persistent_count -= static_cast<std::uint32_t>(persistent_.size());
  persistent_.clear();
}

}  // namespace quadrille
