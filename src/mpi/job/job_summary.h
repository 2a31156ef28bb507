// SPDX-License-Identifier: BSD-3-Clause
// What QUADRILLE_SUMMARY=on has the job say in a line at its end: how much of its time its blocking
// collectives took, how many Quadrille executed, and what that has saved.
//
// Thread rule: any thread, but for begin() and write().
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/units.h"

namespace quadrille {

class JobSummary {
 public:
  // From now on calls are timed.
  void begin(Nanoseconds now) { began_ns_ = now.value; }
  bool has_begun() const { return began_ns_ != 0; }

  // This rank has made a blocking collective.
  void add(Nanoseconds took) { in_calls_ns_.fetch_add(took.value, std::memory_order_relaxed); }
  // One by Quadrille, outside of trials, of whose kind this job's trials say so.
  void add_gain(std::int64_t gain_ns) {
    gain_ns_.fetch_add(gain_ns, std::memory_order_relaxed);
    compared_.fetch_add(1, std::memory_order_relaxed);
  }

  // Rank 0 writes the line. Collective over `ranks`, which are all of the job's. REQUIRES:
  // has_begun() on all of them.
  void write(MPI_Comm ranks, Nanoseconds now) const;

 private:
  std::int64_t began_ns_ = 0;
  std::atomic<std::int64_t> in_calls_ns_ = 0;
  std::atomic<std::int64_t> gain_ns_ = 0;
  std::atomic<std::int64_t> compared_ = 0;
};

inline JobSummary job_summary;

}  // namespace quadrille
