// SPDX-License-Identifier: BSD-3-Clause
// An AF_XDP socket with memory and rings of its own, on one queue of an interface (Linux,
// networking/af_xdp). Frames lie in its memory on both ways: the driver's where it can (zero-copy),
// else the kernel copies them. Looking whether one has arrived costs no system call; sending takes
// one for several, unless the driver looks by itself.
#pragma once

#include <linux/if_xdp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "wire/links/frames/next_hop.h"
#include "wire/links/frames/xdp_ring.h"

namespace quadrille::wire {

class XdpSocket {
 public:
  // Of its memory, a power of two; the kernel keeps the first part of each for itself.
  static constexpr std::size_t smallest_slot = 2048;
  static constexpr std::size_t largest_slot = 4096;
  static constexpr std::size_t kept_by_kernel = 256;  // XDP_PACKET_HEADROOM
  static constexpr std::size_t longest_frame = largest_slot - kept_by_kernel;
  static constexpr std::uint32_t sending_slots = 64;

  struct Shape {
    std::uint32_t queue = 0;
    std::size_t longest_frame = 0;  // REQUIRES: at most XdpSocket::longest_frame
    std::size_t receive_bytes = 0;  // of memory for what arrives
  };
  // Errors: system (no privilege, not enough locked memory, the queue has a socket already).
  static Result<std::unique_ptr<XdpSocket>> open(const EthernetInterface& interface,
                                                 const Shape& shape);
  XdpSocket(const XdpSocket&) = delete;
  XdpSocket& operator=(const XdpSocket&) = delete;
  ~XdpSocket();

  int descriptor() const { return descriptor_; }
  bool is_zero_copy() const { return is_zero_copy_; }
  // How many frames wait at most.
  std::size_t capacity() const { return receiving_slots_; }

  // The next frame that has arrived; it stays until release().
  std::optional<std::span<std::byte>> next();
  bool has_next() const { return arrived_.has_next(); }
  // The kernel may have the memory of all that next() has told.
  void release();

  // A frame to be sent, in a slot of the memory.
  struct Slot {
    std::uint64_t address = 0;
  };
  // REQUIRES: fewer than `sending_slots` are taken and not sent.
  Slot take_slot();
  void give_back(Slot slot) { free_.push_back(slot); }
  std::span<std::byte> memory(Slot slot) const;
  // Into the queue, of which kick() tells the kernel.
  void post(Slot slot, std::size_t length);
  // Posted frames that have not left, as far as the kernel has said.
  std::size_t under_way();
  // Frames that the kernel has taken out of the queue.
  std::uint64_t sent() const { return posted_ - leaving_.untaken(); }

  enum class Answer {
    taken,  // or the driver takes them by itself
    later,  // there is no room now
    never,  // as the interface is down
  };
  Answer kick();

 private:
  XdpSocket(int descriptor, const Shape& shape);
  bool set_up();
  bool map_rings();
  bool bind_to(unsigned interface, std::uint32_t queue) const;
  void ask_for_mode();

  int descriptor_;
  std::uint32_t receiving_slots_;
  std::size_t slot_bytes_;
  std::byte* memory_ = nullptr;
  XdpRing<std::uint64_t> fill_;  // memory for what arrives
  XdpRing<xdp_desc> arrived_;
  XdpRing<xdp_desc> leaving_;
  XdpRing<std::uint64_t> left_;
  std::vector<std::uint64_t> told_;  // of next(), not released
  std::vector<Slot> free_;
  std::uint64_t posted_ = 0;
  std::size_t under_way_ = 0;
  bool is_zero_copy_ = false;
};

}  // namespace quadrille::wire
