// SPDX-License-Identifier: BSD-3-Clause
// How much memory one end keeps for the other's messages that nobody has received yet. What is
// sent within it goes at once; beyond it a message is offered, and stays at its sender until it is
// called for. So what waits is bounded, and a receive for a later message is found all the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quadrille::fabric {

class EagerCredit {
 public:
  static constexpr std::uint32_t memory = 128 * 1024;  // bytes for each other endpoint

  // Sending.
  bool allows(std::size_t length) const { return sent_ - freed_there_ + cost(length) <= memory; }
  // REQUIRES: allows(length).
  void sent(std::size_t length) { sent_ += cost(length); }
  // What the other end has said, in any order; what cannot be is not believed.
  void heard(std::uint32_t freed) {
    if (freed - freed_there_ <= sent_ - freed_there_) freed_there_ = freed;
  }

  // Receiving.
  void free(std::size_t length) { freed_ += cost(length); }
  // What is left then has room for the longest message.
  bool worth_telling() const { return freed_ - told_ >= memory / 2; }
  std::uint32_t tell() { return told_ = freed_; }

 private:
  // What is kept beside the bytes of a message.
  static constexpr std::uint32_t record = 128;
  static std::uint32_t cost(std::size_t length) {
    return static_cast<std::uint32_t>(length) + record;
  }

  // Since the start; they may turn over.
  std::uint32_t sent_ = 0;
  std::uint32_t freed_there_ = 0;
  std::uint32_t freed_ = 0;
  std::uint32_t told_ = 0;
};

}  // namespace quadrille::fabric
