// SPDX-License-Identifier: BSD-3-Clause
// For tests: whether all ranks of a communicator decide alike, call by call. Each call's decision
// is added to a running hash, which a rank compares with its neighbour's before it carries the
// decision out: ranks that had decided otherwise would wait for each other without an end, or mix
// up their data. Where they differ, both histories are told and the job ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "mpi/agree/rank_agreement.h"

namespace quadrille {

class DecisionCheck {
 public:
  // `messages` are on a communicator that nothing else uses, with the context number as tag; its
  // errors return.
  void compare(const std::string& decision, const RankMessages& messages);

 private:
  static constexpr std::size_t kept = 8;
  // What travels: as bytes, between processes of one build.
  struct History {
    std::uint64_t hash = 0;
    std::uint64_t calls = 0;
    std::array<std::array<char, 120>, kept> latest{};  // by call number, modulo `kept`
  };
  static std::string text_of(const History& history);

  History own_;
};

}  // namespace quadrille
