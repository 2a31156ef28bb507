// SPDX-License-Identifier: BSD-3-Clause
// Rings have room for all slots, so none is ever full: receiving slots are told, waiting or in the
// fill ring, sending ones are free, posted or completed.
#include "wire/links/frames/xdp_socket.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>

#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

// The kernel gives up a queue a moment after its last socket is closed.
constexpr int tries_to_bind = 50;
constexpr int between_tries_ms = 10;

}  // namespace

XdpSocket::XdpSocket(int descriptor, const Shape& shape)
    : descriptor_(descriptor),
      receiving_slots_(0),
      slot_bytes_(shape.longest_frame + kept_by_kernel <= smallest_slot ? smallest_slot
                                                                        : largest_slot) {
  receiving_slots_ = static_cast<std::uint32_t>(
      std::bit_floor(std::max<std::size_t>(shape.receive_bytes / slot_bytes_, sending_slots)));
}

XdpSocket::~XdpSocket() {
  close(descriptor_);
  if (memory_ != nullptr) munmap(memory_, (receiving_slots_ + sending_slots) * slot_bytes_);
}

Result<std::unique_ptr<XdpSocket>> XdpSocket::open(const EthernetInterface& interface,
                                                   const Shape& shape) {
  const auto failure = [&](const char* what) {
    const char* reason =
        errno == ENOBUFS ? "too little memory may be locked (ulimit -l)" : std::strerror(errno);
    return Error{ErrorKind::system, std::string(what) + " on queue " + std::to_string(shape.queue) +
                                        " of " + interface.name + ": " + reason};
  };
  const int descriptor = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failure("cannot open an AF_XDP socket");
  std::unique_ptr<XdpSocket> made(new XdpSocket(descriptor, shape));
  if (!made->set_up()) return failure("cannot set up an AF_XDP socket");
  if (!made->bind_to(interface.index, shape.queue)) return failure("cannot bind an AF_XDP socket");
  made->ask_for_mode();
  return made;
}

bool XdpSocket::set_up() {
  const std::size_t bytes = (receiving_slots_ + sending_slots) * slot_bytes_;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(mapped);
  xdp_umem_reg memory{};
  memory.addr = reinterpret_cast<std::uintptr_t>(memory_);
  memory.len = bytes;
  memory.chunk_size = static_cast<std::uint32_t>(slot_bytes_);
  if (!set_option(descriptor_, SOL_XDP, XDP_UMEM_REG, memory) ||
      !set_option(descriptor_, SOL_XDP, XDP_UMEM_FILL_RING, receiving_slots_) ||
      !set_option(descriptor_, SOL_XDP, XDP_UMEM_COMPLETION_RING, sending_slots) ||
      !set_option(descriptor_, SOL_XDP, XDP_RX_RING, receiving_slots_) ||
      !set_option(descriptor_, SOL_XDP, XDP_TX_RING, sending_slots) || !map_rings())
    return false;
  for (std::uint32_t i = 0; i < receiving_slots_; ++i) fill_.put(i * slot_bytes_);
  fill_.publish();
  for (std::uint32_t i = 0; i < sending_slots; ++i)
    free_.push_back({(receiving_slots_ + i) * slot_bytes_});
  return true;
}

bool XdpSocket::map_rings() {
  xdp_mmap_offsets offsets{};
  socklen_t length = sizeof offsets;
  if (getsockopt(descriptor_, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &length) != 0) return false;
  return fill_.map({descriptor_, XDP_UMEM_PGOFF_FILL_RING, offsets.fr, receiving_slots_}) &&
         left_.map({descriptor_, XDP_UMEM_PGOFF_COMPLETION_RING, offsets.cr, sending_slots}) &&
         arrived_.map({descriptor_, XDP_PGOFF_RX_RING, offsets.rx, receiving_slots_}) &&
         leaving_.map({descriptor_, XDP_PGOFF_TX_RING, offsets.tx, sending_slots});
}

// Without a flag for either the kernel takes zero-copy where the driver has it, and else copies.
bool XdpSocket::bind_to(unsigned interface, std::uint32_t queue) const {
  sockaddr_xdp address{};
  address.sxdp_family = AF_XDP;
  address.sxdp_flags = XDP_USE_NEED_WAKEUP;
  address.sxdp_ifindex = interface;
  address.sxdp_queue_id = queue;
  for (int tries = 0; tries < tries_to_bind; ++tries) {
    if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return true;
    if (errno != EBUSY) return false;
    poll(nullptr, 0, between_tries_ms);
    errno = EBUSY;
  }
  return false;
}

void XdpSocket::ask_for_mode() {
  xdp_options options{};
  socklen_t length = sizeof options;
  is_zero_copy_ = getsockopt(descriptor_, SOL_XDP, XDP_OPTIONS, &options, &length) == 0 &&
                  (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
}

std::optional<std::span<std::byte>> XdpSocket::next() {
  if (!arrived_.has_next()) return std::nullopt;
  const xdp_desc& frame = arrived_.next();
  told_.push_back(frame.addr & ~(slot_bytes_ - 1));
  return std::span(memory_ + frame.addr, frame.len);
}

void XdpSocket::release() {
  if (!told_.empty()) {
    arrived_.release();
    for (const std::uint64_t address : told_) fill_.put(address);
    fill_.publish();
    told_.clear();
  }
  // A driver that has run out of memory looks for more when it is told to.
  if (is_zero_copy_ && fill_.needs_wakeup())
    recvfrom(descriptor_, nullptr, 0, MSG_DONTWAIT, nullptr, nullptr);
}

XdpSocket::Slot XdpSocket::take_slot() {
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

std::span<std::byte> XdpSocket::memory(Slot slot) const {
  return {memory_ + slot.address, slot_bytes_};
}

void XdpSocket::post(Slot slot, std::size_t length) {
  xdp_desc frame{};
  frame.addr = slot.address;
  frame.len = static_cast<std::uint32_t>(length);
  leaving_.put(frame);
  leaving_.publish();
  ++posted_;
  ++under_way_;
}

std::size_t XdpSocket::under_way() {
  if (!left_.has_next()) return under_way_;
  while (left_.has_next()) {
    free_.push_back({left_.next()});
    --under_way_;
  }
  left_.release();
  return under_way_;
}

XdpSocket::Answer XdpSocket::kick() {
  std::uint32_t before = leaving_.untaken();
  while (before > 0 && leaving_.needs_wakeup()) {
    if (sendto(descriptor_, nullptr, 0, MSG_DONTWAIT, nullptr, 0) >= 0) return Answer::taken;
    const int error = errno;
    const std::uint32_t left = leaving_.untaken();
    if (error != EBUSY && error != ENOBUFS && !is_for_now(error)) return Answer::never;
    // Some have gone: it was a bound of the call, or one frame that the interface has dropped.
    if (left == before) return Answer::later;
    before = left;
  }
  return Answer::taken;
}

}  // namespace quadrille::wire
