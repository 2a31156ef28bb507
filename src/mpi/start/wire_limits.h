// SPDX-License-Identifier: BSD-3-Clause
// How much may be on its way to a job's hosts: as much as their ports hold, by the model, or what
// small switches have where no model tells. Of what both ends have to know alike nothing depends on
// who asks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/communicator/wire_ranks.h"
#include "wire/endpoint.h"

namespace quadrille {

class WireLimits {
 public:
  // `mtu`: the least of all hosts. Borrows the job.
  WireLimits(const WireRanks& job, std::size_t mtu) : job_(job), mtu_(mtu) {}

  // Packets on their way to all ranks of the host together.
  std::uint32_t packets(std::uint32_t host) const;
  // Of a rank's end on that host, all but whose it is.
  wire::EndpointSettings of_endpoint(std::uint32_t host) const;

 private:
  struct Port {
    double burst_bytes;
    double rate_bit_s;
    bool lossless = false;
  };
  Port port_of(std::uint32_t host) const;
  // Where nothing is known of a port.
  double least_burst_bytes() const;
  double smallest_burst_bytes() const;
  std::size_t unscheduled_bytes() const;

  const WireRanks& job_;
  std::size_t mtu_;
};

}  // namespace quadrille
