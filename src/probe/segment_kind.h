// SPDX-License-Identifier: BSD-3-Clause
// Switch or bus: two hosts of a segment send to each other at once. A switch carries both ways, on
// a bus they take turns and everybody else of the segment waits as well.
#pragma once

#include <vector>

#include "probe/loaded_view.h"

namespace quadrille::probe {

struct KindFinding {
  SegmentKind kind = SegmentKind::switched;
  double confidence = 0;  // 0: nothing was seen
};

// The kind of each of `segments`, by position. A segment of one host is judged by whether it can
// send and receive at once, where others can keep up with it.
Result<std::vector<KindFinding>> find_kinds(LoadedViews& views,
                                            const std::vector<HostSet>& segments);

}  // namespace quadrille::probe
