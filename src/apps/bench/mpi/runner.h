// SPDX-License-Identifier: BSD-3-Clause
// A whole benchmark run: every collective, size and number of ranks asked for, one line of results
// each.
#pragma once

#include "apps/bench/options.h"

namespace quadrille::bench {

// REQUIRES: MPI is initialised. Collective over MPI_COMM_WORLD. Returns the exit code: 0, 1 if a
// result was wrong or a file could not be used, 2 if the options do not fit the number of ranks.
int run_benchmark(const Options& options);

}  // namespace quadrille::bench
