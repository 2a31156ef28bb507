// SPDX-License-Identifier: BSD-3-Clause
// The clock that durations and deadlines are taken from: CLOCK_MONOTONIC, which nobody sets. Its
// zero is a host's own, so instants of two hosts say nothing together.
#pragma once

#include "base/units.h"

namespace quadrille {

Nanoseconds monotonic_now();

}  // namespace quadrille
