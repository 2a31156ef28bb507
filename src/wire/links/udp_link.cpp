// SPDX-License-Identifier: BSD-3-Clause
// A host's answer that a port is closed comes by the socket's error queue (IP_RECVERR, ip(7)); it
// also fails the next call, which says nothing of that call's datagrams. A queue that is not read
// keeps the socket awake, so errors of all kinds are taken from it.
#include "wire/links/udp_link.h"

#include <linux/errqueue.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

bool change_membership(int descriptor, int option, NetworkAddress group, NetworkAddress local) {
  const ip_mreq membership{{htonl(group.address)}, {htonl(local.address)}};
  return set_option(descriptor, IPPROTO_IP, option, membership);
}

// What is sent to groups stays on the network of `local`, and does not come back. Where the system
// does not let it, nobody hears it.
void send_to_groups_from(int descriptor, NetworkAddress local) {
  const in_addr interface { htonl(local.address) };
  set_option(descriptor, IPPROTO_IP, IP_MULTICAST_IF, interface);
  set_option(descriptor, IPPROTO_IP, IP_MULTICAST_TTL, 1);
  set_option(descriptor, IPPROTO_IP, IP_MULTICAST_LOOP, 0);
}

// The socket's own filter: a program for the kernel's machine (Linux, networking/filter).
bool take_nothing_from(int descriptor, unsigned interface) {
  std::array<sock_filter, 4> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                           static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_IFINDEX)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, interface, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, 0),
      sock_filter BPF_STMT(BPF_RET | BPF_K, ~std::uint32_t{0}),
  };
  const sock_fprog filter{program.size(), program.data()};
  return set_option(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, filter);
}

bool take_nothing(int descriptor) {
  sock_filter nothing BPF_STMT(BPF_RET | BPF_K, 0);
  return set_option(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, sock_fprog{1, &nothing});
}

// Sockets that only send, each by a port of its own; as many of these as can be had.
std::vector<Descriptor> sending_sockets(NetworkAddress local, std::size_t wanted) {
  std::vector<Descriptor> sockets;
  while (sockets.size() < wanted) {
    auto opened = UdpLink::new_socket(local);
    if (!opened.ok() || !take_nothing(opened.value().get()) ||
        !bind_to(opened.value().get(), {local.address, 0}))
      break;
    sockets.push_back(std::move(opened.value()));
  }
  return sockets;
}

std::vector<int> numbers_of(const Descriptor& first, const std::vector<Descriptor>& others) {
  std::vector<int> numbers{first.get()};
  for (const Descriptor& other : others) numbers.push_back(other.get());
  return numbers;
}

}  // namespace

struct UdpLink::Buffers {
  // Room beside a message for how long its pieces are, and when it came.
  union alignas(cmsghdr) Control {
    std::array<char, CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(timespec))> bytes;
  };

  explicit Buffers(std::size_t datagram_bytes)
      : largest(datagram_bytes),
        arrived_bytes(
            std::make_unique_for_overwrite<std::byte[]>(receive_batch * longest_message)) {
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
  std::array<iovec, receive_batch> arrived_pieces{};
  std::array<Control, receive_batch> arrived_control{};
  std::array<mmsghdr, receive_batch> arrived_headers{};
  std::array<sockaddr_in, receive_batch> from{};
  std::vector<std::span<std::byte>> arrived;
  std::vector<std::size_t> arrived_at;  // of each in `arrived`, in `from`
  std::array<sockaddr_in, SendBatch::longest_run> to{};
  std::array<Control, SendBatch::longest_run> leaving_control{};
};

UdpLink::UdpLink(Descriptor descriptor, std::vector<Descriptor> others, const UdpSettings& settings)
    : descriptor_(std::move(descriptor)),
      others_(std::move(others)),
      local_(settings.local),
      group_(settings.group),
      buffers_(std::make_unique<Buffers>(settings.datagram_bytes)),
      batch_(numbers_of(descriptor_, others_), settings.datagram_bytes, settings.alone) {}

UdpLink::~UdpLink() = default;

Result<Descriptor> UdpLink::new_socket(NetworkAddress local) {
  Descriptor opened(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!opened) return socket_failure("cannot open a UDP socket", local);
  return opened;
}

Result<std::unique_ptr<UdpLink>> UdpLink::open(const UdpSettings& settings) {
  auto opened = new_socket(settings.local);
  if (!opened.ok()) return opened.error();
  return over(std::move(opened.value()), settings);
}

Result<std::unique_ptr<UdpLink>> UdpLink::over(Descriptor opened, const UdpSettings& settings) {
  std::unique_ptr<UdpLink> link(new UdpLink(
      std::move(opened), sending_sockets(settings.local, settings.paths - 1), settings));
  const int descriptor = link->descriptor_.get();
  if (!set_option(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, settings.receive_buffer_bytes))
    set_option(descriptor, SOL_SOCKET, SO_RCVBUF, settings.receive_buffer_bytes);
  set_option(descriptor, IPPROTO_IP, IP_RECVERR, 1);
  set_option(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, 1);
  if (settings.deaf_interface == 0) {
    set_option(descriptor, IPPROTO_UDP, UDP_GRO, 1);
  } else if (!take_nothing_from(descriptor, settings.deaf_interface)) {
    return socket_failure("cannot filter what a UDP socket takes", settings.local);
  }
  if (settings.group)
    set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);  // other ranks of the host
  if (!settings.is_bound && !bind_to(descriptor, settings.group.value_or(settings.local)))
    return socket_failure("cannot bind a UDP socket", settings.local);
  if (settings.group) {
    set_option(descriptor, IPPROTO_IP, IP_MULTICAST_ALL, 0);
    if (!change_membership(descriptor, IP_ADD_MEMBERSHIP, *settings.group, settings.local))
      return socket_failure("cannot join a multicast group", settings.local);
    return link;
  }
  send_to_groups_from(descriptor, settings.local);
  const auto bound = bound_to(descriptor);
  if (!bound) return socket_failure("cannot learn the port of a UDP socket", settings.local);
  link->local_ = *bound;
  return link;
}

std::vector<std::uint16_t> UdpLink::other_ports() const {
  std::vector<std::uint16_t> ports;
  for (const Descriptor& other : others_)
    ports.push_back(bound_to(other.get()).value_or(NetworkAddress{}).port);
  return ports;
}

std::size_t UdpLink::receive_queue(std::size_t datagram_bytes) const {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  if (getsockopt(descriptor_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, &length) != 0) return 0;
  return static_cast<std::size_t>(bytes) / std::max(counted_bytes, 2 * datagram_bytes);
}

void UdpLink::join_again() {
  change_membership(descriptor_.get(), IP_DROP_MEMBERSHIP, *group_, local_);
  change_membership(descriptor_.get(), IP_ADD_MEMBERSHIP, *group_, local_);
}

std::span<const std::span<std::byte>> UdpLink::receive() {
  Buffers& b = *buffers_;
  for (mmsghdr& header : b.arrived_headers)
    header.msg_hdr.msg_controllen = sizeof(Buffers::Control);
  int count =
      recvmmsg(descriptor_.get(), b.arrived_headers.data(), receive_batch, MSG_DONTWAIT, nullptr);
  if (count < 0 && !is_for_now(errno)) {
    has_errors_ = true;  // of a datagram sent before
    count =
        recvmmsg(descriptor_.get(), b.arrived_headers.data(), receive_batch, MSG_DONTWAIT, nullptr);
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
  std::optional<Nanoseconds> came;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (const auto stamp = kernel_stamp(*c)) came = stamp;
    if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO) continue;
    int length = 0;
    std::memcpy(&length, CMSG_DATA(c), sizeof length);
    if (length > 0) piece = static_cast<std::size_t>(length);
  }
  if (piece > b.largest) return;  // than any of ours
  if (came) bursts_.add_message(whole.size(), piece, *came);
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

void UdpLink::make(std::size_t index, const SendBatch::Run& run, msghdr& header) {
  Buffers& b = *buffers_;
  b.to[index] = to_system(run.to);
  header.msg_name = &b.to[index];
  header.msg_namelen = sizeof b.to[index];
  header.msg_iov = run.bytes.data();
  header.msg_iovlen = run.bytes.size();
  if (run.datagrams == 1) return;
  header.msg_control = &b.leaving_control[index];
  header.msg_controllen = CMSG_SPACE(sizeof(std::uint16_t));
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  c->cmsg_level = IPPROTO_UDP;
  c->cmsg_type = UDP_SEGMENT;
  c->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
  const auto piece = static_cast<std::uint16_t>(run.datagram);
  std::memcpy(CMSG_DATA(c), &piece, sizeof piece);
}

std::vector<NetworkAddress> UdpLink::refusals() {
  std::vector<NetworkAddress> refused;
  if (!batch_.take_errors() && !has_errors_) return refused;
  has_errors_ = false;
  for (;;) {
    sockaddr_in to{};
    alignas(cmsghdr) std::array<char, 256> control{};
    msghdr header{};
    header.msg_name = &to;
    header.msg_namelen = sizeof to;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    if (recvmsg(descriptor_.get(), &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return refused;
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level != IPPROTO_IP || c->cmsg_type != IP_RECVERR) continue;
      sock_extended_err error{};
      std::memcpy(&error, CMSG_DATA(c), sizeof error);
      if (error.ee_errno == ECONNREFUSED) refused.push_back(from_system(to));
    }
  }
}

}  // namespace quadrille::wire
