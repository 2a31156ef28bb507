// SPDX-License-Identifier: BSD-3-Clause
// Whether the system stops this process for having used more of the cores than its group may
// (cgroups(7): cpu.max, or cpu.cfs_quota_us), as in containers and batch jobs. Who spins on a core
// of its own never sees anybody who wants it, and is stopped for tens of milliseconds all the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/units.h"

namespace quadrille {

// The groups of this process, and those above them, whose share of the cores is limited: folders
// with a `cpu.stat`. Empty where there is no limit. `proc`: /proc/self.
std::vector<std::filesystem::path> limited_groups(const std::filesystem::path& proc);

class Throttling {
 public:
  // What has happened once is believed for so long: to spin again just to see would be stopped
  // again.
  static constexpr Nanoseconds believed_for{60'000'000'000};
  static constexpr Nanoseconds between_looks{20'000'000};

  explicit Throttling(std::vector<std::filesystem::path> groups);

  // Looks from time to time, a few microseconds each; otherwise it costs a comparison.
  bool has_happened(Nanoseconds now) {
    if (now >= next_look_) look(now);
    return now < believed_until_;
  }

 private:
  void look(Nanoseconds now);
  std::uint64_t stops() const;  // of all groups so far

  std::vector<std::filesystem::path> groups_;
  std::uint64_t known_stops_;
  Nanoseconds next_look_{};
  Nanoseconds believed_until_{};
};

}  // namespace quadrille
