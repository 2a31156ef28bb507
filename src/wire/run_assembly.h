// SPDX-License-Identifier: BSD-3-Clause
// The packets of one run as they come, until all are here. They stay where they were received, and
// are copied only where the rest comes later (keep()): mostly the kernel hands a run over as a
// whole. Nothing of it counts as arrived before its tag was checked.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "wire/packet.h"
#include "wire/sequence.h"

namespace quadrille::wire {

class RunAssembly {
 public:
  // `payload`: bytes of a full packet.
  explicit RunAssembly(std::size_t payload) : payload_(payload) {}

  // The run's whole number; 0: of none.
  std::uint64_t number() const { return number_; }
  void begin(std::uint64_t number);

  // A packet of it, whose header is authentic and whose whole number is `sequence`. Its memory
  // stays as it is until keep() or begin(). What contradicts the others is left out.
  void add(const Parsed& packet, Sequence sequence);
  bool is_whole() const { return datagrams_ > 0 && here_.count() == datagrams_; }
  // Copies what others may overwrite from now on.
  void keep();

  // REQUIRES: is_whole(), of all of these.
  Sequence first() const { return first_; }
  std::uint32_t place() const { return place_; }
  bool ends_message() const { return ends_message_; }
  bool repeats() const { return repeats_; }
  std::span<const std::span<const std::byte>> payloads() const {
    return {pieces_.data(), packets_};
  }
  // Of a run to a group: empty.
  std::span<const std::byte> ack() const { return trailer_.first(trailer_.size() - run_tag_bytes); }
  std::span<const std::byte> tag() const { return trailer_.last(run_tag_bytes); }

 private:
  bool fits(const Parsed& packet, Sequence sequence) const;

  std::size_t payload_;
  std::uint64_t number_ = 0;
  Sequence first_ = 0;
  std::uint32_t place_ = 0;
  bool ends_message_ = false;
  bool repeats_ = false;
  std::size_t datagrams_ = 0;  // 0: its end is not here yet
  std::size_t packets_ = 0;    // likewise
  std::array<std::span<const std::byte>, longest_run + 1> pieces_{};
  std::span<const std::byte> trailer_;
  std::bitset<longest_run + 1> here_;
  std::bitset<longest_run + 1> kept_;
  // Of what is kept, a full packet's body each; there only while something is.
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace quadrille::wire
