// SPDX-License-Identifier: BSD-3-Clause
// Calls that go on while the program does other things: nonblocking collectives. A thread of their
// own runs their schedules over the wire alone, and never calls MPI. Those of one communicator run
// one behind the other, in the order in which all its ranks have started them; those of several
// side by side.
//
// Who waits for a call drives all of them itself meanwhile (Driving), and the thread sleeps.
//
// Thread rule: any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "executor/by_wire.h"
#include "executor/executor.h"
#include "schedule/prepared_schedule.h"
#include "wire/port.h"

namespace quadrille {

// Of one communicator: who its ranks are, and their channel for such calls.
struct BackgroundRanks {
  wire::Channel channel = 0;
  std::vector<int> world_ranks;             // [ranks], which are the endpoints' numbers
  std::vector<std::uint32_t> host_of_rank;  // [ranks]
  Rank rank = 0;                            // own
};

class BackgroundCall {
 public:
  // `memory` is valid until the call is done; its elements have no gaps.
  BackgroundCall(SharedSchedule schedule, CallMemory memory)
      : schedule_(std::move(schedule)), memory_(std::move(memory)) {}

  bool is_done() const { return done_.load(std::memory_order_acquire); }
  // What follows REQUIRES: is_done().
  // That of a peer which has ended, or of this host's network; the channel is of no use any more.
  const std::optional<Error>& error() const { return error_; }
  // A message had another length than the peer's.
  bool is_truncated() const { return is_truncated_; }
  const wire::FlowStatistics& flows() const { return flows_; }

 private:
  friend class BackgroundCalls;
  SharedSchedule schedule_;
  CallMemory memory_;
  std::optional<Error> error_;
  bool is_truncated_ = false;
  wire::FlowStatistics flows_;
  std::atomic<bool> done_ = false;
};

class BackgroundCalls {
 public:
  // A communicator's calls, one behind the other.
  class Queue {
   public:
    explicit Queue(BackgroundRanks ranks) : ranks_(std::move(ranks)) {}

   private:
    friend class BackgroundCalls;
    BackgroundRanks ranks_;
    std::deque<std::shared_ptr<BackgroundCall>> calls_;  // the first is under way, once begun
    bool has_begun_ = false;
    std::optional<Error> broken_;  // by an earlier call's error
    Executor executor_;
    ByWire by_wire_;
  };

  // `port` outlives this.
  explicit BackgroundCalls(wire::Port& port);
  BackgroundCalls(const BackgroundCalls&) = delete;
  BackgroundCalls& operator=(const BackgroundCalls&) = delete;
  // What is not done is given up.
  ~BackgroundCalls();

  // Begins `call` as the queue's next. Where no thread is left for it, only those who wait drive
  // it.
  void start(const std::shared_ptr<Queue>& queue, std::shared_ptr<BackgroundCall> call);
  // Whether all that was started is done.
  bool is_idle();
  bool is_idle(const Queue& queue);
  // How many calls have ended, ever.
  std::uint64_t finished() const { return finished_.load(std::memory_order_acquire); }
  // The ranks that the call which is under way in `queue` waits for.
  std::vector<Rank> missing_peers(const Queue& queue);

  // While one of these lives, whoever has it drives the calls, by turn().
  class Driving {
   public:
    explicit Driving(BackgroundCalls& calls) : calls_(calls) { ++calls_.drivers_; }
    ~Driving();
    Driving(const Driving&) = delete;
    Driving& operator=(const Driving&) = delete;
    // Returns whether anything has moved.
    bool turn();
    // Until something arrives, or for `time`.
    void sleep(Nanoseconds time) { calls_.port_.wait(time); }

   private:
    BackgroundCalls& calls_;
  };

 private:
  bool turn();
  bool advance(Queue& queue);
  Result<bool> begin_next(Queue& queue);
  Result<bool> look_at(Queue& queue);
  void finish(Queue& queue, std::optional<Error> error);
  void serve();

  wire::Port& port_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Queue>> active_;  // those with calls
  std::atomic<int> drivers_ = 0;
  std::atomic<std::uint64_t> finished_ = 0;
  bool ending_ = false;
  std::thread thread_;
  int process_;  // that has the thread
};

}  // namespace quadrille
