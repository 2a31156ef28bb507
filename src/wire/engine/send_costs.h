// SPDX-License-Identifier: BSD-3-Clause
// Whether long messages cost a sender less over TCP than as datagrams: they do where interfaces cut
// what TCP sends and not what UDP does. What counts is the time that the system takes for a byte,
// since on links so fast that it matters processors are the limit. How long messages take would say
// the same of two ends alone; among many it says how busy the others are.
//
// Thread rule: one thread at a time. Time is an argument.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace quadrille::wire {

// How long messages travel: by what costs less, or always so.
enum class BulkPath : std::uint8_t { cheaper, datagrams, stream };
// As of QUADRILLE_BULK: auto, udp or tcp.
constexpr BulkPath bulk_path(std::string_view setting) {
  if (setting == "udp") return BulkPath::datagrams;
  return setting == "tcp" ? BulkPath::stream : BulkPath::cheaper;
}

class SendCosts {
 public:
  // Of less at once the system's time is mostly the call's own.
  static constexpr std::size_t least_bytes = std::size_t{16} * 1024;
  // Offloads are switched on and off, and a measurement may have been disturbed.
  static constexpr Nanoseconds holds_for{10'000'000'000};

  explicit SendCosts(BulkPath path) : path_(path) {}

  // What the system took to send so many bytes, in messages of least_bytes and more each:
  // shorter ones cost more, and are short for other reasons.
  void datagrams_took(std::size_t bytes, Nanoseconds time) { datagrams_.add(bytes, time); }
  void stream_took(std::size_t bytes, Nanoseconds time) { stream_.add(bytes, time); }

  // Whether what can go over a stream does now: it costs less, or what it costs is to be found out.
  bool prefer_stream(Nanoseconds now) {
    if (path_ != BulkPath::cheaper) return path_ == BulkPath::stream;
    if (decided_ && now - *decided_ >= holds_for) *this = SendCosts(path_);
    if (!decided_ && datagrams_.is_known() && stream_.is_known()) compare(now);
    return decided_ ? stream_wins_ == wins_needed : datagrams_.is_known();
  }
  // Both are still measured, by turns.
  bool is_undecided() const { return path_ == BulkPath::cheaper && !decided_; }

 private:
  // A stream wins where it costs less than half. Datagrams cost 0.5 to 1.4 times as much where both
  // are cut below, 2.6 to 7 where only the stream is.
  static constexpr std::int64_t worth_it = 2;
  // One measurement may have met a busy moment of the host.
  static constexpr int wins_needed = 2;

  void compare(Nanoseconds now) {
    int& wins = stream_.median() * worth_it < datagrams_.median() ? stream_wins_ : datagram_wins_;
    if (++wins == wins_needed) decided_ = now;
    datagrams_ = {};
    stream_ = {};
  }

  class Samples {
   public:
    void add(std::size_t bytes, Nanoseconds time) {
      if (bytes < least_bytes || is_known()) return;
      times_[count_++] = time.value * 1024 / static_cast<std::int64_t>(bytes);
    }
    bool is_known() const { return count_ == times_.size(); }
    std::int64_t median() const {
      auto sorted = times_;
      std::ranges::sort(sorted);
      return sorted[sorted.size() / 2];
    }

   private:
    std::array<std::int64_t, 15> times_{};  // ns for 1024 bytes
    std::size_t count_ = 0;
  };

  BulkPath path_;
  Samples datagrams_;
  Samples stream_;
  int datagram_wins_ = 0;
  int stream_wins_ = 0;
  std::optional<Nanoseconds> decided_;
};

}  // namespace quadrille::wire
