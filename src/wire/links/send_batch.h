// SPDX-License-Identifier: BSD-3-Clause
// Datagrams on their way into a socket, many a system call: runs of equal length to one address
// leave as one message that the kernel or the interface cuts, where it does. What the socket has no
// room for stays here. How a message is told to the socket is the link's.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wire/links/link.h"
#include "wire/links/send_queue.h"

namespace quadrille::wire {

class SendBatch {
 public:
  // Few, as what is put in later cannot overtake it.
  static constexpr std::size_t usual = RunLimit::few;
  // Of these one message, where all go to one address; where the queue is short a batch is one.
  static constexpr std::size_t longest_run = wire::longest_run;

  struct Run {
    NetworkAddress to;
    // Of all datagrams, one behind the other, in no more pieces than needed.
    std::span<iovec> bytes;
    std::size_t datagrams = 0;
    std::size_t datagram = 0;  // bytes of each but the last
  };
  // Makes messages of runs; the `index`-th memory is for the `index`-th message of a call.
  class Form {
   public:
    virtual ~Form() = default;
    virtual void make(std::size_t index, const Run& run, msghdr& header) = 0;
  };

  // A descriptor for each path. `alone`: no other rank sends by the interface.
  SendBatch(std::vector<int> descriptors, std::size_t datagram_bytes, bool alone);

  std::span<const int> descriptors() const { return descriptors_; }
  // The one that what is unsent waits for.
  int awaited() const { return descriptors_[has_unsent() ? path_[sent_] : 0]; }
  // Of what is added from now on.
  void use_path(std::uint32_t path) { next_path_ = path; }

  // For the datagrams that the batch may still take.
  std::span<std::byte> room();
  RunLimit run_limit() const {
    return {.datagrams = longest_run - added_, .bytes = queue_.message_bytes()};
  }
  void add(NetworkAddress to, std::size_t length);
  void add_several(NetworkAddress to, std::size_t length, std::size_t datagram);
  // Whether runs leave as one message.
  void set_cutting(bool cuts) { cuts_ = cuts; }
  bool has_unsent() const { return added_ > sent_; }
  std::uint64_t sent() const { return all_sent_; }
  // Of these, that left as part of a longer message.
  std::uint64_t sent_in_runs() const { return sent_in_runs_; }
  bool flush(Form& form);
  // Whether a call has failed for another reason than room since this was last asked.
  bool take_errors();

 private:
  // Nothing more is added before some has left.
  bool is_full() const;
  // Datagrams from `first` on that leave as one message, by one path.
  std::size_t run_from(std::size_t first) const;
  // Headers of what has not left and goes by the next one's path, for sendmmsg; how many.
  std::size_t make_messages(Form& form);
  void has_sent(std::size_t messages);
  // The bytes of `pieces` as fewer ones, from `joined_[used]` on; the kernel looks at each.
  std::span<iovec> join(std::span<const iovec> pieces, std::size_t& used);
  // What the socket is to keep, so that the interface paces the sender and its queue does not drop.
  void set_send_queue();
  // What the one that what is unsent waits for holds, as the system counts. REQUIRES: has_unsent().
  std::optional<std::size_t> in_socket() const;
  // Not where it is full still: to ask is cheaper than to try. REQUIRES: has_unsent().
  bool is_worth_trying();

  std::vector<int> descriptors_;
  std::size_t largest_;
  std::vector<std::byte> bytes_;
  std::array<iovec, longest_run> pieces_{};  // a datagram each
  std::array<iovec, longest_run> joined_{};
  std::array<NetworkAddress, longest_run> to_{};
  std::array<std::uint32_t, longest_run> path_{};
  std::array<mmsghdr, longest_run> headers_{};
  std::array<std::size_t, longest_run> datagrams_{};  // of each message
  std::uint32_t next_path_ = 0;
  std::size_t added_ = 0;
  std::size_t sent_ = 0;  // of the batch
  std::uint64_t all_sent_ = 0;
  std::uint64_t bytes_sent_ = 0;  // on the wire
  std::uint64_t sent_in_runs_ = 0;
  SendQueue queue_;
  bool cuts_ = true;
  bool is_cut_below_ = true;     // until the kernel refuses
  bool is_refused_cut_ = false;  // since then it has taken nothing yet
  bool has_errors_ = false;
};

}  // namespace quadrille::wire
