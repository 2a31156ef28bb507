// SPDX-License-Identifier: BSD-3-Clause
// Two thirds of the budget go to the blocks, the rest to the calls in turn; without those, all of
// it. At least two rounds of each are made, so blocks get shorter where calls are long.
#include "apps/bench/mpi/point.h"

#include <algorithm>
#include <utility>

#include "base/monotonic_clock.h"

namespace quadrille::bench {
namespace {

constexpr int kLeastRounds = 2;
// The native side has nothing to learn: its warm-up may stop when it used this share of the budget.
constexpr double kNativeWarmUpShare = 0.2;
constexpr int kLeastNativeWarmUp = 3;

double block_share(const Options& options) { return options.blocks_only ? 1.0 : 2.0 / 3; }

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(monotonic_now().value - start_ns) * 1e-9;
}

struct WarmUp {
  std::int64_t calls = 0;
  double seconds_per_call = 0;
};

WarmUp warm_up(Sampler& sampler, Side side, const Options& options) {
  WarmUp result;
  std::vector<Sample> samples;
  const std::int64_t start_ns = monotonic_now().value;
  const auto wanted = [&]() -> std::int64_t {
    if (result.calls >= options.warm_up) return 0;
    const bool enough = side == Side::native && result.calls >= kLeastNativeWarmUp &&
                        seconds_since(start_ns) > kNativeWarmUpShare * options.seconds;
    return enough ? 0 : 1;
  };
  while (sampler.agree(wanted) == 1) {
    sampler.measure(side, 1, samples);
    ++result.calls;
  }
  if (samples.empty()) return result;
  std::sort(samples.begin(), samples.end(), [](const Sample& one, const Sample& other) {
    return one.duration_ns < other.duration_ns;
  });
  const Sample& middle = samples[samples.size() / 2];
  result.seconds_per_call = static_cast<double>(middle.duration_ns) * 1e-9;
  return result;
}

int block_length(const Options& options, const WarmUp& native, const WarmUp& library) {
  const double pair = native.seconds_per_call + library.seconds_per_call;
  if (pair <= 0) return options.calls;
  const double fitting = block_share(options) * options.seconds / (kLeastRounds * 2 * pair);
  return static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(options.calls)));
}

// Runs rounds until `budget` is used up or `most` are done; reports the share done.
template <typename Round>
void run_rounds(Sampler& sampler, int most, double budget,
                const std::function<void(double)>& progress, Round round) {
  const std::int64_t start_ns = monotonic_now().value;
  for (int done = 0;;) {
    round();
    ++done;
    const auto more = sampler.agree([&]() -> std::int64_t {
      const double used = seconds_since(start_ns) / budget;
      progress(std::min(1.0, std::max(used, static_cast<double>(done) / most)));
      return done < most && (done < kLeastRounds || used < 1) ? 1 : 0;
    });
    if (more == 0) return;
  }
}

}  // namespace

PointMeasurement measure_point(Sampler& sampler, const Options& options,
                               const std::function<void(double)>& progress) {
  PointMeasurement point;
  const Side first = options.library_first ? Side::library : Side::native;
  const Side second = options.library_first ? Side::native : Side::library;
  const WarmUp one = warm_up(sampler, first, options);
  const WarmUp other = warm_up(sampler, second, options);
  const WarmUp& native = options.library_first ? other : one;
  const WarmUp& library = options.library_first ? one : other;
  point.warm_up_native = native.calls;
  point.warm_up_library = library.calls;
  point.calls_per_block =
      static_cast<int>(sampler.agree([&] { return block_length(options, native, library); }));
  const auto block = [&](Measurement& into, Side side, int calls) {
    into.repeated +=
        sampler.measure(side, calls, side == Side::native ? into.native : into.library);
  };
  const double for_blocks = block_share(options);
  run_rounds(
      sampler, options.blocks, options.seconds * for_blocks,
      [&](double share) { progress(share * for_blocks); },
      [&] {
        for (const Side side : {first, second, second, first}) {
          block(point.blocks, side, point.calls_per_block);
        }
      });
  if (!options.blocks_only) {
    Measurement& in_turn = point.alternating.emplace();
    // A round of calls in turn makes half as many calls as one of blocks.
    run_rounds(
        sampler, 2 * options.blocks, options.seconds * (1 - for_blocks),
        [&](double share) { progress(for_blocks + share * (1 - for_blocks)); },
        [&] {
          for (int call = 0; call < point.calls_per_block; ++call) {
            block(in_turn, first, 1);
            block(in_turn, second, 1);
          }
        });
  }
  point.verified = sampler.verified();
  point.wrong = sampler.wrong();
  return point;
}

}  // namespace quadrille::bench
