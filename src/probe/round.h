// SPDX-License-Identifier: BSD-3-Clause
// A round: what all hosts send at once, and what they saw of it. The unit in which a network is
// measured.
//
// The investigation composes rounds and reads results; it never touches a socket or a clock. Who
// performs them is a `Network`: the real one (probe/measure) or a simulated one
// (probe/simulated). Times are nanoseconds; `at_ns` counts from the common start of the round.
//
// Sizes are bytes of Ethernet frames at the IP packet's length plus 14: what an emulated or real
// link counts (without preamble, check sequence and gap). A datagram's payload is frame_bytes - 42.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quadrille::probe {

using HostIndex = std::uint32_t;

inline constexpr std::int64_t kMillisecond = 1'000'000;  // ns

inline constexpr std::uint32_t kFrameOverheadBytes = 42;  // Ethernet 14, IPv4 20, UDP 8
inline constexpr std::uint32_t kFullFrameBytes = 1514;    // MTU 1500
inline constexpr std::uint32_t kLightFrameBytes = 100;

// Datagrams from one host to another.
struct Stream {
  HostIndex from = 0;
  HostIndex to = 0;
  std::int64_t at_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t frame_bytes = kFullFrameBytes;
  std::int64_t gap_ns =
      0;  // between the starts of two datagrams; 0: as fast as the interface takes them
  bool keep_arrivals = false;  // whether the result lists every arrival
};

// Light datagrams from one host to many, in turn, `passes` times: they see the queues on their way
// and add next to nothing to them. Passes are spread evenly over `duration_ns`.
struct Fan {
  HostIndex from = 0;
  std::vector<HostIndex> to;
  std::int64_t at_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t passes = 1;
};

// Round trips: `from` sends `there_bytes`, `to` answers with `back_bytes`, `count` times, one at a
// time; each as many frames as it takes. Both ends spin while it runs. An exchange that is not over
// after `limit_ns` is cut short.
struct Exchange {
  HostIndex from = 0;
  HostIndex to = 0;
  std::int64_t at_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t there_bytes = 64;  // of payload
  std::uint32_t back_bytes = 64;
  std::int64_t limit_ns = 0;
};

// Datagrams to the job's multicast group.
struct MulticastStream {
  HostIndex from = 0;
  std::int64_t at_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t frame_bytes = kLightFrameBytes;
  std::int64_t gap_ns = 0;
};

struct Round {
  std::string purpose;           // in words, for progress and logs: "concurrent disjoint pairs"
  std::uint32_t network = 0;     // which of the candidate networks (Network::networks)
  std::int64_t duration_ns = 0;  // when all is over, stragglers of `settle_ns` included
  std::vector<Stream> streams;
  std::vector<Fan> fans;
  std::vector<Exchange> exchanges;
  std::vector<MulticastStream> multicasts;
};

// One datagram that arrived: `index` as sent, `delay_ns` from just before it was given to the
// sender's kernel to when the receiver's kernel had it, in clocks that are aligned but for an
// unknown constant of the pair.
struct Arrival {
  std::uint32_t index = 0;
  std::int64_t at_ns = 0;  // receiver's kernel, since the round's start
  std::int64_t delay_ns = 0;
};

struct StreamResult {
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  std::int64_t send_time_ns = 0;  // from before the first send call to after the last
  std::int64_t send_call_ns =
      0;  // least CPU time of one send call that did not block: the overhead
  std::int64_t first_arrival_ns = 0;  // since the round's start; 0 where nothing arrived
  std::int64_t last_arrival_ns = 0;
  std::int64_t least_delay_ns = 0;
  std::int64_t median_delay_ns = 0;
  std::int64_t receive_call_ns = 0;  // least time of one receive call that found a datagram waiting
  std::vector<Arrival> arrivals;     // where asked for, in order of arrival
};

// What one target saw of one fan.
struct FanResult {
  std::uint32_t received = 0;  // of `passes`
  std::int64_t least_delay_ns = 0;
  std::int64_t median_delay_ns = 0;
};

struct ExchangeResult {
  std::vector<std::int64_t> round_trips_ns;  // [completed], in order
  std::uint8_t time_to_live = 0;             // of the last answer; 0: none came
};

struct MulticastResult {
  std::vector<std::uint32_t> received;         // [hosts]
  std::vector<std::int64_t> first_arrival_ns;  // [hosts], 0 where nothing came
  std::vector<std::int64_t> last_arrival_ns;   // [hosts]
};

struct RoundResult {
  std::vector<StreamResult> streams;         // [round.streams]
  std::vector<std::vector<FanResult>> fans;  // [round.fans][fan.to]
  std::vector<ExchangeResult> exchanges;     // [round.exchanges]
  std::vector<MulticastResult> multicasts;   // [round.multicasts]
  // Hosts that began so late, or were held up so long, that what they measured does not count.
  std::vector<HostIndex> unpunctual;
  // How long after the round's end what it sent is still in the network's queues, as far as that
  // can be foreseen: the next round begins no sooner.
  std::int64_t left_ns = 0;
};

}  // namespace quadrille::probe
