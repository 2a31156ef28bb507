// SPDX-License-Identifier: BSD-3-Clause
// An agent at the coordinator's service: what it may be asked, and the loop that answers.
//
// A message is the request's number and what belongs to it; an answer carries the same number.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "probe/measure/control_channel.h"
#include "probe/measure/hosts/interfaces.h"

namespace quadrille::probe {

enum class Request : std::uint8_t {
  introduce,    // -> HostFacts
  tell_time,    // -> this host's clock
  open,         // JobOpening -> ports of its networks
  learn_peers,  // Peers -> nothing
  perform,      // RoundPart -> PartResult, at its end; a long one waits to be fetched
  fetch,        // -> PartResult
  counters,     // -> growth of KernelCounters since this was last asked, or since the start
  settings,     // -> text in JSON
  finish,       // -> nothing, and the service ends
};

std::string message(Request request, std::string_view content);
// What follows the number; error corrupt where that is another one.
Result<std::string_view> content_of(Request request, std::string_view message);

// What the answer to `perform` begins with: a result, or its length when it waits to be fetched.
// Results come from all hosts at once, so only short ones come unasked.
inline constexpr std::uint64_t kResultFollows = 0;
inline constexpr std::size_t kLongestUnasked = 1200;

struct AgentOptions {
  std::uint32_t ranks = 1;  // of this host
  std::function<HostFacts()> facts = own_facts;
  std::function<std::string()> settings = [] { return std::string("{}"); };  // text in JSON
  // A coordinator silent for so long is taken for dead.
  std::int64_t patience_ns = 60'000'000'000;
};

// Serves until it is told to finish. Errors: peer_lost (the coordinator is silent), corrupt.
Result<bool> serve(ControlChannel& channel, const AgentOptions& options);

}  // namespace quadrille::probe
