// SPDX-License-Identifier: BSD-3-Clause
// Datagrams over a UDP socket, many a system call; runs of equal length to one address as one
// that the kernel or the interface cuts (UDP_SEGMENT, udp(7)), where it does. It never blocks; what
// the socket has no room for stays in the batch.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "wire/links/address.h"
#include "wire/links/send_queue.h"

namespace quadrille::wire {

struct UdpSettings {
  NetworkAddress local;  // port 0: any that is free
  // Takes what is sent to this group on the interface of `local`, and nothing else.
  std::optional<NetworkAddress> group = {};
  std::size_t datagram_bytes = 1472;  // the largest
  // No other rank sends by the interface.
  bool alone = false;
  int receive_buffer_bytes = 4 << 20;  // asked of the system, which may give less
};

class UdpLink {
 public:
  // A message may be as many datagrams as the kernel joins (UDP_GRO).
  static constexpr std::size_t receive_batch = 8;
  // Few, as what is put in later cannot overtake it.
  static constexpr std::size_t send_batch = 4;
  // Of these one message, where all go to one address; where the queue is short a batch is one.
  static constexpr std::size_t longest_run = 16;

  static Result<std::unique_ptr<UdpLink>> open(const UdpSettings& settings);
  UdpLink(const UdpLink&) = delete;
  UdpLink& operator=(const UdpLink&) = delete;
  ~UdpLink();

  NetworkAddress local() const { return local_; }
  int descriptor() const { return descriptor_; }

  // How many of the largest datagrams the system keeps until they are received.
  std::size_t receive_queue() const;
  // What has arrived, `receive_batch` messages at most; valid until the next call. There may be
  // more where has_more().
  std::span<const std::span<std::byte>> receive();
  // Where the `index`-th of these came from.
  NetworkAddress source(std::size_t index) const;

  // Joins its group anew, for switches that have forgotten of it. REQUIRES: it has one.
  void join_again();

  bool has_more() const { return has_more_; }

  // Memory for the next datagram; empty where the batch is full.
  std::span<std::byte> room();
  // The first `length` bytes of room() go to `to`. REQUIRES: room() was not empty.
  void add(NetworkAddress to, std::size_t length);
  bool has_unsent() const { return added_ > sent_; }
  // Datagrams that have left since the start.
  std::uint64_t sent() const { return all_sent_; }
  // Of these, that left as part of a longer message.
  std::uint64_t sent_in_runs() const { return sent_in_runs_; }
  // Sends as much of the batch as the socket takes; returns whether all went.
  bool flush();

  // Addresses where nobody listens any more, as their hosts have said since the last call.
  std::vector<NetworkAddress> refusals();

 private:
  struct Buffers;
  UdpLink(int descriptor, const UdpSettings& settings);
  // Datagrams of the batch from `first` on that leave as one message.
  std::size_t run_from(std::size_t first) const;
  // Headers of what has not left, for sendmmsg; how many.
  std::size_t make_messages();
  void has_sent(std::size_t messages);
  // What the socket is to keep, so that the interface paces the sender and its queue does not drop.
  void set_send_queue();
  // The datagrams that were joined to the message.
  void take_apart(std::size_t message);

  int descriptor_;
  NetworkAddress local_;
  std::optional<NetworkAddress> group_;
  std::unique_ptr<Buffers> buffers_;
  std::size_t added_ = 0;
  std::size_t sent_ = 0;  // of the batch
  std::uint64_t all_sent_ = 0;
  std::uint64_t bytes_sent_ = 0;  // on the wire
  std::uint64_t sent_in_runs_ = 0;
  SendQueue send_queue_;
  bool is_cut_below_ = true;  // until the kernel refuses
  bool has_more_ = false;
  bool has_errors_ = false;
};

}  // namespace quadrille::wire
