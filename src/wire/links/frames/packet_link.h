// SPDX-License-Identifier: BSD-3-Clause
// Datagrams as Ethernet frames of a packet socket (packet(7)), past the kernel's layers of IP and
// UDP: what arrives is read from memory without a system call, what leaves needs one for a batch.
// Needs an interface that carries Ethernet frames, and sockets that take CAP_NET_RAW to open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "wire/links/burst_times.h"
#include "wire/links/frames/frame.h"
#include "wire/links/frames/frame_link.h"
#include "wire/links/frames/frame_ring.h"
#include "wire/links/frames/frame_sockets.h"
#include "wire/links/send_batch.h"

namespace quadrille::wire {

class PacketLink : public FrameLink, private SendBatch::Form {
 public:
  // Over sockets of its own (open_frame_sockets()), or of a link helper.
  static Result<std::unique_ptr<PacketLink>> over(FrameSockets sockets,
                                                  const FrameLinkSettings& settings);

  const char* name() const override { return "packet"; }
  std::span<const int> descriptors() const override { return descriptors_; }
  std::size_t receive_queue(std::size_t /*datagram_bytes*/) const override {
    return ring_.capacity();
  }
  std::span<const std::span<std::byte>> receive() override;
  std::optional<Nanoseconds> took(std::size_t bytes) override { return bursts_.take(bytes); }
  std::span<std::byte> room() override;
  RunLimit run_limit() const override;
  void add(NetworkAddress to, std::size_t length) override;
  void add_several(NetworkAddress to, std::size_t length, std::size_t datagram) override;
  void set_cutting(bool cuts) override {
    batch_.set_cutting(cuts);
    udp().set_cutting(cuts);
  }
  bool has_unsent() const override { return batch_.has_unsent() || udp().has_unsent(); }
  std::uint64_t sent() const override { return batch_.sent() + udp().sent(); }
  FrameCounters frames() const override { return {batch_.sent(), frames_received()}; }
  bool flush() override;

 private:
  // What precedes a message's datagrams.
  struct Head {
    FrameOffload offload{};
    std::array<std::byte, frame_header_bytes> headers{};
  };

  PacketLink(Descriptor descriptor, bool takes_only_own, Base base,
             const FrameLinkSettings& settings);
  bool start(std::size_t receive_bytes);
  void make(std::size_t index, const SendBatch::Run& run, msghdr& header) override;
  void take_frames();
  void note_burst(const FrameRing::Arrival& arrival);
  void take_message();
  void take_errors();

  Descriptor descriptor_;
  bool takes_only_own_;  // as who has passed it saw to
  std::array<int, 2> descriptors_;
  FrameRing ring_;
  SendBatch batch_;
  BurstTimes bursts_;
  std::array<Head, SendBatch::longest_run> heads_{};
  std::array<std::array<iovec, SendBatch::longest_run + 1>, SendBatch::longest_run> pieces_{};
  std::vector<std::byte> message_;  // one that nobody has cut
};

}  // namespace quadrille::wire
