// SPDX-License-Identifier: BSD-3-Clause
// The socket's own filter takes what is for this port, whole datagrams only; the UDP socket's
// filter takes nothing that comes by the same interface, as the kernel shows each frame to both.
//
// Messages that are cut further on (UDP_SEGMENT) come whole between interfaces of one machine, and
// are sent so; Linux 6.2 and later tell how they are to be cut (PACKET_VNET_HDR).
#include "wire/links/packet_link.h"

#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/monotonic_clock.h"
#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

// How old the kernel's entry of a neighbour may be, and how soon it is asked again for one that it
// does not have.
constexpr Nanoseconds between_renewals{1'000'000'000};
constexpr Nanoseconds between_questions{1'000'000};
// At the interface's own address: switches believe what they see last.
constexpr Nanoseconds between_looks{10'000'000};

// Offsets in a frame.
constexpr std::uint32_t at_protocol = ethernet_header_bytes + 9;
constexpr std::uint32_t at_fragment = ethernet_header_bytes + 6;
constexpr std::uint32_t at_destination = ethernet_header_bytes + 16;
constexpr std::uint32_t at_port = ethernet_header_bytes + 2;  // and IP's header
constexpr std::uint32_t fragment_bits = 0x3fff;

bool take_only(int descriptor, NetworkAddress local) {
  constexpr auto load_byte = BPF_LD | BPF_B | BPF_ABS;
  constexpr auto load_half = BPF_LD | BPF_H | BPF_ABS;
  constexpr auto equals = BPF_JMP | BPF_JEQ | BPF_K;
  std::array<sock_filter, 13> program{
      // Not what a switch floods, or an interface hears of others.
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                           static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_PKTTYPE)),
      sock_filter BPF_JUMP(equals, PACKET_HOST, 0, 10),
      sock_filter BPF_STMT(load_byte, at_protocol),
      sock_filter BPF_JUMP(equals, IPPROTO_UDP, 0, 8),
      sock_filter BPF_STMT(load_half, at_fragment),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, fragment_bits, 6, 0),
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at_destination),
      sock_filter BPF_JUMP(equals, local.address, 0, 4),
      sock_filter BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, ethernet_header_bytes),
      sock_filter BPF_STMT(BPF_LD | BPF_H | BPF_IND, at_port),
      sock_filter BPF_JUMP(equals, local.port, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, ~std::uint32_t{0}),
      sock_filter BPF_STMT(BPF_RET | BPF_K, 0),
  };
  const sock_fprog filter{program.size(), program.data()};
  return set_option(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, filter);
}

bool bind_to(int descriptor, unsigned interface) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_IP);
  address.sll_ifindex = static_cast<int>(interface);
  return bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

Result<std::unique_ptr<PacketLink>> PacketLink::over(FrameSockets sockets,
                                                     const PacketSettings& settings) {
  auto udp = UdpLink::over(std::move(sockets.udp), {.local = sockets.local,
                                                    .datagram_bytes = settings.datagram_bytes,
                                                    .alone = settings.alone,
                                                    .deaf_interface = sockets.interface.index,
                                                    .is_bound = sockets.are_passed});
  if (!udp.ok()) return udp.error();
  std::unique_ptr<PacketLink> link(
      new PacketLink(std::move(sockets), std::move(udp.value()), settings));
  if (!link->start(settings)) return socket_failure("cannot set up a packet socket", link->local());
  return link;
}

PacketLink::PacketLink(FrameSockets sockets, std::unique_ptr<UdpLink> udp,
                       const PacketSettings& settings)
    : descriptor_(std::move(sockets.packet)),
      takes_only_own_(sockets.are_passed),
      host_(settings.host),
      interface_(std::move(sockets.interface)),
      largest_(settings.datagram_bytes),
      udp_(std::move(udp)),
      descriptors_{descriptor_.get(), udp_->descriptors().front()},
      next_hops_(interface_, std::move(sockets.routes), udp_->descriptors().front()),
      own_hardware_(next_hops_.own().value_or(HardwareAddress{})),
      batch_(descriptor_.get(), settings.datagram_bytes, settings.alone),
      message_(sizeof(FrameOffload) + ethernet_header_bytes + longest_message) {}

PacketLink::~PacketLink() = default;

bool PacketLink::start(const PacketSettings& settings) {
  const int on = 1;
  const int bytes = static_cast<int>(settings.receive_bytes);
  if (!set_option(descriptor_.get(), SOL_SOCKET, SO_RCVBUFFORCE, bytes))
    set_option(descriptor_.get(), SOL_SOCKET, SO_RCVBUF, bytes);
  set_option(descriptor_.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, on);
  const std::size_t frame =
      std::min(largest_ + frame_header_bytes, interface_.mtu_bytes + ethernet_header_bytes);
  return (takes_only_own_ || take_only(descriptor_.get(), local())) &&
         ring_.open(descriptor_.get(), frame, settings.receive_bytes) &&
         bind_to(descriptor_.get(), interface_.index);
}

std::span<const std::span<std::byte>> PacketLink::receive() {
  ring_.release();
  arrived_.clear();
  sources_.clear();
  has_more_ = false;
  take_frames();
  if (udp_brings_ || ++looks_ >= looks_at_ring) take_from_udp();
  return arrived_;
}

void PacketLink::take_frames() {
  for (std::size_t frames = 0; frames < receive_batch; ++frames) {
    const auto arrival = ring_.next();
    if (!arrival) return;
    if (arrival->is_in_socket) {
      take_message();
      has_more_ = true;  // its memory is this one's
      return;
    }
    if (!arrival->is_whole) continue;
    take_apart(arrival->frame, arrival->offload.kind == FrameOffload::cut_by_udp
                                   ? arrival->offload.piece_bytes
                                   : 0);
  }
  has_more_ = ring_.has_next();
}

void PacketLink::take_message() {
  const ssize_t length = recv(descriptor_.get(), message_.data(), message_.size(), MSG_DONTWAIT);
  FrameOffload offload{};
  if (length < static_cast<ssize_t>(sizeof offload)) return;
  std::memcpy(&offload, message_.data(), sizeof offload);
  if (offload.kind != FrameOffload::cut_by_udp) return;
  take_apart(std::span(message_).first(static_cast<std::size_t>(length)).subspan(sizeof offload),
             offload.piece_bytes);
}

void PacketLink::take_apart(std::span<std::byte> bytes, std::size_t piece) {
  const auto frame = read_frame(bytes);
  if (!frame || frame->to != local()) return;
  std::span<std::byte> rest = frame->payload;
  if (piece == 0) piece = rest.size();
  if (piece > largest_) return;  // than any of ours
  do {
    arrived_.push_back(rest.first(std::min(piece, rest.size())));
    sources_.push_back(frame->from);
    rest = rest.subspan(arrived_.back().size());
    ++frames_received_;
  } while (!rest.empty());
}

void PacketLink::take_from_udp() {
  looks_ = 0;
  const auto arrived = udp_->receive();
  has_more_ |= udp_->has_more();
  udp_brings_ = !arrived.empty();
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    arrived_.push_back(arrived[i]);
    sources_.push_back(udp_->source(i));
  }
  // Of the packet socket nothing else is asked that would take its errors: an interface went down.
  int error = 0;
  socklen_t length = sizeof error;
  if (!udp_brings_) getsockopt(descriptor_.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) look_at_interface();
}

void PacketLink::look_at_interface() {
  const auto own = next_hops_.own();
  is_cut_ = !own;
  if (own) own_hardware_ = *own;
}

NetworkAddress PacketLink::source(std::size_t index) const { return sources_[index]; }

std::span<std::byte> PacketLink::room() {
  return udp_->room().empty() ? std::span<std::byte>{} : batch_.room();
}

bool PacketLink::goes_as_frame(std::uint32_t address) {
  Way& way = ways_[address];
  const Nanoseconds now = monotonic_now();
  if (now - own_renewed_ >= between_looks) {
    own_renewed_ = now;
    look_at_interface();
  }
  if (now - way.renewed < (way.is_known ? between_renewals : between_questions))
    return way.is_known;
  way.renewed = now;
  const auto found = next_hops_.find(address);
  way.is_known = found.has_value();
  if (found) way.hardware = *found;
  return false;
}

void PacketLink::add(NetworkAddress to, std::size_t length) {
  const bool fits = length + ip_udp_bytes <= interface_.mtu_bytes;
  if (fits && goes_as_frame(to.address)) return batch_.add(to, length);
  std::ranges::copy(batch_.room().first(length), udp_->room().begin());
  udp_->add(to, length);
}

bool PacketLink::flush() {
  const bool by_udp = udp_->flush();
  return batch_.flush(*this) && by_udp;
}

void PacketLink::make(std::size_t index, const SendBatch::Run& run, msghdr& header) {
  std::size_t payload = 0;
  auto& pieces = pieces_[index];
  for (std::size_t i = 0; i < run.pieces.size(); ++i) {
    pieces[i + 1] = run.pieces[i];
    payload += run.pieces[i].iov_len;
  }
  const bool is_cut = run.pieces.size() > 1;
  Head& head = heads_[index];
  head.headers = frame_headers({.to_hardware = ways_[run.to.address].hardware,
                                .from_hardware = own_hardware_,
                                .to = run.to,
                                .from = local()},
                               payload, is_cut);
  head.offload = {};
  if (is_cut) {
    head.offload = {.flags = FrameOffload::needs_checksum,
                    .kind = FrameOffload::cut_by_udp,
                    .header_bytes = frame_header_bytes,
                    .piece_bytes = static_cast<std::uint16_t>(run.pieces.front().iov_len),
                    .checksum_from = udp_offset,
                    .checksum_at = udp_checksum_offset};
  }
  static_assert(sizeof(Head) == sizeof(FrameOffload) + frame_header_bytes);
  pieces[0] = {&head, sizeof head};
  header.msg_iov = pieces.data();
  header.msg_iovlen = run.pieces.size() + 1;
}

}  // namespace quadrille::wire
