// SPDX-License-Identifier: BSD-3-Clause
// Datagrams as Ethernet frames of AF_XDP sockets, one for each receive queue of the interface: a
// program of our own takes the frames for this port before the kernel makes packets of them, and
// leaves it all others. What arrives is read from memory without a system call, what leaves needs
// one for a batch at most. Queueing disciplines do not see what leaves.
//
// What the program lets pass although it is for this port (messages that nobody has cut, IPv4
// options, fragments) arrives by the UDP socket.
//
// Needs CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF, and an interface that carries Ethernet frames and
// has no XDP program: one link has it, another rank of the host gets none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "wire/links/frames/frame_link.h"
#include "wire/links/frames/xdp_program.h"
#include "wire/links/frames/xdp_socket.h"
#include "wire/links/room_watch.h"
#include "wire/links/send_batch.h"
#include "wire/links/send_queue.h"

namespace quadrille::wire {

class XdpLink : public FrameLink {
 public:
  // Each costs memory, and a look.
  static constexpr std::size_t most_queues = 16;

  // `local`: an address of this host; its port may be 0.
  static Result<std::unique_ptr<XdpLink>> open(NetworkAddress local,
                                               const FrameLinkSettings& settings);

  const char* name() const override { return "xdp"; }
  std::span<const int> descriptors() const override { return descriptors_; }
  std::size_t receive_queue(std::size_t /*datagram_bytes*/) const override {
    return queues_.front()->capacity();
  }
  std::span<const std::span<std::byte>> receive() override;
  std::span<std::byte> room() override;
  void add(NetworkAddress to, std::size_t length) override;
  bool has_unsent() const override {
    return has_waiting() || answer_ == XdpSocket::Answer::later || udp().has_unsent();
  }
  std::uint64_t sent() const override { return sending().sent() + udp().sent(); }
  // By the kernel's numbers in the rings.
  FrameCounters frames() const override { return {sending().sent(), frames_received()}; }
  bool flush() override;

 private:
  struct Waiting {
    XdpSocket::Slot slot;
    std::size_t length = 0;  // of the datagram
    NetworkAddress to;
  };

  XdpLink(Base base, const FrameLinkSettings& settings);
  Result<bool> start(std::size_t receive_bytes);
  XdpSocket& sending() const { return *queues_.front(); }
  void take_frames(XdpSocket& queue);
  bool is_for_this_interface(std::span<const std::byte> frame);
  bool is_to_one_address() const;
  std::span<std::byte> payload(XdpSocket::Slot slot) const;
  bool has_waiting() const { return posted_ < added_; }
  // Whether all has left, or is lost.
  bool send_batch();
  // Into the socket's queue, as much as may wait in the host's; whether that was any.
  bool post();
  void lose_batch();

  std::vector<std::unique_ptr<XdpSocket>> queues_;
  XdpProgram program_;
  std::vector<int> descriptors_;
  RoomWatch room_;
  // Where the next datagram is written if it may be longer than a frame; else its slot.
  std::vector<std::byte> written_;
  std::optional<XdpSocket::Slot> next_slot_;
  std::array<Waiting, SendBatch::longest_run> batch_{};
  std::size_t added_ = 0;
  std::size_t posted_ = 0;  // of the batch
  SendQueue::Sent all_posted_;
  XdpSocket::Answer answer_ = XdpSocket::Answer::taken;  // to all that is posted
  SendQueue queue_;
};

}  // namespace quadrille::wire
