// SPDX-License-Identifier: BSD-3-Clause
// A queue in front of a link: first in, first out, a fixed rate, drop-tail.
//
// When a frame leaves is known when it comes, since nothing overtakes it. Ambient frames pass this
// one queue and no other, so they are drawn only when a frame of ours comes, as far back as they
// can still matter: quiet links cost nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "probe/simulated/chance.h"
#include "probe/simulated/topologies/ring.h"

namespace quadrille::probe {

inline constexpr std::uint32_t kUnlimitedBytes = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kAmbientFrameBytes = 1000;

struct QueuePlan {
  double rate_bit_s = 0;  // 0: does not limit
  std::uint32_t limit_bytes = kUnlimitedBytes;
  std::uint32_t bucket_bytes = 0;  // 0: every frame is serialised
  std::int64_t delay_ns = 0;       // after the frame has left
  double loss = 0;                 // share lost after it has left
  double ambient_share = 0;
};

class EgressQueue {
 public:
  explicit EgressQueue(const QueuePlan& plan);

  // When a frame that comes now is at the other end of the link, or nothing: it found no room.
  // REQUIRES: `now_ns` does not go back.
  std::optional<std::int64_t> accept(std::int64_t now_ns, std::uint32_t bytes, Chance& chance);

  // Bytes of whole frames that have not left yet.
  std::uint32_t occupied_bytes(std::int64_t now_ns, Chance& chance);

  const QueuePlan& plan() const { return plan_; }

 private:
  struct Waiting {
    double leaves_ns = 0;
    std::uint32_t bytes = 0;
  };

  void let_leave(double now_ns);
  void draw_ambient(double now_ns, Chance& chance);
  bool has_room(std::uint32_t bytes) const { return occupied_ + bytes <= plan_.limit_bytes; }
  double take(double now_ns, std::uint32_t bytes);

  QueuePlan plan_;
  double ns_per_byte_ = 0;
  double last_left_ns_ = 0;
  double bucket_full_ns_ = 0;  // when the bucket would be full again if nothing more came
  double ambient_gap_ns_ = 0;  // mean; 0: none
  double ambient_memory_ns_ = 0;
  double next_ambient_ns_ = 0;
  std::uint64_t occupied_ = 0;
  Ring<Waiting> waiting_;
};

}  // namespace quadrille::probe
