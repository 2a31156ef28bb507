// SPDX-License-Identifier: BSD-3-Clause
// What this rank has found of multicast, as a number that the ranks take the maximum of, and what
// is said when they have all learnt that it stopped, or is back. Sending goes on being right
// meanwhile, to each alone.
#pragma once

#include <cstdint>

#include "planner/agree/call_agreement.h"

namespace quadrille {

class Runtime;

// Negative: all hear what this rank sends by multicast, or it sends none.
std::int64_t multicast_finding(const Runtime& runtime);

// Says on stderr what has changed, once a process each way: of several ranks that found multicast
// to stop the highest one, that it is back `is_first`. REQUIRES: called by all ranks.
void tell_multicast_news(const Runtime& runtime, const AgreedCall::MulticastNews& news,
                         bool is_first);

}  // namespace quadrille
