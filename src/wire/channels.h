// SPDX-License-Identifier: BSD-3-Clause
// The channel numbers of a job's wire: who uses which, and that no two share one.
//
//   0      to 0x07ff  messages of the communicator, or the persistent call, of that context number
//   0x2000 to 0x27ff  those of its nonblocking collectives
//   0x4000 to 0x47ff  messages to groups of the first
//   0x6000 to 0x67ff  and of the second
//   0xfffd to 0xffff  messages of the job's start
//
// A conversation of the libfabric provider has an endpoint, and so channels, of its own.
#pragma once

#include <cstdint>

#include "base/context_numbers.h"
#include "wire/packet.h"

namespace quadrille::wire {

constexpr std::uint32_t context_channels = 1U << ContextNumbers::bits;
constexpr Channel nonblocking_channels = 0x2000;
constexpr Channel group_channels = 0x4000;

constexpr Channel start_channel = 0xffff;             // from each host to each other
constexpr Channel start_to_all_channel = 0xfffe;      // to all hosts at once
constexpr Channel start_to_segment_channel = 0xfffd;  // to all of a segment at once
constexpr Channel first_of_start = start_to_segment_channel;

// REQUIRES: context < context_channels.
constexpr Channel channel_of_context(std::uint32_t context) {
  return static_cast<Channel>(context);
}
constexpr Channel nonblocking_channel_of(Channel channel) {
  return static_cast<Channel>(channel | nonblocking_channels);
}
constexpr Channel group_channel_of(Channel channel) {
  return static_cast<Channel>(channel | group_channels);
}

static_assert(context_channels <= nonblocking_channels && context_channels <= group_channels,
              "a context's channel would be another's of another kind");
static_assert((group_channels | nonblocking_channels) + context_channels <= first_of_start,
              "a context's group channel would be one of the start's");
static_assert(((group_channels | nonblocking_channels) & (context_channels - 1)) == 0 &&
                  (group_channels & nonblocking_channels) == 0,
              "two contexts would share a channel");
static_assert(start_channel != start_to_all_channel &&
              start_to_all_channel != start_to_segment_channel &&
              start_channel != start_to_segment_channel);

}  // namespace quadrille::wire
