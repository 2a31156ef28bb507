// SPDX-License-Identifier: BSD-3-Clause
// One time for all ranks: each rank's monotonic clock, and its offset from rank 0's as far as
// measurements tell. The arithmetic here sees only measured instants; who measures is
// mpi/clock_alignment.
#pragma once

#include <cstdint>
#include <optional>

namespace quadrille {

// Offset of this rank's clock from rank 0's at one instant; it is wrong by at most
// `uncertainty_ns`, which is half of the fastest round trip that measured it.
struct OffsetEstimate {
  std::int64_t at_ns = 0;  // this rank's clock
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;
};

// The estimate from one exchange: rank 0 asked at `asked_ns`, got the answer at `answered_ns` (its
// clock), and the other rank read `remote_ns` on its own clock in between.
OffsetEstimate estimate_from(std::int64_t asked_ns, std::int64_t remote_ns,
                             std::int64_t answered_ns);

// Converts between this rank's clock and rank 0's ("shared" time). The drift between two clocks is
// used once two estimates lie so far apart that it exceeds what their uncertainty alone could show.
// A new estimate that is less certain than the old one has become by ageing is not taken.
class SharedClock {
 public:
  void learn(const OffsetEstimate& estimate);
  std::int64_t to_shared(std::int64_t local_ns) const { return local_ns - offset_at(local_ns); }
  std::int64_t to_local(std::int64_t shared_ns) const {
    return shared_ns + offset_at(shared_ns + latest_.offset_ns);
  }
  std::int64_t uncertainty_ns() const { return latest_.uncertainty_ns; }
  double drift_ppm() const { return drift_ * 1e6; }

 private:
  std::int64_t offset_at(std::int64_t local_ns) const;

  std::optional<OffsetEstimate> first_;
  OffsetEstimate latest_;
  double drift_ = 0;  // ns of offset a ns of time
};

}  // namespace quadrille
