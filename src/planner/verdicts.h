// SPDX-License-Identifier: BSD-3-Clause
// What trials have found on the same hosts: in earlier jobs, which all ranks of this one know alike
// from its start on, and in this job, for later ones. A job so goes on with what the one before it
// had settled for, and holds its finals from time to time as ever (agree/trial.h).
//
// As text: a first line that says what it is, and a line for each verdict:
//   VIEW CLASS SECONDS CHOSEN RIVAL
// VIEW and CLASS, hexadecimal, are fingerprints of how a communicator's ranks lie on the hosts, and
// of the class of calls; SECONDS since 1970; CHOSEN won against RIVAL, one of both is "mpi".
//
// Thread rule: any thread; find() while nobody else reads text into it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "network/topology_view.h"

namespace quadrille {

class Verdicts {
 public:
  // Networks and libraries change.
  static constexpr std::int64_t expiry_s = std::int64_t{7} * 24 * 3600;
  // Bound of a file: the newest stay.
  static constexpr std::size_t most_kept = 4096;

  struct Verdict {
    std::string chosen;
    std::string rival;
    std::int64_t at_s = 0;
  };
  struct Key {
    std::uint64_t view = 0;
    std::uint64_t calls = 0;
    auto operator<=>(const Key&) const = default;
  };

  Verdicts() = default;
  // Takes what `text` has of the last days. What is no line of a verdict is left out. REQUIRES:
  // before any decision; equal text and time on all ranks.
  void read(std::string_view text, std::int64_t now_s);

  // What was known at the start; null: nothing.
  const Verdict* find(const Key& key) const;
  void learn(const Key& key, Verdict verdict);
  bool has_learnt() const;
  // What this job has learnt beside what `text` has, which others may have written meanwhile.
  std::string joined_with(std::string_view text, std::int64_t now_s) const;

 private:
  using Table = std::map<Key, Verdict>;
  static Table parse(std::string_view text, std::int64_t now_s);

  Table known_;
  mutable std::mutex mutex_;  // of what follows
  Table learnt_;
};

// Of all that planners look at.
std::uint64_t fingerprint_of(const TopologyView& view);

}  // namespace quadrille
