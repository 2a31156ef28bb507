// SPDX-License-Identifier: BSD-3-Clause
// Figures of a set of durations. Pure functions; the bootstrap is seeded, so the same samples give
// the same interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quadrille::bench {

// A sample this far above the median is a stall: TCP's smallest retransmission time is four times
// as long.
inline constexpr std::int64_t kStallNs = 50'000'000;

struct Summary {
  std::size_t samples = 0;
  double min_ns = 0;
  double median_ns = 0;
  double mean_ns = 0;
  double deviation_ns = 0;  // of the sample, divided by n - 1
  double p10_ns = 0;        // percentiles are nearest-rank: always a value that was measured
  double p90_ns = 0;
  double p99_ns = 0;
  double max_ns = 0;
  std::size_t stalls = 0;  // samples more than kStallNs above the median
};

// Returns zeros for no samples.
Summary summarize(std::span<const std::int64_t> samples_ns);

enum class Centre { median, mean };

// A ratio with its 95 % bootstrap interval (percentile method).
struct Ratio {
  double value = 0;
  double low = 0;
  double high = 0;
};

// Centre of `numerator_ns` over centre of `denominator_ns`; each side is resampled on its own.
// REQUIRES: both hold at least one sample, and the denominator's are above 0.
Ratio bootstrap_ratio(std::span<const std::int64_t> numerator_ns,
                      std::span<const std::int64_t> denominator_ns, Centre centre,
                      std::uint64_t seed, int resamples = 1000);

}  // namespace quadrille::bench
