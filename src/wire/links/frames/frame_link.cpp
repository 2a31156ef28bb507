// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/frames/frame_link.h"

#include <algorithm>
#include <utility>

#include "base/copy_bytes.h"
#include "base/monotonic_clock.h"

namespace quadrille::wire {
namespace {

// How old the kernel's entry of a neighbour may be, and how soon it is asked again for one that it
// does not have.
constexpr Nanoseconds between_renewals{1'000'000'000};
constexpr Nanoseconds between_questions{1'000'000};
// At the interface's own address: switches believe what they see last.
constexpr Nanoseconds between_looks{10'000'000};

}  // namespace

Result<FrameLink::Base> FrameLink::base_over(FrameSockets sockets,
                                             const FrameLinkSettings& settings,
                                             bool kernel_sees_frames) {
  const unsigned deaf = kernel_sees_frames ? sockets.interface.index : 0;
  auto udp = UdpLink::over(std::move(sockets.udp), {.local = sockets.local,
                                                    .datagram_bytes = settings.datagram_bytes,
                                                    .alone = settings.alone,
                                                    .deaf_interface = deaf,
                                                    .is_bound = sockets.are_passed});
  if (!udp.ok()) return udp.error();
  return Base{.interface = std::move(sockets.interface),
              .udp = std::move(udp.value()),
              .routes = std::move(sockets.routes)};
}

FrameLink::FrameLink(Base base, const FrameLinkSettings& settings)
    : host_(settings.host),
      interface_(std::move(base.interface)),
      largest_(settings.datagram_bytes),
      udp_(std::move(base.udp)),
      next_hops_(interface_, std::move(base.routes), udp_->descriptors().front()),
      own_hardware_(next_hops_.own().value_or(HardwareAddress{})) {}

std::size_t FrameLink::longest_frame() const {
  return std::min(largest_ + frame_header_bytes, interface_.mtu_bytes + ethernet_header_bytes);
}

void FrameLink::forget_arrivals() {
  arrived_.clear();
  sources_.clear();
  has_more_ = false;
}

void FrameLink::take_apart(std::span<std::byte> bytes, std::size_t piece) {
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

bool FrameLink::look_at_udp() {
  if (!udp_brings_ && ++looks_ < looks_at_frames) return false;
  looks_ = 0;
  // Who only waits sends nothing that would show that the interface is gone.
  own_hardware(monotonic_now());
  const auto arrived = udp_->receive();
  has_more_ |= udp_->has_more();
  udp_brings_ = !arrived.empty();
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    arrived_.push_back(arrived[i]);
    sources_.push_back(udp_->source(i));
  }
  return !udp_brings_;
}

const HardwareAddress& FrameLink::own_hardware(Nanoseconds now) {
  if (now - own_renewed_ >= between_looks) {
    own_renewed_ = now;
    look_at_interface();
  }
  return own_hardware_;
}

void FrameLink::look_at_interface() {
  const auto own = next_hops_.own();
  is_cut_ = !own;
  if (own) own_hardware_ = *own;
}

bool FrameLink::goes_as_frame(NetworkAddress to, std::size_t length) {
  if (length + ip_udp_bytes > interface_.mtu_bytes) return false;
  Way& way = ways_[to.address];
  const Nanoseconds now = monotonic_now();
  own_hardware(now);
  if (now - way.renewed < (way.is_known ? between_renewals : between_questions))
    return way.is_known;
  way.renewed = now;
  const auto found = next_hops_.find(to.address);
  way.is_known = found.has_value();
  if (found) way.hardware = *found;
  return false;
}

void FrameLink::add_to_udp(NetworkAddress to, std::span<const std::byte> bytes,
                           std::size_t datagram) {
  copy_bytes(bytes, udp_->room());
  udp_->add_next(to, bytes.size(), datagram);
}

FrameEnds FrameLink::ends(NetworkAddress to) {
  return {.to_hardware = ways_[to.address].hardware,
          .from_hardware = own_hardware_,
          .to = to,
          .from = local()};
}

}  // namespace quadrille::wire
