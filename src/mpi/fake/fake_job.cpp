// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/fake/fake_job.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "mpi/fake/fake_state.h"

namespace quadrille::fake {
namespace {

std::unique_ptr<State> the_state;
thread_local int thread_rank = 0;
thread_local const char* thread_function = "";

// Looks of every rank, all in vain, after which nothing can come: more than any one function of the
// library's takes to look at all that it waits for.
constexpr int polls_in_vain = 100;

bool is_stuck() {
  return std::ranges::all_of(state().ranks, [](const FakeRank& rank) {
    return rank.ended ||
           (rank.seen_progress == state().progress && rank.idle_polls > polls_in_vain);
  });
}

void release_all() {
  State& all = state();
  ++all.releases;
  for (auto& [handle, request] : all.requests) {
    if (request->complete || (request->meeting && request->meeting->arrived > 0 &&
                              request->meeting->arrived == request->meeting->brought.size()))
      continue;
    request->complete = true;
    request->code = released_code;
    if (request->meeting) request->meeting->broken = true;
  }
  for (FakeRank& rank : all.ranks) std::erase_if(rank.posted, [](auto& r) { return r->complete; });
  const auto break_meetings = [](FakeCommunicator& communicator) {
    for (auto& [key, meeting] : communicator.meetings) {
      meeting->broken = true;
      communicator.broken = true;
    }
    communicator.meetings.clear();
  };
  for (auto& [handle, communicator] : all.communicators) break_meetings(*communicator);
  note_progress();
}

}  // namespace

State& state() { return *the_state; }
int own_rank() { return thread_rank; }
const char* own_function() { return thread_function; }
int new_handle(int kind) { return kind | (state().next_handle++ & 0xffffff); }
void note_progress() { ++state().progress; }

void idle(Lock& lock) {
  FakeRank& own = state().ranks[static_cast<std::size_t>(own_rank())];
  if (own.seen_progress != state().progress) {
    own.seen_progress = state().progress;
    own.idle_polls = 0;
  }
  ++own.idle_polls;
  if (is_stuck()) release_all();
  lock.unlock();
  sched_yield();
  lock.lock();
}

Entered::Entered(const char* function, MPI_Comm comm) : lock_(state().mutex) {
  thread_function = function;
  const std::uint64_t nth = ++state().ranks[static_cast<std::size_t>(own_rank())].calls[function];
  for (const Fault& fault : state().faults) {
    if (fault.function != function || fault.rank != own_rank() || fault.nth != nth) continue;
    state().fault_met = true;
    failure_ = raise_error(lock_, comm, fault.code);
    return;
  }
}

int raise_error(Lock& lock, MPI_Comm comm, int code) {
  const CommunicatorPointer communicator = find_communicator(comm);
  if (!communicator) return code;
  const auto rank = static_cast<std::size_t>(communicator->rank_of(own_rank()));
  const MPI_Errhandler handler = communicator->of_rank[rank].handler;
  if (handler == MPI_ERRORS_RETURN) return code;
  if (handler == MPI_ERRORS_ARE_FATAL) {
    state().aborted = true;
    return code;
  }
  MPI_Comm_errhandler_function* const function = state().handlers.at(handler);
  lock.unlock();
  int told = code;
  function(&comm, &told);
  lock.lock();
  return code;
}

FakeJob::FakeJob(int ranks) {
  the_state = std::make_unique<State>();
  State& all = *the_state;
  all.ranks.resize(static_cast<std::size_t>(ranks));
  std::vector<int> everyone;
  for (int rank = 0; rank < ranks; ++rank) {
    everyone.push_back(rank);
    all.selves.push_back(std::make_shared<FakeCommunicator>(
        FakeCommunicator{MPI_COMM_SELF, {rank}, std::vector<FakeCommunicator::OfRank>(1)}));
  }
  all.communicators[MPI_COMM_WORLD] = std::make_shared<FakeCommunicator>(FakeCommunicator{
      MPI_COMM_WORLD, everyone, std::vector<FakeCommunicator::OfRank>(everyone.size())});
}

FakeJob::~FakeJob() { the_state.reset(); }

void FakeJob::fail(const Fault& fault) {
  const Lock lock(state().mutex);
  Fault counted = fault;
  counted.nth += state().ranks[static_cast<std::size_t>(fault.rank)].calls[fault.function];
  state().faults.push_back(counted);
}

void FakeJob::forget_faults() {
  const Lock lock(state().mutex);
  state().faults.clear();
}

void FakeJob::lie_about_size(int rank, int size) {
  const Lock lock(state().mutex);
  state().size_lies[rank] = size;
}

void FakeJob::free_with_failed() {
  const Lock lock(state().mutex);
  state().frees_with_failed = true;
}

void FakeJob::run(const std::function<void(int rank)>& program) {
  for (FakeRank& rank : state().ranks) rank.ended = false;
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < state().ranks.size(); ++rank) {
    threads.emplace_back([rank, &program] {
      thread_rank = static_cast<int>(rank);
      program(thread_rank);
      const Lock lock(state().mutex);
      state().ranks[rank].ended = true;
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void FakeJob::meet() {
  Lock lock(state().mutex);
  const std::size_t ranks = state().ranks.size();
  FakeRank& own = state().ranks[static_cast<std::size_t>(own_rank())];
  const std::size_t all = (state().met++ / ranks + 1) * ranks;
  own.ended = true;
  if (state().met == all) {
    for (FakeRank& rank : state().ranks) rank.ended = false;
    note_progress();
  }
  while (state().met < all) {
    lock.unlock();
    sched_yield();
    lock.lock();
  }
}

bool FakeJob::fault_was_met() const { return state().fault_met; }
int FakeJob::releases() const { return state().releases; }
bool FakeJob::was_aborted() const { return state().aborted; }
CallCounts FakeJob::calls(int rank) const {
  const Lock lock(state().mutex);
  return state().ranks[static_cast<std::size_t>(rank)].calls;
}
std::size_t FakeJob::open_receives(int rank) const {
  const Lock lock(state().mutex);
  return state().ranks[static_cast<std::size_t>(rank)].posted.size();
}
std::size_t FakeJob::communicators() const { return state().communicators.size() - 1; }
std::size_t FakeJob::datatypes() const { return state().types.size(); }
std::size_t FakeJob::groups() const { return state().groups.size(); }

void* look_up(const char* symbol) {
  const std::string name = symbol[0] == 'P' ? symbol : std::string("P") + symbol;
  return dlsym(RTLD_DEFAULT, name.c_str());
}

}  // namespace quadrille::fake
