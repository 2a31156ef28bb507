// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/open_link.h"

#include <utility>

#include "wire/links/packet_link.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

std::optional<LinkKind> link_kind(std::string_view name) {
  if (name == "udp" || name == "auto") return LinkKind::udp;
  if (name == "packet") return LinkKind::packet;
  return std::nullopt;
}

Result<OpenedLink> open_link(LinkKind wanted, const LinkSettings& settings) {
  OpenedLink opened;
  if (wanted == LinkKind::packet) {
    auto link = PacketLink::open({.local = settings.local,
                                  .datagram_bytes = settings.datagram_bytes,
                                  .alone = settings.alone});
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
