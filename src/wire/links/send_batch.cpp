// SPDX-License-Identifier: BSD-3-Clause
// A run of datagrams passes the kernel's network layers once; each carries its own tag, and is lost
// or not by itself. Where it cannot be cut (no check sums by the interface, an old kernel, a
// tunnel) sendmmsg says so at once, and from then on each datagram is a message of its own. Where
// it then refuses a single one too, as while the host lacks the address that it sends from, that
// said nothing of cutting.
#include "wire/links/send_batch.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/monotonic_clock.h"
#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

// What the kernel says where it cannot cut a message.
bool is_of_cutting(int error) {
  return error == EIO || error == EINVAL || error == EMSGSIZE || error == EOPNOTSUPP;
}

}  // namespace

SendBatch::SendBatch(std::vector<int> descriptors, std::size_t datagram_bytes, bool alone)
    : descriptors_(std::move(descriptors)),
      largest_(datagram_bytes),
      bytes_(longest_run * datagram_bytes),
      queue_(alone) {
  set_send_queue();
}

// The kernel doubles what it is told.
void SendBatch::set_send_queue() {
  const int bytes = static_cast<int>(queue_.length() * counted_bytes);
  for (const int descriptor : descriptors_)
    set_option(descriptor, SOL_SOCKET, SO_SNDBUF, bytes / 2);
}

std::optional<std::size_t> SendBatch::in_socket() const {
  int bytes = 0;
  if (ioctl(awaited(), SIOCOUTQ, &bytes) != 0) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

bool SendBatch::is_worth_trying() {
  if (queue_.is_full()) {
    if (in_socket().value_or(0) < queue_.length() * counted_bytes) return true;
    queue_.found_still_full(monotonic_now());
    return false;
  }
  if (queue_.may_grow() && in_socket() == 0) queue_.found_empty(monotonic_now());
  return true;
}

std::span<std::byte> SendBatch::room() {
  if (is_full()) return {};
  return std::span(bytes_).subspan(added_ * largest_);
}

bool SendBatch::is_full() const {
  if (queue_.is_short()) return added_ > 0;
  if (added_ < usual) return false;
  const bool is_one_run = run_from(0) == added_;
  return !is_one_run || added_ == longest_run ||
         added_ * pieces_[0].iov_len >= queue_.message_bytes();
}

void SendBatch::add(NetworkAddress to, std::size_t length) {
  to_[added_] = to;
  path_[added_] = next_path_;
  pieces_[added_] = {bytes_.data() + added_ * largest_, length};
  ++added_;
}

void SendBatch::add_several(NetworkAddress to, std::size_t length, std::size_t datagram) {
  std::byte* const first = bytes_.data() + added_ * largest_;
  for (std::size_t offset = 0; offset < length; offset += datagram) {
    to_[added_] = to;
    path_[added_] = next_path_;
    pieces_[added_++] = {first + offset, std::min(datagram, length - offset)};
  }
}

std::size_t SendBatch::run_from(std::size_t first) const {
  if (!cuts_ || !is_cut_below_) return 1;
  const std::size_t length = pieces_[first].iov_len;
  const std::size_t most = length == 0 ? 1 : most_run_bytes / length;
  std::size_t count = 1;
  while (first + count < added_ && count < most) {
    const std::size_t next = first + count;
    const std::size_t next_length = pieces_[next].iov_len;
    if (to_[next] != to_[first] || path_[next] != path_[first]) break;
    if (next_length == 0 || next_length > length) break;
    ++count;
    if (next_length < length) break;  // only the last piece may be shorter
  }
  return count;
}

std::span<iovec> SendBatch::join(std::span<const iovec> pieces, std::size_t& used) {
  const std::size_t first = used;
  for (const iovec& piece : pieces) {
    iovec* const last = used > first ? &joined_[used - 1] : nullptr;
    if (last != nullptr &&
        static_cast<std::byte*>(last->iov_base) + last->iov_len == piece.iov_base) {
      last->iov_len += piece.iov_len;
    } else {
      joined_[used++] = piece;
    }
  }
  return std::span(joined_).subspan(first, used - first);
}

std::size_t SendBatch::make_messages(Form& form) {
  std::size_t messages = 0;
  std::size_t used = 0;
  for (std::size_t next = sent_; next < added_ && path_[next] == path_[sent_];
       next += datagrams_[messages++]) {
    datagrams_[messages] = run_from(next);
    msghdr& header = headers_[messages].msg_hdr;
    header = {};
    form.make(messages,
              {.to = to_[next],
               .bytes = join({&pieces_[next], datagrams_[messages]}, used),
               .datagrams = datagrams_[messages],
               .datagram = pieces_[next].iov_len},
              header);
  }
  return messages;
}

void SendBatch::has_sent(std::size_t messages) {
  for (std::size_t i = 0; i < messages; ++i) {
    const std::size_t datagrams = datagrams_[i];
    for (std::size_t next = sent_; next < sent_ + datagrams; ++next)
      bytes_sent_ += pieces_[next].iov_len + framing_bytes;
    sent_ += datagrams;
    all_sent_ += datagrams;
    if (datagrams > 1) sent_in_runs_ += datagrams;
  }
}

bool SendBatch::flush(Form& form) {
  if (has_unsent() && !is_worth_trying()) return false;
  bool failed = false;
  while (sent_ < added_) {
    const std::size_t messages = make_messages(form);
    const int count =
        sendmmsg(awaited(), headers_.data(), static_cast<unsigned>(messages), MSG_DONTWAIT);
    const std::size_t first = datagrams_[0];
    if (count > 0) {
      const std::uint64_t before = bytes_sent_;
      has_sent(static_cast<std::size_t>(count));
      const Nanoseconds now = monotonic_now();
      queue_.took(bytes_sent_ - before, now);
      if (queue_.is_full()) queue_.found_room(now);
      is_refused_cut_ = false;
      failed = false;
    } else if (is_for_now(errno)) {
      const SendQueue::Sent sent{.datagrams = all_sent_, .bytes = bytes_sent_};
      if (!queue_.is_full() && queue_.found_full(sent, monotonic_now())) set_send_queue();
      return false;
    } else if (first > 1 && is_of_cutting(errno)) {
      is_cut_below_ = false;
      is_refused_cut_ = true;
    } else if (errno == ENOBUFS || std::exchange(failed, true)) {
      failed = false;
      is_cut_below_ = is_cut_below_ || std::exchange(is_refused_cut_, false);
      sent_ += first;  // lost, as on the network: a full queue, no route now, forbidden
    } else {
      has_errors_ = true;  // it may be of a datagram sent before
    }
  }
  added_ = sent_ = 0;
  return true;
}

bool SendBatch::take_errors() { return std::exchange(has_errors_, false); }

}  // namespace quadrille::wire
