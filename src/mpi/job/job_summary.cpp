// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/job_summary.h"

#include <array>
#include <cstdio>

#include "mpi/call/call_counts.h"

namespace quadrille {
namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

void JobSummary::write(MPI_Comm ranks, Nanoseconds now) const {
  const CallCounts::Sum calls = call_counts.sum();
  const std::array<std::int64_t, 6> own{now.value - began_ns_,
                                        in_calls_ns_.load(std::memory_order_relaxed),
                                        static_cast<std::int64_t>(calls.by_quadrille),
                                        static_cast<std::int64_t>(calls.all),
                                        gain_ns_.load(std::memory_order_relaxed),
                                        compared_.load(std::memory_order_relaxed)};
  std::array<std::int64_t, 6> all{};
  PMPI_Reduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_INT64_T, MPI_SUM, 0, ranks);
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(ranks, &rank);
  PMPI_Comm_size(ranks, &size);
  if (rank != 0) return;
  const auto [run_ns, in_calls_ns, by_quadrille, made, gain_ns, compared] = all;
  std::fprintf(stderr,
               "quadrille: the mean rank spent %.1f of %.1f s (%.0f %%) in blocking collectives; "
               "Quadrille executed %lld of %lld collectives",
               seconds(in_calls_ns / size), seconds(run_ns / size),
               100.0 * static_cast<double>(in_calls_ns) / static_cast<double>(run_ns),
               static_cast<long long>(by_quadrille), static_cast<long long>(made));
  if (compared > 0) {
    std::fprintf(stderr,
                 "; by this job's trials %lld of these saved the mean rank %.1f s against the MPI "
                 "library",
                 static_cast<long long>(compared), seconds(gain_ns / size));
  }
  std::fputs("\n", stderr);
}

}  // namespace quadrille
