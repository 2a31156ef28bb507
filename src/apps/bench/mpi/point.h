// SPDX-License-Identifier: BSD-3-Clause
// One point of a benchmark: warm-up, blocks native-ours-ours-native, then both sides in turn,
// within a time budget.
#pragma once

#include <functional>

#include "apps/bench/measurement.h"
#include "apps/bench/mpi/sampler.h"

namespace quadrille::bench {

// Collective over the sampler's ranks; the result is complete on rank 0. `progress` is called there
// with the share of the point that is done, 0 to 1.
PointMeasurement measure_point(Sampler& sampler, const Options& options,
                               const std::function<void(double)>& progress);

}  // namespace quadrille::bench
