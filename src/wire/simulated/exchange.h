// SPDX-License-Identifier: BSD-3-Clause
// An exchange over a simulated network.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/simulated/messages.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {

// All to all of `length` bytes a pair; an even number in the rounds of a tournament, else in a
// ring.
class Exchange {
 public:
  Exchange(SimulatedNetwork& network, std::uint32_t ranks, std::size_t length)
      : network_(network), ranks_(ranks) {
    for (std::uint32_t i = 0; i < ranks * ranks; ++i) {
      sent_.push_back(message(length, i));
      received_.emplace_back(length);
    }
  }
  void enter(EndpointId rank) {
    const std::uint32_t circle = ranks_ - 1;
    for (std::uint32_t step = 1; step < ranks_; ++step) {
      EndpointId from = (rank + ranks_ - step) % ranks_;
      EndpointId to = (rank + step) % ranks_;
      if (ranks_ % 2 == 0) {
        from = rank == circle ? step * (ranks_ / 2) % circle : (step + circle - rank) % circle;
        if (from == rank) from = circle;
        to = from;
      }
      network_.receive(rank, from, received_[from * ranks_ + rank], handle_++);
      network_.send(rank, to, sent_[rank * ranks_ + to], handle_++);
    }
  }
  void enter_all() {
    for (EndpointId rank = 0; rank < ranks_; ++rank) enter(rank);
  }
  // What was received before is gone.
  void begin_anew() {
    for (Message& message : received_) std::ranges::fill(message, std::byte{0});
  }
  bool right() const {
    for (std::uint32_t from = 0; from < ranks_; ++from) {
      for (std::uint32_t to = 0; to < ranks_; ++to) {
        if (from != to && sent_[from * ranks_ + to] != received_[from * ranks_ + to]) return false;
      }
    }
    return true;
  }

 private:
  SimulatedNetwork& network_;
  std::uint32_t ranks_;
  std::vector<Message> sent_;
  std::vector<Message> received_;
  Handle handle_ = 1;
};

}  // namespace quadrille::wire
