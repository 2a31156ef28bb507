// SPDX-License-Identifier: BSD-3-Clause
// How long before its start a round has to be sent out: learnt from how much time the hosts had to
// spare.
#pragma once

#include <algorithm>
#include <cstdint>

namespace quadrille::probe {

class StartMargin {
 public:
  explicit StartMargin(std::int64_t first_ns) : margin_ns_(first_ns) {}

  std::int64_t ns() const { return margin_ns_; }

  // `least_spare_ns`: of the host that had its order last, before the start; negative: too late.
  void learn(std::int64_t least_spare_ns) {
    const std::int64_t needed_ns = margin_ns_ - least_spare_ns;
    // Half more than what was needed; downwards slowly, since one round shows little of the worst.
    const std::int64_t wished_ns = needed_ns + needed_ns / 2 + reserve_ns;
    const std::int64_t next_ns =
        wished_ns > margin_ns_ ? wished_ns : margin_ns_ - (margin_ns_ - wished_ns) / 4;
    margin_ns_ = std::clamp(next_ns, least_ns, most_ns);
  }

 private:
  static constexpr std::int64_t reserve_ns = 1'000'000;
  static constexpr std::int64_t least_ns = 2'000'000;
  static constexpr std::int64_t most_ns = 500'000'000;
  std::int64_t margin_ns_;
};

}  // namespace quadrille::probe
