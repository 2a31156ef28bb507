// SPDX-License-Identifier: BSD-3-Clause
// The sockets that a link of frames is made of: its own ones here, or those that a link helper has
// passed to it (passed_sockets.h).
#pragma once

#include "base/error.h"
#include "wire/links/address.h"
#include "wire/links/descriptor.h"
#include "wire/links/frames/next_hop.h"

namespace quadrille::wire {

struct FrameSockets {
  Descriptor udp;
  Descriptor packet;  // of no protocol yet; none where frames come and go otherwise
  Descriptor routes;  // rtnetlink(7)
  // As the sockets see it, which may be in another network namespace than the process.
  EthernetInterface interface;
  NetworkAddress local;     // of `udp`
  bool are_passed = false;  // `udp` is bound, and what `packet` takes is settled
};

// `local`: an address of this host; its port may be 0.
Result<FrameSockets> open_sockets_beside_frames(NetworkAddress local);
// With a packet socket, which needs CAP_NET_RAW.
Result<FrameSockets> open_frame_sockets(NetworkAddress local);

}  // namespace quadrille::wire
