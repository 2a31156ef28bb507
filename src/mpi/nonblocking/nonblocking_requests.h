// SPDX-License-Identifier: BSD-3-Clause
// The requests of nonblocking collectives. Each is one of the MPI library's own, so that every
// function that takes requests takes it: a receive from this process itself, on a communicator of
// this process alone. When the call is done, and one of the program's threads is in a function that
// completes requests, a message to itself completes the request; the rest is the MPI library's.
//
// Thread rule: any thread.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "executor/background_calls.h"
#include "mpi/communicator/communicator.h"
#include "mpi/nonblocking/pending_call.h"

namespace quadrille {

class NonblockingRequests {
 public:
  // `port` outlives this.
  explicit NonblockingRequests(wire::Port& port) : port_(port), calls_(port) {}
  NonblockingRequests(const NonblockingRequests&) = delete;
  NonblockingRequests& operator=(const NonblockingRequests&) = delete;

  // Whether the process has any that its program has not completed.
  static bool has_any() { return pending_count.load(std::memory_order_acquire) > 0; }

  // Of a call that belongs to a trial: until the program has completed its request.
  struct Timed {
    std::shared_ptr<OpenSample> sample = nullptr;  // null: it does not
    Nanoseconds began{};
  };

  // Starts `call` as the communicator's next nonblocking one; returns an MPI error code. May throw
  // std::bad_alloc, with nothing started.
  int start(MPI_Comm comm, Communicator& communicator, std::unique_ptr<PendingCall> call,
            const Timed& timed, MPI_Request* request);
  // A persistent call: `ranks` are its own, on a channel that no other call has, and `context` is
  // that channel's number. Returns an MPI error code; may throw std::bad_alloc.
  int make_persistent(MPI_Comm comm, Communicator& communicator, std::unique_ptr<PendingCall> call,
                      BackgroundRanks ranks, std::uint32_t context, MPI_Request* request);
  static bool has_any_persistent() { return persistent_count.load(std::memory_order_acquire) > 0; }
  bool is_persistent(MPI_Request request);
  // Starts it; returns an MPI error code, which its communicator's error handler has been told.
  // REQUIRES: is_persistent().
  int start_persistent(MPI_Request request);
  // The program frees it; the code likewise. REQUIRES: is_persistent().
  int free_persistent(MPI_Request* request);

  // Takes the time of a call that the MPI library executes. Without memory it counts as long.
  void watch(MPI_Request request, const Timed& timed) noexcept;

  // What all functions that complete requests begin with: brings on what is under way and completes
  // the requests of all calls that are done.
  void progress();
  // Returns when those of `requests` that are ours are complete. The MPI library's own operations
  // go on meanwhile.
  void wait_for(std::span<const MPI_Request> requests);
  // Has `poll` look at requests again and again, until it returns true.
  void poll_until(const std::function<bool()>& poll);
  // Whether any of `requests` is ours, and not complete.
  bool is_any_of(std::span<const MPI_Request> requests);
  // The program has completed `request`; returns an MPI error code, that of a call of ours that has
  // failed.
  int completed(MPI_Request request);

  // The communicator is freed; calls of it may be under way.
  void release(MPI_Comm comm);
  // Whether no call of it is.
  bool is_idle(const BackgroundCalls::Queue& queue) { return calls_.is_idle(queue); }
  // All ranks have started what they will ever start. Waits until all is done, or nothing moves any
  // more: some rank has not started what others have.
  void end();

 private:
  struct Persistent {
    std::unique_ptr<PendingCall> call;  // null: it is under way
    MPI_Comm comm = MPI_COMM_NULL;      // null: freed meanwhile
    std::shared_ptr<BackgroundCalls::Queue> queue;
    Communicator* communicator = nullptr;  // null: freed meanwhile
    int tag = 0;
    std::uint32_t context = 0;
    wire::Channel channel = 0;
  };
  struct Entry {
    std::unique_ptr<PendingCall> call;  // null: it has failed, or is the MPI library's
    MPI_Comm comm = MPI_COMM_NULL;      // null: freed meanwhile
    std::shared_ptr<BackgroundCalls::Queue> queue;
    Communicator* communicator = nullptr;  // null: freed meanwhile
    int tag = 0;
    Timed timed;
    Persistent* persistent = nullptr;  // the call goes back to it
    int failure = MPI_SUCCESS;
  };
  using Entries = std::map<MPI_Request, Entry>;

  int start_of(MPI_Request request, Persistent& persistent);
  int take_tag();
  // Completes the requests of all calls that are done.
  void complete_done();
  void complete(Entry& entry);
  Entries::iterator forget(Entries::iterator entry);
  void report_wait(std::span<const MPI_Request> requests);

  static inline std::atomic<std::uint32_t> pending_count{0};
  static inline std::atomic<std::uint32_t> persistent_count{0};

  wire::Port& port_;

  std::mutex mutex_;
  Entries entries_;
  std::map<MPI_Request, Persistent> persistent_;
  std::vector<int> free_tags_;
  int next_tag_ = 1;
  std::uint64_t seen_finished_ = 0;  // of the calls
  BackgroundCalls calls_;            // ends before what it works on
};

}  // namespace quadrille
