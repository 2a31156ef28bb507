// SPDX-License-Identifier: BSD-3-Clause
// Who touched which elements of one rank's buffers last: the writer of each element and its readers
// since. The builder derives dependencies from it, the checker finds races with it.
// Steps are recorded in list order. Cost: O(log n) a region plus the steps that it has to follow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "schedule/schedule.h"

namespace quadrille {

class AccessMap {
 public:
  // Records what `step` touches and appends to `follows` the earlier steps that conflict with it
  // and are not separated from it by another conflicting step. Entries may repeat.
  void record(StepIndex step, const Step& what, std::vector<StepIndex>& follows);

 private:
  static constexpr StepIndex nobody = 0xffffffffU;
  struct Segment {
    std::uint64_t end = 0;
    StepIndex writer = nobody;
    std::vector<StepIndex> readers;
  };
  using Segments = std::map<std::uint64_t, Segment>;  // key: first element

  void read(StepIndex step, const Region& region, std::vector<StepIndex>& follows);
  void write(StepIndex step, const Region& region, std::vector<StepIndex>& follows);
  // Cuts the segment that spans `position`, if there is one; returns the first segment at or after
  // it.
  static Segments::iterator cut(Segments& segments, std::uint64_t position);

  std::array<Segments, 3> buffers_;
};

}  // namespace quadrille
