// SPDX-License-Identifier: BSD-3-Clause
// How much may be on its way to a job's hosts: as much as their ports hold, by the model, or what
// small switches have where no model tells. Of what both ends have to know alike nothing depends on
// who asks. Knows no MPI: `quadrille simulate` goes by the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "network/model/model.h"
#include "wire/endpoint.h"

namespace quadrille {

// What limits go by; borrows all of it.
struct WirePlaces {
  const std::vector<std::uint32_t>& host_of_rank;
  std::uint32_t hosts = 0;
  const NetworkModel* model = nullptr;           // or none
  const std::vector<std::uint32_t>& model_host;  // [hosts], with a model
};

class WireLimits {
 public:
  // `mtu`: the least of all hosts.
  WireLimits(const WirePlaces& job, std::size_t mtu) : job_(job), mtu_(mtu) {}

  // Packets on their way to all ranks of the host together.
  std::uint32_t packets(std::uint32_t host) const;
  // That it may grow to, where sockets keep so many datagrams.
  std::uint32_t most_packets(std::uint32_t host, std::size_t datagrams_kept) const;
  // Of a rank's end on that host, all but whose it is.
  wire::EndpointSettings of_endpoint(std::uint32_t host) const;

 private:
  struct Port {
    double burst_bytes;
    double rate_bit_s;
    bool lossless = false;
  };
  Port port_of(std::uint32_t host) const;
  // Of a trunk that carries less than the hosts behind it, the host's share, should all receive at
  // once; nothing: there is none.
  std::optional<double> trunk_share_bytes(std::uint32_t host) const;
  // Where nothing is known of a port.
  double least_burst_bytes() const;
  double smallest_burst_bytes() const;
  std::size_t unscheduled_bytes() const;

  WirePlaces job_;
  std::size_t mtu_;
};

}  // namespace quadrille
