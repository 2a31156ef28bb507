// SPDX-License-Identifier: BSD-3-Clause
// The program that an interface's receive queues run for each frame (bpf(2); Linux, networking/
// af_xdp): datagrams for one address and port go to the AF_XDP sockets that are entered, all else
// goes on to the kernel. It is attached as long as this process, or a child of it, lives (a BPF
// link, which ends with its descriptor), and an interface has one at most.
#pragma once

#include <cstddef>

#include "base/error.h"
#include "wire/links/address.h"
#include "wire/links/frames/next_hop.h"

namespace quadrille::wire {

class XdpProgram {
 public:
  XdpProgram() = default;
  XdpProgram(const XdpProgram&) = delete;
  XdpProgram& operator=(const XdpProgram&) = delete;
  ~XdpProgram();

  // Takes datagrams for `local` in frames of up to `longest_frame` bytes, of `queues` queues. In
  // the driver where that can, else where the kernel has made a packet of the frame. Errors: system
  // (no privilege, another program is attached). REQUIRES: once.
  Result<bool> attach(const EthernetInterface& interface, NetworkAddress local,
                      std::size_t longest_frame, std::size_t queues);
  // From now on `socket` has what arrives by the queue. REQUIRES: it is attached.
  bool enter(std::size_t queue, int socket) const;

 private:
  int sockets_ = -1;
  int program_ = -1;
  int link_ = -1;
};

}  // namespace quadrille::wire
