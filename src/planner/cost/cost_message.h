// SPDX-License-Identifier: BSD-3-Clause
// A message while a call is played through: its way, its pieces, and how far its two ends are.
#pragma once

#include <cstdint>

#include "network/network_costs.h"
#include "schedule/check/whole_call.h"

namespace quadrille {

struct Message {
  static constexpr std::int64_t not_yet = -1;

  GlobalStep send = 0;
  GlobalStep receive = 0;
  std::uint32_t from_host = 0;
  std::uint32_t to_host = 0;
  bool by_network = true;         // else inside a host or an island
  std::uint64_t bytes = 0;        // on the wire
  std::uint64_t piece_bytes = 0;  // of all pieces but the last: whole frames
  std::uint8_t pieces = 1;
  bool asks_first = false;  // whether the receiver is ready
  std::int64_t latency_ns = 0;
  std::int64_t offered_ns = not_yet;  // when the receiver knows that it is asked
  std::int64_t receive_started_ns = not_yet;
  std::int64_t arrived_ns = not_yet;

  // REQUIRES: piece < pieces
  std::uint64_t bytes_of(std::uint8_t piece) const;

  // The resource at place `hop` of the message's way; none behind its end.
  NetworkCosts::ResourceIndex resource(const NetworkCosts& costs, std::uint32_t hop) const;
};

// REQUIRES: `send` is a send step with another end.
Message message_between(const WholeCall& call, GlobalStep send, std::uint32_t element_bytes,
                        const NetworkCosts& costs);

}  // namespace quadrille
