// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/frames/frame_ring.h"

#include <linux/if_packet.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

// The kernel takes it in pieces.
constexpr std::size_t block_bytes = std::size_t{64} * 1024;
// Before the frame: the slot's header, an address and what offloads say.
constexpr std::size_t before_frame = 128;

std::atomic_ref<__u32> status_of(std::byte* slot) {
  return std::atomic_ref<__u32>(reinterpret_cast<tpacket2_hdr*>(slot)->tp_status);
}

}  // namespace

FrameRing::~FrameRing() {
  if (memory_ != nullptr) munmap(memory_, slots_ * slot_bytes_);
}

bool FrameRing::open(int descriptor, std::size_t frame_bytes, std::size_t bytes) {
  slot_bytes_ = std::bit_ceil(frame_bytes + before_frame);
  const std::size_t block = std::max(block_bytes, slot_bytes_);
  const std::size_t blocks = std::max<std::size_t>(bytes / block, 1);
  slots_ = blocks * (block / slot_bytes_);
  tpacket_req request{};
  request.tp_block_size = static_cast<unsigned>(block);
  request.tp_block_nr = static_cast<unsigned>(blocks);
  request.tp_frame_size = static_cast<unsigned>(slot_bytes_);
  request.tp_frame_nr = static_cast<unsigned>(slots_);
  const int version = TPACKET_V2;
  const int on = 1;
  if (!set_option(descriptor, SOL_PACKET, PACKET_VERSION, version) ||
      !set_option(descriptor, SOL_PACKET, PACKET_VNET_HDR, on) ||
      !set_option(descriptor, SOL_PACKET, PACKET_COPY_THRESH, on) ||
      !set_option(descriptor, SOL_PACKET, PACKET_RX_RING, request))
    return false;
  void* mapped =
      mmap(nullptr, slots_ * slot_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(mapped);
  return true;
}

bool FrameRing::has_next() const {
  return (status_of(slot(head_)).load(std::memory_order_acquire) & TP_STATUS_USER) != 0;
}

std::optional<FrameRing::Arrival> FrameRing::next() {
  if (!has_next()) return std::nullopt;
  std::byte* at = slot(head_);
  tpacket2_hdr header{};
  std::memcpy(&header, at, sizeof header);
  Arrival arrival;
  arrival.frame = {at + header.tp_mac, header.tp_snaplen};
  std::memcpy(&arrival.offload, at + header.tp_mac - sizeof arrival.offload,
              sizeof arrival.offload);
  arrival.is_in_socket = (header.tp_status & TP_STATUS_COPY) != 0;
  arrival.bytes = header.tp_len;
  arrival.came = {std::int64_t{header.tp_sec} * 1'000'000'000 + header.tp_nsec};
  arrival.is_whole = header.tp_snaplen == header.tp_len;
  head_ = (head_ + 1) % slots_;
  return arrival;
}

void FrameRing::release() {
  for (; released_ != head_; released_ = (released_ + 1) % slots_)
    status_of(slot(released_)).store(TP_STATUS_KERNEL, std::memory_order_release);
}

}  // namespace quadrille::wire
