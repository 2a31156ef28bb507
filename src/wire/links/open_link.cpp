// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/open_link.h"

#include <utility>

#include "wire/links/frames/frame_sockets.h"
#include "wire/links/frames/packet_link.h"
#include "wire/links/frames/passed_sockets.h"
#include "wire/links/frames/xdp_link.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

namespace {

FrameLinkSettings frame_settings(const LinkSettings& settings) {
  return {
      .host = settings.local, .datagram_bytes = settings.datagram_bytes, .alone = settings.alone};
}

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
  return PacketLink::over(std::move(sockets.value()), frame_settings(settings));
}

Result<std::unique_ptr<XdpLink>> open_xdp_link(const LinkSettings& settings) {
  return XdpLink::open(settings.local, frame_settings(settings));
}

Result<std::unique_ptr<UdpLink>> open_udp_link(const LinkSettings& settings) {
  return UdpLink::open({.local = settings.local,
                        .datagram_bytes = settings.datagram_bytes,
                        .alone = settings.alone,
                        .paths = settings.paths});
}

// Into `opened`, where it can be had; else why not.
template <typename Kind>
bool take(Result<std::unique_ptr<Kind>> link, OpenedLink& opened) {
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
  if (wanted == LinkKind::xdp && take(open_xdp_link(settings), opened)) return opened;
  if (wanted != LinkKind::udp && take(open_packet_link(settings), opened)) return opened;
  if (take(open_udp_link(settings), opened)) return opened;
  return Error{ErrorKind::system, opened.why_not};
}

}  // namespace quadrille::wire
