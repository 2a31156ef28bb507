// SPDX-License-Identifier: BSD-3-Clause
// What links of Ethernet frames have in common: the way that a datagram takes, and a UDP socket
// beside the frames.
//
// The UDP socket holds the port, so that the kernel neither gives it away nor refuses what comes.
// It carries what the interface does not: to this host itself, to groups, by routes of another
// interface, and to neighbours that the kernel has not resolved yet. One datagram a second to each
// address goes that way all the same: it keeps the kernel's entry true, which is read anew then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "wire/links/frames/frame.h"
#include "wire/links/frames/frame_sockets.h"
#include "wire/links/frames/next_hop.h"
#include "wire/links/link.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

struct FrameLinkSettings {
  NetworkAddress host;  // where the process joins groups; its port does not count
  std::size_t datagram_bytes = 1472;
  // No other rank sends by the interface.
  bool alone = false;
  std::size_t receive_bytes = std::size_t{4} << 20U;  // of frames that wait
};

class FrameLink : public Link {
 public:
  static constexpr std::size_t receive_batch = 8;  // frames
  // For one at the UDP socket, which is a system call.
  static constexpr unsigned looks_at_frames = 256;

  NetworkAddress local() const override { return udp_->local(); }
  NetworkAddress joins_at() const override { return host_; }
  NetworkAddress source(std::size_t index) const override { return sources_[index]; }
  bool has_more() const override { return has_more_; }
  void woken() override { looks_ = looks_at_frames; }
  bool is_cut() const override { return is_cut_; }
  std::vector<NetworkAddress> refusals() override { return udp_->refusals(); }

 protected:
  struct Base {
    EthernetInterface interface;
    std::unique_ptr<UdpLink> udp;
    Descriptor routes;
  };
  // `kernel_sees_frames`: all that arrives; then the UDP socket does not take them a second time.
  static Result<Base> base_over(FrameSockets sockets, const FrameLinkSettings& settings,
                                bool kernel_sees_frames);

  FrameLink(Base base, const FrameLinkSettings& settings);

  const EthernetInterface& interface() const { return interface_; }
  UdpLink& udp() const { return *udp_; }
  std::size_t largest() const { return largest_; }  // datagram
  // The longest frame that comes or goes.
  std::size_t longest_frame() const;

  // Of receive(): the first forgets what the last one found, the second looks at the UDP socket
  // where that is due, and returns whether it did and found nothing.
  void forget_arrivals();
  bool look_at_udp();
  void there_is_more(bool more) { has_more_ = has_more_ || more; }
  // The datagrams of a frame; `piece` bytes each where nobody has cut it.
  void take_apart(std::span<std::byte> bytes, std::size_t piece);
  std::span<const std::span<std::byte>> arrived() const { return arrived_; }
  std::uint64_t frames_received() const { return frames_received_; }

  // Whether the next datagram leaves as a frame.
  bool goes_as_frame(NetworkAddress to, std::size_t length);
  // By the UDP socket, see add_next(). REQUIRES: it has room.
  void add_to_udp(NetworkAddress to, std::span<const std::byte> bytes, std::size_t datagram);
  // REQUIRES: it once went as a frame.
  FrameEnds ends(NetworkAddress to);
  // The interface's own hardware address, as it was known last and as it is about now.
  const HardwareAddress& own_hardware() const { return own_hardware_; }
  const HardwareAddress& own_hardware(Nanoseconds now);
  // Whether it is there, and what its address is.
  void look_at_interface();

 private:
  struct Way {
    bool is_known = false;       // else by the UDP socket
    HardwareAddress hardware{};  // the last that was
    Nanoseconds renewed{};
  };

  NetworkAddress host_;
  EthernetInterface interface_;
  std::size_t largest_;
  std::unique_ptr<UdpLink> udp_;
  NextHops next_hops_;
  HardwareAddress own_hardware_;
  Nanoseconds own_renewed_{};
  std::unordered_map<std::uint32_t, Way> ways_;  // by address
  std::vector<std::span<std::byte>> arrived_;
  std::vector<NetworkAddress> sources_;
  std::uint64_t frames_received_ = 0;
  unsigned looks_ = 0;  // at frames since one at the UDP socket
  bool udp_brings_ = false;
  bool has_more_ = false;
  bool is_cut_ = false;
};

}  // namespace quadrille::wire
