// SPDX-License-Identifier: BSD-3-Clause
// Ranks agree on going on after each few calls, so that all end with the same one.
#include "apps/bench/mpi/background.h"

#include <vector>

#include "base/monotonic_clock.h"

namespace quadrille::bench {

std::int64_t run_background(Sampler& sampler, const Options& options,
                            const std::function<void()>& ready) {
  const Side side = options.background == Background::native ? Side::native : Side::library;
  std::vector<Sample> samples;
  if (options.warm_up > 0) sampler.measure(side, options.warm_up, samples);
  sampler.agree([&]() -> std::int64_t {
    ready();
    return 0;
  });
  const std::int64_t start_ns = monotonic_now().value;
  std::int64_t made = 0;
  do {
    samples.clear();
    sampler.measure(side, options.calls, samples);
    made += options.calls;
  } while (sampler.agree([&]() -> std::int64_t {
    const auto passed = static_cast<double>(monotonic_now().value - start_ns) * 1e-9;
    return passed < options.seconds ? 1 : 0;
  }) == 1);
  return made;
}

}  // namespace quadrille::bench
