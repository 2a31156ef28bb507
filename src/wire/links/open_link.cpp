// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/open_link.h"

#include <utility>

#include "wire/links/frame_sockets.h"
#include "wire/links/packet_link.h"
#include "wire/links/passed_sockets.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

std::optional<LinkKind> link_kind(std::string_view name) {
  if (name == "udp" || name == "auto") return LinkKind::udp;
  if (name == "packet") return LinkKind::packet;
  return std::nullopt;
}

namespace {

// Own ones where that is allowed, else a link helper's.
Result<FrameSockets> find_frame_sockets(const LinkSettings& settings) {
  auto own = open_frame_sockets(settings.local);
  if (own.ok() || own.error().kind == ErrorKind::unsupported || settings.link_helper.empty())
    return own;
  auto passed = ask_for_sockets(settings.link_helper, settings.local);
  if (passed.ok()) return passed;
  return Error{ErrorKind::system, own.error().message + "; " + passed.error().message};
}

Result<std::unique_ptr<PacketLink>> open_packet_link(const LinkSettings& settings) {
  auto sockets = find_frame_sockets(settings);
  if (!sockets.ok()) return sockets.error();
  return PacketLink::over(
      std::move(sockets.value()),
      {.host = settings.local, .datagram_bytes = settings.datagram_bytes, .alone = settings.alone});
}

}  // namespace

Result<OpenedLink> open_link(LinkKind wanted, const LinkSettings& settings) {
  OpenedLink opened;
  if (wanted == LinkKind::packet) {
    auto link = open_packet_link(settings);
    if (link.ok()) {
      opened.link = std::move(link.value());
      return opened;
    }
    opened.why_udp = link.error().message;
  }
  auto link = UdpLink::open({.local = settings.local,
                             .datagram_bytes = settings.datagram_bytes,
                             .alone = settings.alone});
  if (!link.ok()) return link.error();
  opened.link = std::move(link.value());
  return opened;
}

}  // namespace quadrille::wire
