// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/frames/frame_sockets.h"

#include <sys/socket.h>

#include <utility>

#include "wire/links/socket.h"
#include "wire/links/udp_link.h"

namespace quadrille::wire {

Result<FrameSockets> open_sockets_beside_frames(NetworkAddress local) {
  FrameSockets opened;
  auto interface = ethernet_interface(local.address);
  if (!interface.ok()) return interface.error();
  opened.interface = std::move(interface.value());
  opened.local = local;
  auto udp = UdpLink::new_socket(local);
  if (!udp.ok()) return udp.error();
  opened.udp = std::move(udp.value());
  opened.routes = open_routes();
  if (!opened.routes) return socket_failure("cannot ask for routes", local);
  return opened;
}

Result<FrameSockets> open_frame_sockets(NetworkAddress local) {
  auto opened = open_sockets_beside_frames(local);
  if (!opened.ok()) return opened;
  // Of no protocol: it takes nothing before all is set up.
  opened.value().packet = Descriptor(socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!opened.value().packet) return socket_failure("cannot open a packet socket", local);
  return opened;
}

}  // namespace quadrille::wire
