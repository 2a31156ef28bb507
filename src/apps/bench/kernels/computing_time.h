// SPDX-License-Identifier: BSD-3-Clause
// How long a rank computes in a step, by this thread's own processor time, so that it holds where
// others share the processor. What stands for computing where hosts are emulated and have no
// processor of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/bench/kernels/leapfrog.h"

namespace quadrille::bench {

// The forces on `own` of `bodies`, in ns; those of at most 256 are measured, three times, and the
// least counts.
std::int64_t computing_time_ns(const Bodies& bodies, std::size_t own, Forces forces);

}  // namespace quadrille::bench
