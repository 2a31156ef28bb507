// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/open_link.h"

#include <utility>

#include "wire/links/packet_link.h"
#include "wire/links/udp_link.h"
#include "wire/links/xdp_link.h"

namespace quadrille::wire {

namespace {

// Into `opened`, where it can be had; else why not.
template <typename Kind>
bool open_as(const LinkSettings& settings, OpenedLink& opened) {
  auto link = Kind::open({.local = settings.local,
                          .datagram_bytes = settings.datagram_bytes,
                          .alone = settings.alone});
  if (link.ok()) {
    opened.link = std::move(link.value());
  } else {
    opened.why_not += (opened.why_not.empty() ? "" : "; ") + link.error().message;
  }
  return link.ok();
}

}  // namespace

std::optional<LinkKind> link_kind(std::string_view name) {
  if (name == "udp" || name == "auto") return LinkKind::udp;
  if (name == "packet") return LinkKind::packet;
  if (name == "xdp") return LinkKind::xdp;
  return std::nullopt;
}

Result<OpenedLink> open_link(LinkKind wanted, const LinkSettings& settings) {
  OpenedLink opened;
  if (wanted == LinkKind::xdp && open_as<XdpLink>(settings, opened)) return opened;
  if (wanted != LinkKind::udp && open_as<PacketLink>(settings, opened)) return opened;
  if (open_as<UdpLink>(settings, opened)) return opened;
  return Error{ErrorKind::system, opened.why_not};
}

}  // namespace quadrille::wire
