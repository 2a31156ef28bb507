// SPDX-License-Identifier: BSD-3-Clause
// How many calls of each collective this process has made, and how many of these Quadrille has
// executed: what the log tells at the job's end.
//
// Thread rule: any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/collective.h"

namespace quadrille {

class CallCounts {
 public:
  // A persistent one counts when it is made, however often it is started.
  enum class Kind : std::uint8_t { blocking, nonblocking, persistent };

  void add(Collective collective, Kind kind, bool by_library) {
    Count& count = counts_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(collective)];
    (by_library ? count.by_library : count.by_quadrille).fetch_add(1, std::memory_order_relaxed);
  }
  struct Sum {
    std::uint64_t all = 0;
    std::uint64_t by_quadrille = 0;
  };
  Sum sum() const {
    Sum sum;
    for (const auto& of_kind : counts_) {
      for (const Count& count : of_kind) {
        const std::uint64_t ours = count.by_quadrille.load(std::memory_order_relaxed);
        sum.by_quadrille += ours;
        sum.all += ours + count.by_library.load(std::memory_order_relaxed);
      }
    }
    return sum;
  }
  // One for each that has been called.
  std::vector<std::string> lines() const {
    std::vector<std::string> told;
    for (const Kind kind : {Kind::blocking, Kind::nonblocking, Kind::persistent}) {
      for (const Collective collective : collectives()) {
        const Count& count =
            counts_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(collective)];
        const std::uint64_t ours = count.by_quadrille.load(std::memory_order_relaxed);
        const std::uint64_t all = ours + count.by_library.load(std::memory_order_relaxed);
        if (all == 0) continue;
        told.push_back("event=calls collective=" + name_of_kind(collective, kind) +
                       " calls=" + std::to_string(all) + " by_quadrille=" + std::to_string(ours));
      }
    }
    return told;
  }

 private:
  struct Count {
    std::atomic<std::uint64_t> by_library = 0;
    std::atomic<std::uint64_t> by_quadrille = 0;
  };
  static constexpr std::size_t names = static_cast<std::size_t>(Collective::neighbor_alltoallv) + 1;

  static std::string name_of_kind(Collective collective, Kind kind) {
    const std::string name = name_of(collective);
    if (kind == Kind::nonblocking) return "i" + name;
    return kind == Kind::persistent ? name + "_init" : name;
  }

  std::array<std::array<Count, names>, 3> counts_{};
};

inline CallCounts call_counts;

}  // namespace quadrille
