// SPDX-License-Identifier: BSD-3-Clause
// Summaries by sorting; intervals by B. Efron's percentile bootstrap (Ann. Statist. 7:1, 1979,
// doi:10.1214/aos/1176344552).
#include "apps/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace quadrille::bench {
namespace {

// REQUIRES: sorted is not empty, 0 < share <= 1
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

double median_of(const std::vector<std::int64_t>& sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return static_cast<double>(sorted[half]);
  return (static_cast<double>(sorted[half - 1]) + static_cast<double>(sorted[half])) / 2;
}

double mean_of(std::span<const std::int64_t> samples) {
  const double sum = std::accumulate(
      samples.begin(), samples.end(), 0.0,
      [](double total, std::int64_t value) { return total + static_cast<double>(value); });
  return sum / static_cast<double>(samples.size());
}

double centre_of(std::vector<std::int64_t>& samples, Centre centre) {
  if (centre == Centre::mean) return mean_of(samples);
  std::sort(samples.begin(), samples.end());
  return median_of(samples);
}

void resample(std::span<const std::int64_t> from, std::vector<std::int64_t>& into,
              std::mt19937_64& random) {
  into.resize(from.size());
  // Not uniform_int_distribution: its sequence differs between standard libraries. The bias is
  // below 2^-40.
  for (auto& value : into) value = from[random() % from.size()];
}

}  // namespace

Summary summarize(std::span<const std::int64_t> samples_ns) {
  Summary summary;
  if (samples_ns.empty()) return summary;
  std::vector<std::int64_t> sorted(samples_ns.begin(), samples_ns.end());
  std::sort(sorted.begin(), sorted.end());
  summary.samples = sorted.size();
  summary.min_ns = static_cast<double>(sorted.front());
  summary.max_ns = static_cast<double>(sorted.back());
  summary.median_ns = median_of(sorted);
  summary.mean_ns = mean_of(sorted);
  summary.p10_ns = static_cast<double>(nearest_rank(sorted, 0.10));
  summary.p90_ns = static_cast<double>(nearest_rank(sorted, 0.90));
  summary.p99_ns = static_cast<double>(nearest_rank(sorted, 0.99));
  if (sorted.size() > 1) {
    double squares = 0;
    for (const auto value : sorted)
      squares += std::pow(static_cast<double>(value) - summary.mean_ns, 2);
    summary.deviation_ns = std::sqrt(squares / static_cast<double>(sorted.size() - 1));
  }
  const double threshold = summary.median_ns + static_cast<double>(kStallNs);
  summary.stalls =
      static_cast<std::size_t>(std::count_if(sorted.begin(), sorted.end(), [&](std::int64_t value) {
        return static_cast<double>(value) > threshold;
      }));
  return summary;
}

Ratio bootstrap_ratio(std::span<const std::int64_t> numerator_ns,
                      std::span<const std::int64_t> denominator_ns, Centre centre,
                      std::uint64_t seed, int resamples) {
  std::vector<std::int64_t> above(numerator_ns.begin(), numerator_ns.end());
  std::vector<std::int64_t> below(denominator_ns.begin(), denominator_ns.end());
  Ratio ratio;
  ratio.value = centre_of(above, centre) / centre_of(below, centre);
  std::mt19937_64 random(seed);
  std::vector<double> ratios;
  ratios.reserve(static_cast<std::size_t>(resamples));
  for (int round = 0; round < resamples; ++round) {
    resample(numerator_ns, above, random);
    resample(denominator_ns, below, random);
    ratios.push_back(centre_of(above, centre) / centre_of(below, centre));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double share) {
    return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
  };
  ratio.low = at(0.025);
  ratio.high = at(0.975);
  return ratio;
}

}  // namespace quadrille::bench
