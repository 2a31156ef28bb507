// SPDX-License-Identifier: BSD-3-Clause
// Calls of one side without an end, as another job's load beside the one that is measured.
#pragma once

#include <cstdint>
#include <functional>

#include "apps/bench/mpi/sampler.h"
#include "apps/bench/options.h"

namespace quadrille::bench {

// Calls until `options.seconds` have passed; `ready` on rank 0 when the warm-up is over. Returns
// how many calls were made after it. Collective.
std::int64_t run_background(Sampler& sampler, const Options& options,
                            const std::function<void()>& ready);

}  // namespace quadrille::bench
