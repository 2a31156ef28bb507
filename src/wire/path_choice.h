// SPDX-License-Identifier: BSD-3-Clause
// Which way long messages of a flow go: as datagrams, or over a TCP connection, which is faster
// where interfaces cut what TCP sends and not what UDP does. Both are tried in turn with the first
// bursts; then the faster one is taken, and the other tried again now and then. A burst is what
// leaves while something is under way: within it packets do not change their path, since what
// overtakes others counts as their loss.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace quadrille::wire {

enum class Path : std::uint8_t { datagrams, stream };
// How it is found out, or which one is taken.
enum class BulkPath : std::uint8_t { faster, datagrams, stream };

class PathChoice {
 public:
  // Bursts of fewer packets go as datagrams.
  static constexpr std::uint64_t least_packets = 32;

  explicit PathChoice(BulkPath way) : way_(way) {}

  // Of a burst of so many packets, which begins now.
  Path next(std::uint64_t packets) {
    if (way_ == BulkPath::datagrams) return Path::datagrams;
    if (way_ == BulkPath::stream) return Path::stream;
    Samples& all = samples(packets);
    const std::uint32_t turn = all.bursts++;
    if (turn < 2 * kept) return turn % 2 == 0 ? Path::datagrams : Path::stream;
    const Path faster = all.stream_is_faster() ? Path::stream : Path::datagrams;
    if (turn % between_trials != 0) return faster;
    return faster == Path::stream ? Path::datagrams : Path::stream;
  }
  // All of such a burst has arrived, and been reported, in so long.
  void took(Path path, std::uint64_t packets, Nanoseconds time) {
    auto& [times, count] = samples(packets).of[static_cast<std::size_t>(path)];
    times[count++ % kept] = time.value / static_cast<std::int64_t>(packets);
  }

 private:
  static constexpr std::size_t kept = 5;
  static constexpr std::uint32_t between_trials = 64;
  // Shorter bursts are compared apart: more of their time is the way there and back.
  static constexpr std::uint64_t long_burst = 128;

  struct OfPath {
    std::array<std::int64_t, kept> times{};  // ns a packet
    std::uint32_t count = 0;

    std::int64_t median() const {
      auto sorted = times;
      const std::size_t known = std::min<std::size_t>(count, kept);
      std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known));
      return known == 0 ? 0 : sorted[known / 2];
    }
  };
  struct Samples {
    std::array<OfPath, 2> of{};
    std::uint32_t bursts = 0;

    // By more than a tenth.
    bool stream_is_faster() const { return of[1].median() * 11 < of[0].median() * 10; }
  };
  Samples& samples(std::uint64_t packets) { return samples_[packets >= long_burst ? 1 : 0]; }

  BulkPath way_;
  std::array<Samples, 2> samples_{};
};

}  // namespace quadrille::wire
