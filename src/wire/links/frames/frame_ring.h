// SPDX-License-Identifier: BSD-3-Clause
// Frames that a packet socket has received, in memory that the kernel writes to and this process
// reads (PACKET_RX_RING of version 2, packet(7); Linux, networking/packet_mmap): looking whether
// one has arrived costs no system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/units.h"

namespace quadrille::wire {

// What precedes each frame of a packet socket with PACKET_VNET_HDR: how it is to be cut, or would
// have been. The kernel's virtio_net_hdr (Virtual I/O Device 1.2, 5.1.6), whose header is no C++.
struct FrameOffload {
  static constexpr std::uint8_t needs_checksum = 1;  // of the flags
  static constexpr std::uint8_t cut_by_udp = 5;      // a kind: each piece a datagram

  std::uint8_t flags = 0;
  std::uint8_t kind = 0;
  std::uint16_t header_bytes = 0;
  std::uint16_t piece_bytes = 0;
  std::uint16_t checksum_from = 0;
  std::uint16_t checksum_at = 0;  // from there
};

class FrameRing {
 public:
  FrameRing() = default;
  FrameRing(const FrameRing&) = delete;
  FrameRing& operator=(const FrameRing&) = delete;
  ~FrameRing();

  // `bytes` in all, of frames up to `frame_bytes`. Longer ones, of messages that nobody has cut,
  // are told of here and to be read from the socket. False, with errno set, where the kernel
  // refuses. REQUIRES: the socket takes nothing yet; once.
  bool open(int descriptor, std::size_t frame_bytes, std::size_t bytes);

  // How many frames it holds.
  std::size_t capacity() const { return slots_; }

  struct Arrival {
    std::span<std::byte> frame;
    FrameOffload offload{};  // how it would have been cut
    bool is_in_socket = false;
    std::size_t bytes = 0;  // of the whole frame
    Nanoseconds came{};     // by the clock of day
    bool is_whole = true;
  };
  // The next one; it stays until release().
  std::optional<Arrival> next();
  bool has_next() const;
  // The kernel may have the memory of all that next() has told.
  void release();

 private:
  std::byte* slot(std::size_t index) const { return memory_ + index * slot_bytes_; }

  std::byte* memory_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::size_t slots_ = 0;
  std::size_t head_ = 0;      // to look at
  std::size_t released_ = 0;  // from here on to head_ they are told of
};

}  // namespace quadrille::wire
