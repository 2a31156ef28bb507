// SPDX-License-Identifier: BSD-3-Clause
// Times single calls of one shape, so that every rank starts at the same agreed instant and neither
// the agreement nor the checking of results is inside the measured time.
//
// Each call: ranks fill their buffers, meet (which carries the previous call's times to rank 0),
// learn an instant that lies far enough ahead for the word to have reached everyone, sleep until
// it, call, note the end, check the result. A call at whose instant some rank was not there is made
// again. SPMD: every rank runs the same sequence; only rank 0 collects samples.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bench/execution.h"
#include "apps/bench/measurement.h"
#include "apps/bench/mpi/operations.h"
#include "apps/bench/mpi/rendezvous.h"
#include "apps/bench/options.h"
#include "base/shared_clock.h"

namespace quadrille::bench {

class Sampler {
 public:
  Sampler(const Operation& operation, Call& call, Rendezvous& rendezvous, const SharedClock& clock,
          const ExecutionSource& executions, const Options& options, bool spin);

  // Makes `calls` calls of one side; rank 0 appends their samples to `into`. Returns the number of
  // samples that were thrown away and taken again (rank 0; 0 elsewhere).
  std::size_t measure(Side side, int calls, std::vector<Sample>& into);

  // Rank 0's word on something that all ranks have to decide alike.
  std::int64_t agree(const std::function<std::int64_t()>& decide);

  std::int64_t verified() const { return verified_; }
  std::int64_t wrong() const { return wrong_; }  // rank 0: over all ranks

 private:
  void timed_call(Side side);
  std::size_t measure_at_instants(Side side, int calls, std::vector<Sample>& into);
  void measure_back_to_back(Side side, int calls, std::vector<Sample>& into);
  void invoke(Side side, Report& report);
  Report take_report();
  void harvest(const Report& report);
  void adjust_margin(const Report& report);
  std::int64_t settle(std::vector<Sample>& into, std::int64_t& repeats_left, std::size_t& repeated);
  std::int64_t skew_ns(int rank) const;
  std::int64_t largest_skew_ns() const;

  const Operation& operation_;
  Call& call_;
  Rendezvous& rendezvous_;
  const SharedClock& clock_;
  const ExecutionSource& executions_;
  const Options& options_;
  const bool spin_;

  std::uint64_t number_ = 0;  // of the latest call, warm-up included; equal on all ranks
  std::uint64_t side_number_[2] = {0, 0};
  Side side_ = Side::native;  // of the latest call
  Report report_;             // this rank's, of the latest call
  std::int64_t verified_ = 0;
  std::int64_t wrong_ = 0;

  // Rank 0 alone.
  bool outstanding_ = false;           // a call was made whose report has not been harvested
  std::int64_t planned_start_ns_ = 0;  // shared time: the latest rank's planned start
  std::int64_t margin_ns_ = 1'000'000;
  Execution execution_;
  std::vector<Sample> pending_;
  std::int64_t seen_ = 0;  // calls settled
  std::int64_t seen_late_ = 0;
  std::vector<std::int64_t> durations_[2];  // of all calls so far, by side
};

}  // namespace quadrille::bench
