// SPDX-License-Identifier: BSD-3-Clause
// sendmmsg and recvmmsg. A host's answer that a port is closed comes by the socket's error queue
// (IP_RECVERR, ip(7)); it also fails the next call, which says nothing of that call's datagrams. A
// queue that is not read keeps the socket awake, so errors of all kinds are taken from it.
//
// A run of datagrams passes the kernel's network layers once, as one message that the interface, or
// the kernel in front of it, cuts; each carries its own tag, and is lost or not by itself. Where it
// cannot be cut (no check sums by the interface, an old kernel, a tunnel) sendmmsg says so at once,
// and from then on each datagram is a message of its own.
#include "wire/links/udp_link.h"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/monotonic_clock.h"

namespace quadrille::wire {
namespace {

// What the kernel counts for a datagram of up to 1500 bytes (its sk_buff's true size).
constexpr std::size_t counted_bytes = 2304;

bool set(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

// The longest message that the kernel joins datagrams to, or takes to be cut.
constexpr std::size_t longest_message = 65'535;
constexpr std::size_t ip_udp_bytes = 28;
constexpr std::size_t framing_bytes = ip_udp_bytes + 38;  // Ethernet's, with preamble and gap

bool is_for_now(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

// What the kernel says where it cannot cut a message.
bool is_of_cutting(int error) {
  return error == EIO || error == EINVAL || error == EMSGSIZE || error == EOPNOTSUPP;
}

bool change_membership(int descriptor, int option, NetworkAddress group, NetworkAddress local) {
  const ip_mreq membership{{htonl(group.address)}, {htonl(local.address)}};
  return setsockopt(descriptor, IPPROTO_IP, option, &membership, sizeof membership) == 0;
}

// What is sent to groups stays on the network of `local`, and does not come back. Where the system
// does not let it, nobody hears it.
void send_to_groups_from(int descriptor, NetworkAddress local) {
  const in_addr interface { htonl(local.address) };
  setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_IF, &interface, sizeof interface);
  set(descriptor, IPPROTO_IP, IP_MULTICAST_TTL, 1);
  set(descriptor, IPPROTO_IP, IP_MULTICAST_LOOP, 0);
}

Error failure(const char* what, NetworkAddress local) {
  const std::string reason = std::strerror(errno);
  std::array<char, INET_ADDRSTRLEN> text{};
  const in_addr address{htonl(local.address)};
  inet_ntop(AF_INET, &address, text.data(), text.size());
  return {ErrorKind::system, std::string(what) + " on " + text.data() + ": " + reason};
}

}  // namespace

struct UdpLink::Buffers {
  // Room for one number beside a message: how long its pieces are.
  union alignas(cmsghdr) Control {
    std::array<char, CMSG_SPACE(sizeof(int))> bytes;
  };

  explicit Buffers(std::size_t datagram_bytes)
      : largest(datagram_bytes),
        arrived_bytes(std::make_unique_for_overwrite<std::byte[]>(receive_batch * longest_message)),
        leaving_bytes(longest_run * largest) {
    for (std::size_t i = 0; i < receive_batch; ++i) {
      arrived_pieces[i] = {message(i), longest_message};
      arrived_headers[i].msg_hdr.msg_iov = &arrived_pieces[i];
      arrived_headers[i].msg_hdr.msg_iovlen = 1;
      arrived_headers[i].msg_hdr.msg_control = &arrived_control[i];
      arrived_headers[i].msg_hdr.msg_name = &from[i];
      arrived_headers[i].msg_hdr.msg_namelen = sizeof from[i];
    }
  }
  std::byte* message(std::size_t index) { return arrived_bytes.get() + index * longest_message; }

  std::size_t largest;
  std::unique_ptr<std::byte[]> arrived_bytes;  // what is never filled takes no memory
  std::vector<std::byte> leaving_bytes;
  std::array<iovec, receive_batch> arrived_pieces{};
  std::array<Control, receive_batch> arrived_control{};
  std::array<mmsghdr, receive_batch> arrived_headers{};
  std::array<sockaddr_in, receive_batch> from{};
  std::vector<std::span<std::byte>> arrived;
  std::vector<std::size_t> arrived_at;  // of each in `arrived`, in `from`
  std::array<iovec, longest_run> leaving_pieces{};
  std::array<sockaddr_in, longest_run> to{};
  std::array<Control, longest_run> leaving_control{};
  std::array<mmsghdr, longest_run> leaving_headers{};
  std::array<std::size_t, longest_run> leaving_datagrams{};  // of each message
};

UdpLink::UdpLink(int descriptor, const UdpSettings& settings)
    : descriptor_(descriptor),
      local_(settings.local),
      group_(settings.group),
      buffers_(std::make_unique<Buffers>(settings.datagram_bytes)),
      send_queue_(settings.alone) {}

UdpLink::~UdpLink() { close(descriptor_); }

Result<std::unique_ptr<UdpLink>> UdpLink::open(const UdpSettings& settings) {
  const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failure("cannot open a UDP socket", settings.local);
  std::unique_ptr<UdpLink> link(new UdpLink(descriptor, settings));
  if (!set(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, settings.receive_buffer_bytes))
    set(descriptor, SOL_SOCKET, SO_RCVBUF, settings.receive_buffer_bytes);
  link->set_send_queue();
  set(descriptor, IPPROTO_IP, IP_RECVERR, 1);
  set(descriptor, IPPROTO_UDP, UDP_GRO, 1);
  if (settings.group) set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);  // other ranks of the host
  const sockaddr_in wanted = to_system(settings.group.value_or(settings.local));
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&wanted), sizeof wanted) != 0)
    return failure("cannot bind a UDP socket", settings.local);
  sockaddr_in bound{};
  socklen_t length = sizeof bound;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length) != 0)
    return failure("cannot learn the port of a UDP socket", settings.local);
  if (settings.group) {
    set(descriptor, IPPROTO_IP, IP_MULTICAST_ALL, 0);
    if (!change_membership(descriptor, IP_ADD_MEMBERSHIP, *settings.group, settings.local))
      return failure("cannot join a multicast group", settings.local);
    return link;
  }
  send_to_groups_from(descriptor, settings.local);
  link->local_ = from_system(bound);
  return link;
}

// The kernel doubles what it is told.
void UdpLink::set_send_queue() {
  set(descriptor_, SOL_SOCKET, SO_SNDBUF,
      static_cast<int>(send_queue_.length() * counted_bytes / 2));
}

std::size_t UdpLink::receive_queue() const {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  if (getsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, &length) != 0) return 0;
  return static_cast<std::size_t>(bytes) / std::max(counted_bytes, 2 * buffers_->largest);
}

void UdpLink::join_again() {
  change_membership(descriptor_, IP_DROP_MEMBERSHIP, *group_, local_);
  change_membership(descriptor_, IP_ADD_MEMBERSHIP, *group_, local_);
}

std::span<const std::span<std::byte>> UdpLink::receive() {
  Buffers& b = *buffers_;
  for (mmsghdr& header : b.arrived_headers)
    header.msg_hdr.msg_controllen = sizeof(Buffers::Control);
  int count = recvmmsg(descriptor_, b.arrived_headers.data(), receive_batch, MSG_DONTWAIT, nullptr);
  if (count < 0 && !is_for_now(errno)) {
    has_errors_ = true;  // of a datagram sent before
    count = recvmmsg(descriptor_, b.arrived_headers.data(), receive_batch, MSG_DONTWAIT, nullptr);
  }
  b.arrived.clear();
  b.arrived_at.clear();
  for (int i = 0; i < count; ++i) take_apart(static_cast<std::size_t>(i));
  has_more_ = count == static_cast<int>(receive_batch);
  return b.arrived;
}

void UdpLink::take_apart(std::size_t index) {
  Buffers& b = *buffers_;
  msghdr& header = b.arrived_headers[index].msg_hdr;
  if ((header.msg_flags & MSG_TRUNC) != 0) return;
  const std::span<std::byte> whole{b.message(index), b.arrived_headers[index].msg_len};
  std::size_t piece = whole.size();
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO) continue;
    int length = 0;
    std::memcpy(&length, CMSG_DATA(c), sizeof length);
    if (length > 0) piece = static_cast<std::size_t>(length);
  }
  if (piece > b.largest) return;  // than any of ours
  std::size_t offset = 0;
  do {
    b.arrived.push_back(whole.subspan(offset, std::min(piece, whole.size() - offset)));
    b.arrived_at.push_back(index);
    offset += piece;
  } while (offset < whole.size());
}

NetworkAddress UdpLink::source(std::size_t index) const {
  return from_system(buffers_->from[buffers_->arrived_at[index]]);
}

std::span<std::byte> UdpLink::room() {
  const bool is_full =
      send_queue_.is_short() ? added_ > 0 : added_ >= send_batch && run_from(0) < added_;
  if (is_full || added_ == longest_run) return {};
  return {buffers_->leaving_bytes.data() + added_ * buffers_->largest, buffers_->largest};
}

void UdpLink::add(NetworkAddress to, std::size_t length) {
  Buffers& b = *buffers_;
  b.to[added_] = to_system(to);
  b.leaving_pieces[added_] = {b.leaving_bytes.data() + added_ * b.largest, length};
  ++added_;
}

std::size_t UdpLink::run_from(std::size_t first) const {
  if (!is_cut_below_) return 1;
  const Buffers& b = *buffers_;
  const std::size_t length = b.leaving_pieces[first].iov_len;
  const std::size_t most = length == 0 ? 1 : (longest_message - ip_udp_bytes) / length;
  std::size_t count = 1;
  while (first + count < added_ && count < most) {
    const std::size_t next = first + count;
    const bool is_one_address = b.to[next].sin_addr.s_addr == b.to[first].sin_addr.s_addr &&
                                b.to[next].sin_port == b.to[first].sin_port;
    const std::size_t next_length = b.leaving_pieces[next].iov_len;
    if (!is_one_address || next_length == 0 || next_length > length) break;
    ++count;
    if (next_length < length) break;  // only the last piece may be shorter
  }
  return count;
}

std::size_t UdpLink::make_messages() {
  Buffers& b = *buffers_;
  std::size_t messages = 0;
  for (std::size_t next = sent_; next < added_; next += b.leaving_datagrams[messages++]) {
    const std::size_t datagrams = b.leaving_datagrams[messages] = run_from(next);
    msghdr& header = b.leaving_headers[messages].msg_hdr;
    header = {};
    header.msg_name = &b.to[next];
    header.msg_namelen = sizeof b.to[next];
    header.msg_iov = &b.leaving_pieces[next];
    header.msg_iovlen = datagrams;
    if (datagrams == 1) continue;
    header.msg_control = &b.leaving_control[messages];
    header.msg_controllen = CMSG_SPACE(sizeof(std::uint16_t));
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = IPPROTO_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto piece = static_cast<std::uint16_t>(b.leaving_pieces[next].iov_len);
    std::memcpy(CMSG_DATA(c), &piece, sizeof piece);
  }
  return messages;
}

void UdpLink::has_sent(std::size_t messages) {
  for (std::size_t i = 0; i < messages; ++i) {
    const std::size_t datagrams = buffers_->leaving_datagrams[i];
    for (std::size_t next = sent_; next < sent_ + datagrams; ++next)
      bytes_sent_ += buffers_->leaving_pieces[next].iov_len + framing_bytes;
    sent_ += datagrams;
    all_sent_ += datagrams;
    if (datagrams > 1) sent_in_runs_ += datagrams;
  }
}

bool UdpLink::flush() {
  bool failed = false;
  while (sent_ < added_) {
    const std::size_t messages = make_messages();
    const int count = sendmmsg(descriptor_, buffers_->leaving_headers.data(),
                               static_cast<unsigned>(messages), MSG_DONTWAIT);
    const std::size_t first = buffers_->leaving_datagrams[0];
    if (count > 0) {
      has_sent(static_cast<std::size_t>(count));
      if (send_queue_.is_full()) send_queue_.found_room(monotonic_now());
      failed = false;
    } else if (is_for_now(errno)) {
      const SendQueue::Sent sent{.datagrams = all_sent_, .bytes = bytes_sent_};
      if (!send_queue_.is_full() && send_queue_.found_full(sent, monotonic_now())) set_send_queue();
      return false;
    } else if (first > 1 && is_of_cutting(errno)) {
      is_cut_below_ = false;
    } else if (errno == ENOBUFS || std::exchange(failed, true)) {
      failed = false;
      sent_ += first;  // lost, as on the network: a full queue, no route now, forbidden
    } else {
      has_errors_ = true;  // it may be of a datagram sent before
    }
  }
  added_ = sent_ = 0;
  return true;
}

std::vector<NetworkAddress> UdpLink::refusals() {
  std::vector<NetworkAddress> refused;
  if (!has_errors_) return refused;
  has_errors_ = false;
  for (;;) {
    sockaddr_in to{};
    alignas(cmsghdr) std::array<char, 256> control{};
    msghdr header{};
    header.msg_name = &to;
    header.msg_namelen = sizeof to;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    if (recvmsg(descriptor_, &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return refused;
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level != IPPROTO_IP || c->cmsg_type != IP_RECVERR) continue;
      sock_extended_err error{};
      std::memcpy(&error, CMSG_DATA(c), sizeof error);
      if (error.ee_errno == ECONNREFUSED) refused.push_back(from_system(to));
    }
  }
}

}  // namespace quadrille::wire
