// SPDX-License-Identifier: BSD-3-Clause
// Datagrams over a UDP socket, many a system call; see SendBatch for how they leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "wire/links/burst_times.h"
#include "wire/links/descriptor.h"
#include "wire/links/link.h"
#include "wire/links/send_batch.h"

namespace quadrille::wire {

struct UdpSettings {
  NetworkAddress local;  // port 0: any that is free
  // Takes what is sent to this group on the interface of `local`, and nothing else.
  std::optional<NetworkAddress> group = {};
  std::size_t datagram_bytes = 1472;  // the largest
  // No other rank sends by the interface.
  bool alone = false;
  int receive_buffer_bytes = 4 << 20;  // asked of the system, which may give less
  // Sockets to send by, each from a port of its own; all arrives at the first one's.
  std::uint32_t paths = 1;
  // What arrives by this interface (its index; 0: none) is not for the socket: another has it.
  unsigned deaf_interface = 0;
  bool is_bound = false;  // to `local`, by somebody else
};

class UdpLink : public Link, private SendBatch::Form {
 public:
  // A message may be as many datagrams as the kernel joins (UDP_GRO).
  static constexpr std::size_t receive_batch = 8;

  static Result<std::unique_ptr<UdpLink>> open(const UdpSettings& settings);
  // Over a socket that is there.
  static Result<std::unique_ptr<UdpLink>> over(Descriptor opened, const UdpSettings& settings);
  static Result<Descriptor> new_socket(NetworkAddress local);
  ~UdpLink() override;

  const char* name() const override { return "udp"; }
  NetworkAddress local() const override { return local_; }
  std::span<const int> descriptors() const override { return {&descriptor_.get(), 1}; }
  int room_descriptor() const override { return batch_.awaited(); }
  std::span<const int> room_descriptors() const override { return batch_.descriptors(); }
  std::size_t receive_queue(std::size_t datagram_bytes) const override;
  // `receive_batch` messages at most.
  std::span<const std::span<std::byte>> receive() override;
  NetworkAddress source(std::size_t index) const override;
  bool has_more() const override { return has_more_; }
  std::optional<Nanoseconds> took(std::size_t bytes) override { return bursts_.take(bytes); }
  std::span<std::byte> room() override { return batch_.room(); }
  RunLimit run_limit() const override { return batch_.run_limit(); }
  void add(NetworkAddress to, std::size_t length) override { batch_.add(to, length); }
  void add_several(NetworkAddress to, std::size_t length, std::size_t datagram) override {
    batch_.add_several(to, length, datagram);
  }
  std::uint32_t paths() const override {
    return static_cast<std::uint32_t>(batch_.descriptors().size());
  }
  void use_path(std::uint32_t path) override { batch_.use_path(path); }
  std::vector<std::uint16_t> other_ports() const override;
  void set_cutting(bool cuts) override { batch_.set_cutting(cuts); }
  bool has_unsent() const override { return batch_.has_unsent(); }
  std::uint64_t sent() const override { return batch_.sent(); }
  std::uint64_t sent_in_runs() const { return batch_.sent_in_runs(); }
  bool flush() override { return batch_.flush(*this); }
  std::vector<NetworkAddress> refusals() override;

  // Joins its group anew, for switches that have forgotten of it. REQUIRES: it has one.
  void join_again();

 private:
  struct Buffers;
  UdpLink(Descriptor descriptor, std::vector<Descriptor> others, const UdpSettings& settings);
  void make(std::size_t index, const SendBatch::Run& run, msghdr& header) override;
  // The datagrams that were joined to the message.
  void take_apart(std::size_t message);

  Descriptor descriptor_;
  std::vector<Descriptor> others_;  // of all paths but the first: nothing arrives there
  NetworkAddress local_;
  std::optional<NetworkAddress> group_;
  std::unique_ptr<Buffers> buffers_;
  SendBatch batch_;
  BurstTimes bursts_;
  bool has_more_ = false;
  bool has_errors_ = false;
};

}  // namespace quadrille::wire
