// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/frames/xdp_link.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/monotonic_clock.h"
#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

// Its channels (ethtool(8)); 1 where the driver knows of none.
std::size_t receive_queues(const EthernetInterface& interface) {
  const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  ifreq request{};
  interface.name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  request.ifr_data = reinterpret_cast<char*>(&channels);
  const bool known = ioctl(descriptor, SIOCETHTOOL, &request) == 0;
  close(descriptor);
  return known ? std::max(channels.rx_count + channels.combined_count, 1U) : 1;
}

}  // namespace

Result<std::unique_ptr<XdpLink>> XdpLink::open(NetworkAddress local,
                                               const FrameLinkSettings& settings) {
  auto sockets = open_sockets_beside_frames(local);
  if (!sockets.ok()) return sockets.error();
  auto base = base_over(std::move(sockets.value()), settings, false);
  if (!base.ok()) return base.error();
  std::unique_ptr<XdpLink> link(new XdpLink(std::move(base.value()), settings));
  if (const auto started = link->start(settings.receive_bytes); !started.ok())
    return started.error();
  return link;
}

XdpLink::XdpLink(Base base, const FrameLinkSettings& settings)
    : FrameLink(std::move(base), settings), queue_(settings.alone) {}

Result<bool> XdpLink::start(std::size_t receive_bytes) {
  const auto unsupported = [&](const std::string& why) {
    return Error{ErrorKind::unsupported, interface().name + " " + why};
  };
  if (longest_frame() > XdpSocket::longest_frame)
    return unsupported("carries frames of " + std::to_string(longest_frame()) +
                       " bytes, AF_XDP takes up to " + std::to_string(XdpSocket::longest_frame));
  const std::size_t count = receive_queues(interface());
  if (count > most_queues)
    return unsupported("has " + std::to_string(count) + " receive queues, more than " +
                       std::to_string(most_queues));
  // First, as it tells whether anybody else has the interface.
  if (auto attached = program_.attach(interface(), local(), longest_frame(), count); !attached.ok())
    return attached.error();
  if (longest_frame() < frame_header_bytes + largest()) written_.resize(largest());
  for (std::uint32_t i = 0; i < count; ++i) {
    auto opened = XdpSocket::open(
        interface(),
        {.queue = i, .longest_frame = longest_frame(), .receive_bytes = receive_bytes / count});
    if (!opened.ok()) return opened.error();
    queues_.push_back(std::move(opened.value()));
    descriptors_.push_back(queues_.back()->descriptor());
    if (!program_.enter(i, queues_.back()->descriptor()))
      return socket_failure("cannot enter an AF_XDP socket", local());
  }
  const int of_udp = udp().descriptors().front();
  if (!room_.open(sending().descriptor(), sending().is_zero_copy(), of_udp))
    return socket_failure("cannot wait for an AF_XDP socket", local());
  descriptors_.insert(descriptors_.begin(), room_.descriptor());
  descriptors_.push_back(of_udp);
  return true;
}

std::span<const std::span<std::byte>> XdpLink::receive() {
  for (const auto& queue : queues_) queue->release();
  forget_arrivals();
  for (const auto& queue : queues_) take_frames(*queue);
  look_at_udp();
  return arrived();
}

void XdpLink::take_frames(XdpSocket& queue) {
  for (std::size_t frames = 0; frames < receive_batch; ++frames) {
    const auto frame = queue.next();
    if (!frame) return;
    if (is_for_this_interface(*frame)) take_apart(*frame, 0);
  }
  there_is_more(queue.has_next());
}

// Not what a switch floods, or an interface hears of others.
bool XdpLink::is_for_this_interface(std::span<const std::byte> frame) {
  const auto is_to = [&](const HardwareAddress& own) {
    return std::memcmp(frame.data(), own.data(), own.size()) == 0;
  };
  return is_to(own_hardware()) || is_to(own_hardware(monotonic_now()));
}

bool XdpLink::is_to_one_address() const {
  return std::all_of(batch_.begin(), batch_.begin() + added_,
                     [&](const Waiting& one) { return one.to == batch_.front().to; });
}

// As SendBatch.
std::span<std::byte> XdpLink::room() {
  const bool is_full =
      queue_.is_short() ? added_ > 0 : added_ >= SendBatch::usual && !is_to_one_address();
  if (is_full || added_ == batch_.size() || udp().room().empty()) return {};
  if (!next_slot_) next_slot_ = sending().take_slot();
  return written_.empty() ? payload(*next_slot_).first(largest()) : std::span(written_);
}

void XdpLink::add(NetworkAddress to, std::size_t length) {
  const std::span<std::byte> datagram =
      (written_.empty() ? payload(*next_slot_) : std::span(written_)).first(length);
  if (!goes_as_frame(to, length)) return add_to_udp(to, datagram, 0);
  const XdpSocket::Slot slot = *std::exchange(next_slot_, {});
  if (!written_.empty()) std::ranges::copy(datagram, payload(slot).begin());
  std::ranges::copy(frame_headers(ends(to), length, false), sending().memory(slot).begin());
  batch_[added_++] = {.slot = slot, .length = length, .to = to};
}

std::span<std::byte> XdpLink::payload(XdpSocket::Slot slot) const {
  return sending().memory(slot).subspan(frame_header_bytes);
}

bool XdpLink::flush() {
  const bool by_udp = udp().flush();
  room_.watch_beside(!by_udp);
  if (room_.is_on()) room_.forget();
  bool all = send_batch();
  if (!all && !room_.is_on()) {
    room_.start();
    all = send_batch();
  }
  if (all && room_.is_on()) room_.stop();
  return by_udp && all;
}

bool XdpLink::send_batch() {
  using Answer = XdpSocket::Answer;
  Answer answer = answer_ == Answer::taken ? Answer::taken : sending().kick();
  while (answer == Answer::taken && post()) answer = sending().kick();
  answer_ = answer;
  if (answer == Answer::never) lose_batch();
  if (!has_waiting()) added_ = posted_ = 0;
  return !has_waiting() && answer != Answer::later;
}

bool XdpLink::post() {
  if (!has_waiting()) return false;
  const std::size_t most = sending().is_zero_copy() ? SendQueue::most : queue_.length();
  const std::size_t under_way = sending().under_way();
  if (under_way >= most) {
    if (!queue_.is_full()) queue_.found_full(all_posted_, monotonic_now());
    return false;
  }
  if (queue_.is_full()) queue_.found_room(monotonic_now());
  for (std::size_t room = most - under_way; has_waiting() && room > 0; --room) {
    const Waiting& next = batch_[posted_++];
    sending().post(next.slot, frame_header_bytes + next.length);
    ++all_posted_.datagrams;
    all_posted_.bytes += next.length + framing_bytes;
  }
  return true;
}

// As on the network.
void XdpLink::lose_batch() {
  for (; has_waiting(); ++posted_) sending().give_back(batch_[posted_].slot);
}

}  // namespace quadrille::wire
