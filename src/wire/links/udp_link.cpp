// SPDX-License-Identifier: BSD-3-Clause
// sendmmsg and recvmmsg. A host's answer that a port is closed comes by the socket's error queue
// (IP_RECVERR, ip(7)); it also fails the next call, which says nothing of that call's datagrams. A
// queue that is not read keeps the socket awake, so errors of all kinds are taken from it.
#include "wire/links/udp_link.h"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace quadrille::wire {
namespace {

// What the kernel counts for a datagram of up to 1500 bytes (its sk_buff's true size).
constexpr std::size_t counted_bytes = 2304;

bool set(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

bool is_for_now(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

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
  explicit Buffers(std::size_t datagram_bytes)
      : largest(datagram_bytes),
        arrived_bytes(receive_batch * largest),
        leaving_bytes(send_batch * largest) {
    for (std::size_t i = 0; i < receive_batch; ++i) {
      arrived_pieces[i] = {arrived_bytes.data() + i * largest, largest};
      arrived_headers[i].msg_hdr.msg_iov = &arrived_pieces[i];
      arrived_headers[i].msg_hdr.msg_iovlen = 1;
    }
  }

  std::size_t largest;
  std::vector<std::byte> arrived_bytes;
  std::vector<std::byte> leaving_bytes;
  std::array<iovec, receive_batch> arrived_pieces{};
  std::array<mmsghdr, receive_batch> arrived_headers{};
  std::array<std::span<std::byte>, receive_batch> arrived{};
  std::array<iovec, send_batch> leaving_pieces{};
  std::array<mmsghdr, send_batch> leaving_headers{};
  std::array<sockaddr_in, send_batch> to{};
};

UdpLink::UdpLink(int descriptor, const UdpSettings& settings)
    : descriptor_(descriptor),
      local_(settings.local),
      group_(settings.group),
      buffers_(std::make_unique<Buffers>(settings.datagram_bytes)) {}

UdpLink::~UdpLink() { close(descriptor_); }

Result<std::unique_ptr<UdpLink>> UdpLink::open(const UdpSettings& settings) {
  const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failure("cannot open a UDP socket", settings.local);
  std::unique_ptr<UdpLink> link(new UdpLink(descriptor, settings));
  if (!set(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, settings.receive_buffer_bytes))
    set(descriptor, SOL_SOCKET, SO_RCVBUF, settings.receive_buffer_bytes);
  // The kernel doubles what it is told.
  set(descriptor, SOL_SOCKET, SO_SNDBUF, static_cast<int>(settings.send_queue * counted_bytes / 2));
  set(descriptor, IPPROTO_IP, IP_RECVERR, 1);
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
  int count = recvmmsg(descriptor_, b.arrived_headers.data(), receive_batch, MSG_DONTWAIT, nullptr);
  if (count < 0 && !is_for_now(errno)) {
    has_errors_ = true;  // of a datagram sent before
    count = recvmmsg(descriptor_, b.arrived_headers.data(), receive_batch, MSG_DONTWAIT, nullptr);
  }
  std::size_t whole = 0;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    // One that was cut is longer than any of ours.
    if ((b.arrived_headers[index].msg_hdr.msg_flags & MSG_TRUNC) != 0) continue;
    b.arrived[whole++] = {b.arrived_bytes.data() + index * b.largest,
                          b.arrived_headers[index].msg_len};
  }
  return std::span(b.arrived).first(whole);
}

std::span<std::byte> UdpLink::room() {
  if (added_ == send_batch) return {};
  return {buffers_->leaving_bytes.data() + added_ * buffers_->largest, buffers_->largest};
}

void UdpLink::add(NetworkAddress to, std::size_t length) {
  Buffers& b = *buffers_;
  b.to[added_] = to_system(to);
  b.leaving_pieces[added_] = {b.leaving_bytes.data() + added_ * b.largest, length};
  msghdr& header = b.leaving_headers[added_].msg_hdr;
  header = {};
  header.msg_name = &b.to[added_];
  header.msg_namelen = sizeof b.to[added_];
  header.msg_iov = &b.leaving_pieces[added_];
  header.msg_iovlen = 1;
  ++added_;
}

bool UdpLink::flush() {
  bool failed = false;
  while (sent_ < added_) {
    const int count = sendmmsg(descriptor_, buffers_->leaving_headers.data() + sent_,
                               static_cast<unsigned>(added_ - sent_), MSG_DONTWAIT);
    if (count > 0) {
      sent_ += static_cast<std::size_t>(count);
      all_sent_ += static_cast<std::uint64_t>(count);
      failed = false;
    } else if (is_for_now(errno)) {
      return false;
    } else if (errno == ENOBUFS || std::exchange(failed, true)) {
      failed = false;
      ++sent_;  // lost, as on the network: a full queue, no route now, forbidden
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
