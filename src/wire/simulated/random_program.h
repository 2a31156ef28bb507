// SPDX-License-Identifier: BSD-3-Clause
// For tests: calls of collectives as the executor would run them, drawn from a seed. Operations
// have an order that is the same everywhere, and a step waits for steps of earlier operations only,
// so that a program comes to its end wherever each message does that both of its ends have begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "base/units.h"
#include "wire/packet.h"

namespace quadrille::wire {

// A message, or one to all others of the call's group.
struct Operation {
  EndpointId from = 0;
  EndpointId to = 0;  // as `from`: the group
  std::size_t length = 0;
  // As the provider's: sent when its receiver, which counts on it, has called for it, outside of
  // the budget.
  enum class Kind : std::uint8_t { plain, call, called } kind = Kind::plain;
  bool to_group() const { return from == to; }
};

// What one endpoint does for an operation, when steps before it in its list are complete.
struct ProgramStep {
  std::size_t operation = 0;
  std::vector<std::size_t> after;
  Nanoseconds delay{};  // from then on
};

struct Call {
  Channel channel = 0;
  std::vector<EndpointId> group;  // one endpoint of each host
  std::uint32_t senders = 1;      // to it
  std::vector<Operation> operations;
  std::vector<std::vector<ProgramStep>> steps;  // by endpoint, in the operations' order
  std::vector<Nanoseconds> late;                // by endpoint, after the call before
  // Its communicator has been made anew, with the number of one that each end has freed, at its
  // own time: each end comes to it when all have.
  bool made_anew = false;
};

struct RandomProgram {
  std::uint32_t hosts = 2;
  std::uint32_t of_host = 1;
  bool calls = false;  // for messages; then there are none to groups, and one thread
  // Calls of a thread follow one another at each endpoint; threads go on side by side.
  std::vector<std::vector<Call>> threads;

  // Of messages of up to a hundred packets of `payload` bytes, most of them a few.
  static RandomProgram draw(std::mt19937_64& chance, std::size_t payload);
};

}  // namespace quadrille::wire
