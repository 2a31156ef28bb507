// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/udp_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

namespace quadrille::probe {
namespace {

constexpr int receive_buffer_bytes = 8 << 20;

sockaddr_in address_of(Endpoint endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(endpoint.address);
  address.sin_port = htons(endpoint.port);
  return address;
}

bool set(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

void read_control(msghdr& message, Received& received) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
      received.kernel_ns = std::int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) {
      int hops = 0;
      std::memcpy(&hops, CMSG_DATA(c), sizeof hops);
      received.time_to_live = static_cast<std::uint8_t>(hops);
    }
  }
}

}  // namespace

struct UdpSocket::Buffers {
  struct alignas(cmsghdr) Control {
    std::array<char, 128> bytes;
  };
  std::array<Received, batch> received{};
  std::array<Control, batch> control{};
  std::array<sockaddr_in, batch> from{};
  std::array<iovec, batch> pieces{};
  std::array<mmsghdr, batch> messages{};

  void prepare(std::size_t most) {
    for (std::size_t i = 0; i < most; ++i) {
      pieces[i] = {received[i].head.data(), received[i].head.size()};
      msghdr& header = messages[i].msg_hdr;
      header = {};
      header.msg_name = &from[i];
      header.msg_namelen = sizeof from[i];
      header.msg_iov = &pieces[i];
      header.msg_iovlen = 1;
      header.msg_control = control[i].bytes.data();
      header.msg_controllen = control[i].bytes.size();
    }
  }
};

std::uint32_t parse_address(const std::string& dotted) {
  in_addr address{};
  return inet_pton(AF_INET, dotted.c_str(), &address) == 1 ? ntohl(address.s_addr) : 0;
}

UdpSocket::UdpSocket() = default;

UdpSocket::UdpSocket(int descriptor)
    : descriptor_(descriptor), buffers_(std::make_unique<Buffers>()) {}

UdpSocket::UdpSocket(UdpSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      port_(other.port_),
      buffers_(std::move(other.buffers_)) {}

UdpSocket& UdpSocket::operator=(UdpSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(port_, other.port_);
  std::swap(buffers_, other.buffers_);
  return *this;
}

UdpSocket::~UdpSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Error UdpSocket::failure(const char* what, Endpoint local) {
  const std::string reason = std::strerror(errno);
  std::array<char, INET_ADDRSTRLEN> text{};
  const in_addr address{htonl(local.address)};
  inet_ntop(AF_INET, &address, text.data(), text.size());
  return {ErrorKind::system, std::string(what) + " on " + text.data() + ": " + reason};
}

Result<UdpSocket> UdpSocket::open(Endpoint local) {
  UdpSocket made(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return failure("cannot open a UDP socket", local);
  const int descriptor = made.descriptor_;
  if (!set(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, receive_buffer_bytes)) {
    set(descriptor, SOL_SOCKET, SO_RCVBUF, receive_buffer_bytes);
  }
  // Large frames may be cut on the way rather than be refused where an interface's MTU is smaller.
  set(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT);
  set(descriptor, IPPROTO_IP, IP_RECVTTL, 1);
  // Several jobs on one host may have been given one group.
  if (IN_MULTICAST(local.address)) set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
  if (!set(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, 1)) {
    return failure("cannot have arriving datagrams stamped", local);
  }
  sockaddr_in address = address_of(local);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return failure("cannot bind a UDP socket", local);
  }
  socklen_t length = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return failure("cannot learn the port of a UDP socket", local);
  }
  made.port_ = ntohs(address.sin_port);
  return made;
}

void UdpSocket::limit_send_queue(std::uint32_t bytes) {
  // The kernel doubles what it is told.
  set(descriptor_, SOL_SOCKET, SO_SNDBUF, static_cast<int>(bytes / 2));
}

Result<bool> UdpSocket::send_multicast_by(std::uint32_t interface_address) {
  const in_addr interface { htonl(interface_address) };
  if (setsockopt(descriptor_, IPPROTO_IP, IP_MULTICAST_IF, &interface, sizeof interface) != 0) {
    return failure("cannot send multicast", {interface_address, 0});
  }
  set(descriptor_, IPPROTO_IP, IP_MULTICAST_TTL, 1);
  set(descriptor_, IPPROTO_IP, IP_MULTICAST_LOOP, 0);
  return true;
}

Result<bool> UdpSocket::join(std::uint32_t group, std::uint32_t interface_address) {
  const ip_mreqn membership{{htonl(group)}, {htonl(interface_address)}, 0};
  if (setsockopt(descriptor_, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership) != 0) {
    return failure("cannot join a multicast group", {interface_address, 0});
  }
  return true;
}

UdpSocket::Outcome UdpSocket::send(Endpoint to, std::span<const unsigned char> datagram) const {
  const sockaddr_in address = address_of(to);
  for (;;) {
    if (sendto(descriptor_, datagram.data(), datagram.size(), 0,
               reinterpret_cast<const sockaddr*>(&address), sizeof address) >= 0) {
      return Outcome::sent;
    }
    if (errno == EINTR) continue;
    const bool full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS;
    return full ? Outcome::queue_full : Outcome::failed;
  }
}

std::span<const Received> UdpSocket::receive(std::size_t most) {
  most = std::min(most, batch);
  buffers_->prepare(most);
  const int count = recvmmsg(descriptor_, buffers_->messages.data(), static_cast<unsigned>(most),
                             MSG_DONTWAIT, nullptr);
  if (count <= 0) return {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    Received& received = buffers_->received[i];
    received.length = std::min<std::size_t>(buffers_->messages[i].msg_len, received.head.size());
    received.from_address = ntohl(buffers_->from[i].sin_addr.s_addr);
    received.kernel_ns = 0;
    received.time_to_live = 0;
    read_control(buffers_->messages[i].msg_hdr, received);
  }
  return {buffers_->received.data(), static_cast<std::size_t>(count)};
}

}  // namespace quadrille::probe
