// SPDX-License-Identifier: BSD-3-Clause
// The link that was wanted, or the next where it cannot be had: packet sockets, then UDP.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "wire/links/link.h"

namespace quadrille::wire {

enum class LinkKind { udp, packet, xdp };

// As Link::name() says it; "auto" is UDP.
std::optional<LinkKind> link_kind(std::string_view name);

struct LinkSettings {
  NetworkAddress local;               // port 0: any that is free
  std::size_t datagram_bytes = 1472;  // the largest
  // No other rank sends by the interface.
  bool alone = false;
  std::uint32_t paths = 1;  // where the link is UDP
  // Whom a process asks that may not open the link's sockets: the path of a Unix socket; empty:
  // nobody.
  std::string link_helper = {};
};

struct OpenedLink {
  std::unique_ptr<Link> link;
  std::string why_not;  // what was wanted; empty where it is that
};

Result<OpenedLink> open_link(LinkKind wanted, const LinkSettings& settings);

}  // namespace quadrille::wire
