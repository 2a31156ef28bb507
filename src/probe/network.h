// SPDX-License-Identifier: BSD-3-Clause
// The network under investigation: its hosts, what they say of themselves, and rounds performed on
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "probe/round.h"

namespace quadrille::probe {

struct Interface {
  std::string name;
  std::string address;  // IPv4, dotted
  std::uint32_t prefix_bits = 0;
  std::uint32_t mtu_bytes = 0;
  std::int64_t speed_bit_s = 0;  // as the driver states it; 0: it does not
  bool full_duplex = true;       // true where the driver does not say
  bool physical = false;         // has a device below it in /sys (a virtual one has not)
};

// What a host says of itself.
struct HostFacts {
  std::string name;     // as `hostname` prints it
  std::string machine;  // equal for hosts that are namespaces or containers of one kernel
  std::uint32_t cores = 1;
  std::uint32_t ranks = 1;  // of the job that measures
  std::vector<Interface> interfaces;
};

// A way on which all hosts may reach each other: one address of each.
struct CandidateNetwork {
  std::string name;                    // "198.18.0.0/16", or "routed" where subnets differ
  std::vector<std::string> interface;  // [hosts]
  std::vector<std::string> address;    // [hosts]; empty: the host has none
  bool preferred = false;              // named by the user or by the MPI library's own settings
};

class Network {
 public:
  virtual ~Network() = default;
  virtual const std::vector<HostFacts>& hosts() const = 0;
  virtual const std::vector<CandidateNetwork>& networks() const = 0;
  // Performs `round` on all hosts, once what the rounds before left in the network's queues has
  // left them, as far as that can be foreseen. Errors: peer_lost names a host that stopped
  // answering, timeout.
  virtual Result<RoundResult> perform(const Round& round) = 0;
  // Time spent so far, and bytes of frames sent by rounds so far.
  virtual std::int64_t elapsed_ns() const = 0;
};

}  // namespace quadrille::probe
