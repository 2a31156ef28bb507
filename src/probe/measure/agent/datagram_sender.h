// SPDX-License-Identifier: BSD-3-Clause
// Gives datagrams their header and time, and counts what leaves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "probe/measure/agent/round_clock.h"
#include "probe/measure/network_end.h"

namespace quadrille::probe {

class DatagramSender {
 public:
  DatagramSender(std::uint64_t job, HostIndex own_host, std::uint32_t round, RoundClock clock)
      : job_(job), own_host_(own_host), round_(round), clock_(clock), bytes_(65'507) {}

  // Sends `header` with job, sender and time filled in, `payload_bytes` long, at least the header.
  UdpSocket::Outcome send(const UdpSocket& socket, Endpoint to, Datagram header,
                          std::size_t payload_bytes) {
    header.job = job_;
    header.round = round_;
    header.from = own_host_;
    const std::size_t length = std::clamp(payload_bytes, Datagram::bytes, bytes_.size());
    header.sent_ns = clock_.now();
    header.write(bytes_.data());
    const auto outcome = socket.send(to, {bytes_.data(), length});
    last_sent_ns_ = header.sent_ns;
    if (outcome == UdpSocket::Outcome::sent) sent_bytes_ += length + kFrameOverheadBytes;
    return outcome;
  }

  const RoundClock& clock() const { return clock_; }
  // The time that the last datagram carries.
  std::int64_t last_sent_ns() const { return last_sent_ns_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  std::uint64_t job_;
  HostIndex own_host_;
  std::uint32_t round_;
  RoundClock clock_;
  std::vector<unsigned char> bytes_;
  std::int64_t last_sent_ns_ = 0;
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace quadrille::probe
