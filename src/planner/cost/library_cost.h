// SPDX-License-Identifier: BSD-3-Clause
// What the MPI library's own algorithm takes for a call: as it was measured with the model, or
// estimated.
//
// Integers: all ranks come to the same.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "network/model/model.h"
#include "planner/plan_search.h"
#include "schedule/shape.h"

namespace quadrille {

struct LibraryCost {
  Collective collective = Collective::barrier;
  Bytes bytes;  // as message_size() counts
  Rank ranks = 0;
  Nanoseconds time;
};

// Of the model's costs those of collectives.
std::vector<LibraryCost> library_costs(const NetworkModel& model);

// Between measured sizes on the straight line; below the smallest like it, above the largest in
// proportion. Nothing where no call of as many ranks was measured.
std::optional<Nanoseconds> measured_library_time(std::span<const LibraryCost> measured,
                                                 const Shape& shape);

struct LibraryTime {
  Nanoseconds time;
  bool measured = false;  // else estimated
};

// The measured time, else the best of the algorithms in `costed` that go by ranks alone: what an
// MPI library that chose well could reach, as none is known to go by segments or by multicast.
// Nothing where there is neither.
std::optional<LibraryTime> library_time(std::span<const LibraryCost> measured,
                                        std::span<const CostedCandidate> costed,
                                        const Shape& shape);

}  // namespace quadrille
