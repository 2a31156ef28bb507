// SPDX-License-Identifier: BSD-3-Clause
// Datagrams as Ethernet frames of a packet socket (packet(7)), past the kernel's layers of IP and
// UDP: what arrives is read from memory without a system call, what leaves needs one for a batch.
// Needs an interface that carries Ethernet frames, and sockets that take CAP_NET_RAW to open.
//
// A UDP socket holds the port, so that the kernel neither gives it away nor refuses what comes. It
// carries what the interface does not: to this host itself, to groups, by routes of another
// interface, and to neighbours that the kernel has not resolved yet. One datagram a second to each
// address goes that way all the same: it keeps the kernel's entry true, which is read anew then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "wire/links/frame.h"
#include "wire/links/frame_ring.h"
#include "wire/links/frame_sockets.h"
#include "wire/links/link.h"
#include "wire/links/next_hop.h"
#include "wire/links/send_batch.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

struct PacketSettings {
  NetworkAddress host;  // where the process joins groups; its port does not count
  std::size_t datagram_bytes = 1472;
  // No other rank sends by the interface.
  bool alone = false;
  std::size_t receive_bytes = std::size_t{4} << 20U;  // of frames that wait
};

class PacketLink : public Link, private SendBatch::Form {
 public:
  static constexpr std::size_t receive_batch = 8;  // frames
  // For one at the UDP socket, which is a system call.
  static constexpr unsigned looks_at_ring = 256;

  static Result<std::unique_ptr<PacketLink>> over(FrameSockets sockets,
                                                  const PacketSettings& settings);
  ~PacketLink() override;

  const char* name() const override { return "packet"; }
  NetworkAddress local() const override { return udp_->local(); }
  NetworkAddress joins_at() const override { return host_; }
  std::span<const int> descriptors() const override { return descriptors_; }
  std::size_t receive_queue() const override { return ring_.capacity(); }
  std::span<const std::span<std::byte>> receive() override;
  NetworkAddress source(std::size_t index) const override;
  bool has_more() const override { return has_more_; }
  void woken() override { looks_ = looks_at_ring; }
  std::span<std::byte> room() override;
  void add(NetworkAddress to, std::size_t length) override;
  bool has_unsent() const override { return batch_.has_unsent() || udp_->has_unsent(); }
  std::uint64_t sent() const override { return batch_.sent() + udp_->sent(); }
  FrameCounters frames() const override { return {batch_.sent(), frames_received_}; }
  bool flush() override;
  bool is_cut() const override { return is_cut_; }
  std::vector<NetworkAddress> refusals() override { return udp_->refusals(); }

 private:
  struct Way {
    bool is_known = false;       // else by the UDP socket
    HardwareAddress hardware{};  // the last that was
    Nanoseconds renewed{};
  };
  // What precedes a message's datagrams.
  struct Head {
    FrameOffload offload{};
    std::array<std::byte, frame_header_bytes> headers{};
  };

  PacketLink(FrameSockets sockets, std::unique_ptr<UdpLink> udp, const PacketSettings& settings);
  bool start(const PacketSettings& settings);
  void make(std::size_t index, const SendBatch::Run& run, msghdr& header) override;
  // Whether the next datagram to the address leaves as a frame.
  bool goes_as_frame(std::uint32_t address);
  // At the interface, whether it is there and what its address is.
  void look_at_interface();
  void take_frames();
  void take_message();
  void take_from_udp();
  // The datagrams of a frame; `piece` bytes each where nobody has cut it.
  void take_apart(std::span<std::byte> bytes, std::size_t piece);

  Descriptor descriptor_;
  bool takes_only_own_;  // as who has passed it saw to
  NetworkAddress host_;
  EthernetInterface interface_;
  std::size_t largest_;
  std::unique_ptr<UdpLink> udp_;
  std::array<int, 2> descriptors_;
  FrameRing ring_;
  NextHops next_hops_;
  HardwareAddress own_hardware_;
  Nanoseconds own_renewed_{};
  std::unordered_map<std::uint32_t, Way> ways_;  // by address
  SendBatch batch_;
  std::array<Head, SendBatch::longest_run> heads_{};
  std::array<std::array<iovec, SendBatch::longest_run + 1>, SendBatch::longest_run> pieces_{};
  std::vector<std::byte> message_;  // one that nobody has cut
  std::vector<std::span<std::byte>> arrived_;
  std::vector<NetworkAddress> sources_;
  std::uint64_t frames_received_ = 0;
  unsigned looks_ = 0;  // at the ring since one at the UDP socket
  bool udp_brings_ = false;
  bool has_more_ = false;
  bool is_cut_ = false;
};

}  // namespace quadrille::wire
