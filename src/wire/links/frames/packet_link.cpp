// SPDX-License-Identifier: BSD-3-Clause
// The socket's own filter takes what is for this port, whole datagrams only; the UDP socket's
// filter takes nothing that comes by the same interface, as the kernel shows each frame to both.
//
// Messages that are cut further on (UDP_SEGMENT) come whole between interfaces of one machine, and
// are sent so; Linux 6.2 and later tell how they are to be cut (PACKET_VNET_HDR).
#include "wire/links/frames/packet_link.h"

#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

// Offsets in a frame.
constexpr std::uint32_t at_protocol = ethernet_header_bytes + 9;
constexpr std::uint32_t at_fragment = ethernet_header_bytes + 6;
constexpr std::uint32_t at_destination = ethernet_header_bytes + 16;
constexpr std::uint32_t at_port = ethernet_header_bytes + 2;  // and IP's header
constexpr std::uint32_t filter_fragment_bits = 0x3fff;

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
      sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, filter_fragment_bits, 6, 0),
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
                                                     const FrameLinkSettings& settings) {
  const bool takes_only_own = sockets.are_passed;
  Descriptor descriptor = std::move(sockets.packet);
  auto base = base_over(std::move(sockets), settings, true);
  if (!base.ok()) return base.error();
  std::unique_ptr<PacketLink> link(
      new PacketLink(std::move(descriptor), takes_only_own, std::move(base.value()), settings));
  if (!link->start(settings.receive_bytes))
    return socket_failure("cannot set up a packet socket", link->local());
  return link;
}

PacketLink::PacketLink(Descriptor descriptor, bool takes_only_own, Base base,
                       const FrameLinkSettings& settings)
    : FrameLink(std::move(base), settings),
      descriptor_(std::move(descriptor)),
      takes_only_own_(takes_only_own),
      descriptors_{descriptor_.get(), udp().descriptors().front()},
      batch_({descriptor_.get()}, settings.datagram_bytes, settings.alone),
      message_(sizeof(FrameOffload) + ethernet_header_bytes + longest_message) {}

bool PacketLink::start(std::size_t receive_bytes) {
  const int on = 1;
  const int bytes = static_cast<int>(receive_bytes);
  if (!set_option(descriptor_.get(), SOL_SOCKET, SO_RCVBUFFORCE, bytes))
    set_option(descriptor_.get(), SOL_SOCKET, SO_RCVBUF, bytes);
  set_option(descriptor_.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, on);
  return (takes_only_own_ || take_only(descriptor_.get(), local())) &&
         ring_.open(descriptor_.get(), longest_frame(), receive_bytes) &&
         bind_to(descriptor_.get(), interface().index);
}

std::span<const std::span<std::byte>> PacketLink::receive() {
  ring_.release();
  forget_arrivals();
  take_frames();
  if (look_at_udp()) take_errors();
  return arrived();
}

void PacketLink::take_frames() {
  for (std::size_t frames = 0; frames < receive_batch; ++frames) {
    const auto arrival = ring_.next();
    if (!arrival) return;
    note_burst(*arrival);
    if (arrival->is_in_socket) {
      take_message();
      there_is_more(true);  // its memory is this one's
      return;
    }
    if (!arrival->is_whole) continue;
    take_apart(arrival->frame, arrival->offload.kind == FrameOffload::cut_by_udp
                                   ? arrival->offload.piece_bytes
                                   : 0);
  }
  there_is_more(ring_.has_next());
}

void PacketLink::note_burst(const FrameRing::Arrival& arrival) {
  const std::size_t payload = arrival.bytes - std::min(arrival.bytes, frame_header_bytes);
  const FrameOffload& offload = arrival.offload;
  const bool is_cut = offload.kind == FrameOffload::cut_by_udp && offload.piece_bytes > 0;
  bursts_.add_message(payload, is_cut ? offload.piece_bytes : payload, arrival.came);
}

void PacketLink::take_message() {
  const auto take = [&] {
    return recv(descriptor_.get(), message_.data(), message_.size(), MSG_DONTWAIT);
  };
  ssize_t length = take();
  // An error of the socket comes first; the message stays, and would be taken for the next one.
  if (length < 0) {
    look_at_interface();
    length = take();
  }
  FrameOffload offload{};
  if (length < static_cast<ssize_t>(sizeof offload)) return;
  std::memcpy(&offload, message_.data(), sizeof offload);
  if (offload.kind != FrameOffload::cut_by_udp) return;
  take_apart(std::span(message_).first(static_cast<std::size_t>(length)).subspan(sizeof offload),
             offload.piece_bytes);
}

// Nothing else is asked of the packet socket that would take them: an interface went down.
void PacketLink::take_errors() {
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(descriptor_.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) look_at_interface();
}

std::span<std::byte> PacketLink::room() {
  return udp().room().empty() ? std::span<std::byte>{} : batch_.room();
}

RunLimit PacketLink::run_limit() const {
  const RunLimit frames = batch_.run_limit();
  return {.datagrams = std::min(frames.datagrams, udp().run_limit().datagrams),
          .bytes = frames.bytes};
}

void PacketLink::add(NetworkAddress to, std::size_t length) {
  if (goes_as_frame(to, length)) return batch_.add(to, length);
  add_to_udp(to, batch_.room().first(length), 0);
}

void PacketLink::add_several(NetworkAddress to, std::size_t length, std::size_t datagram) {
  if (goes_as_frame(to, datagram)) return batch_.add_several(to, length, datagram);
  add_to_udp(to, batch_.room().first(length), datagram);
}

bool PacketLink::flush() {
  const bool by_udp = udp().flush();
  return batch_.flush(*this) && by_udp;
}

void PacketLink::make(std::size_t index, const SendBatch::Run& run, msghdr& header) {
  std::size_t payload = 0;
  auto& pieces = pieces_[index];
  for (std::size_t i = 0; i < run.bytes.size(); ++i) {
    pieces[i + 1] = run.bytes[i];
    payload += run.bytes[i].iov_len;
  }
  const bool is_cut = run.datagrams > 1;
  Head& head = heads_[index];
  head.headers = frame_headers(ends(run.to), payload, is_cut);
  head.offload = {};
  if (is_cut) {
    head.offload = {.flags = FrameOffload::needs_checksum,
                    .kind = FrameOffload::cut_by_udp,
                    .header_bytes = frame_header_bytes,
                    .piece_bytes = static_cast<std::uint16_t>(run.datagram),
                    .checksum_from = udp_offset,
                    .checksum_at = udp_checksum_offset};
  }
  static_assert(sizeof(Head) == sizeof(FrameOffload) + frame_header_bytes);
  pieces[0] = {&head, sizeof head};
  header.msg_iov = pieces.data();
  header.msg_iovlen = run.bytes.size() + 1;
}

}  // namespace quadrille::wire
