// SPDX-License-Identifier: BSD-3-Clause
// This host's end of one candidate network during a job: its sockets, and where the others' are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "probe/measure/agent/datagram.h"
#include "probe/measure/udp_socket.h"
#include "probe/round.h"

namespace quadrille::probe {

// What all hosts of a job have to know of it before they can hear each other.
struct JobOpening {
  std::uint64_t job = 0;  // random; every datagram carries it
  HostIndex own_host = 0;
  bool oversubscribed = false;  // more measuring hosts on this machine than it has cores
  struct OwnAddress {
    std::string address;  // empty: none on this network
    std::uint32_t mtu_bytes = 0;
    std::int64_t speed_bit_s = 0;  // of a physical interface; 0: not known
  };
  std::vector<OwnAddress> networks;
};

std::string encode(const JobOpening& opening);
// Errors: corrupt.
Result<JobOpening> decode_opening(std::string_view bytes);

// [networks][hosts]; port 0: not there.
using Peers = std::vector<std::vector<Endpoint>>;

std::string encode(const Peers& peers);
// Errors: corrupt, also when not `networks` times `hosts`.
Result<Peers> decode_peers(std::string_view bytes, std::size_t networks, std::size_t hosts);

// The job's multicast group: administratively scoped, with a port of its own.
Endpoint multicast_group(std::uint64_t job);

struct NetworkEnd {
  UdpSocket light;  // receives everything, sends what is not to wait behind streams
  UdpSocket bulk;   // sends streams; its queue is short
  UdpSocket group;  // hears the multicast group; closed where it cannot be joined
  Endpoint multicast;
  std::uint32_t piece_bytes = 0;  // of a message of several datagrams
  std::vector<Endpoint> peers;    // [hosts]

  // Errors: system.
  static Result<NetworkEnd> open(const JobOpening& opening, const JobOpening::OwnAddress& own);
};

}  // namespace quadrille::probe
