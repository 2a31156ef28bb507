// SPDX-License-Identifier: BSD-3-Clause
// When a peer's packets go another way than by datagrams, and when they come back. While a stream
// to a peer is open, ACKs go both ways and each end says whether it hears the other's by
// datagrams ("receive loss" where not). Data goes by the stream to who has receive loss. An end
// that was only asleep hears both when it wakes, and its stream is closed again. Time is an
// argument.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace quadrille::wire {

class PeerFallback {
 public:
  // Who begins it has heard nothing for long.
  explicit PeerFallback(bool begins) : receive_loss_(begins) {}

  void heard_by_datagram() {
    receive_loss_ = false;
    beside_ = 0;
  }
  // Those that are read together were perhaps sent while this end slept, and so were datagrams.
  void heard_ack_by_stream(Nanoseconds now) {
    if (beside_ > 0 && now - counted_ < between_acks) return;
    counted_ = now;
    if (++beside_ >= acks_before_receive_loss) receive_loss_ = confirmed_ = true;
  }
  bool receive_loss() const { return receive_loss_; }
  // Whether it is known that datagrams are lost, not only that there were none.
  bool confirmed() const { return confirmed_; }

  // Whether neither end has needed it for a while. REQUIRES: `other_has_receive_loss` is what the
  // peer said last.
  bool is_over(bool other_has_receive_loss, Nanoseconds now) {
    if (receive_loss_ || other_has_receive_loss) {
      fine_since_.reset();
    } else if (!fine_since_) {
      fine_since_ = now;
    }
    return fine_since_ && now - *fine_since_ >= before_end;
  }

 private:
  static constexpr std::uint32_t acks_before_receive_loss = 3;
  static constexpr Nanoseconds between_acks{20'000'000};
  static constexpr Nanoseconds before_end{2'000'000'000};

  bool receive_loss_;
  bool confirmed_ = false;
  std::uint32_t beside_ = 0;  // ACKs by the stream since the last datagram
  Nanoseconds counted_{};     // the last of them
  std::optional<Nanoseconds> fine_since_;
};

}  // namespace quadrille::wire
