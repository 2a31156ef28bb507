// SPDX-License-Identifier: BSD-3-Clause
// What one host sends in a round: streams, fans and multicasts, each datagram at its time. A source
// that is behind its times catches up at no more than twice its pace, one datagram at a time, so
// that a sender which was held up does not fill queues by itself.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "probe/measure/agent/datagram_sender.h"
#include "probe/measure/agent/round_part.h"

namespace quadrille::probe {

class TrafficSources {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  TrafficSources(const RoundPart& part, const NetworkEnd& network, DatagramSender& sender);

  // Sends what is due at `now_ns`, of each source one datagram; of streams without a gap as much as
  // the interface's queue takes, a few at a time.
  void send_due(std::int64_t now_ns);
  // When something is due next, apart from what waits for the interface.
  std::int64_t next_due_ns() const;
  // Something is due and the interface's queue is full.
  bool waits_for_interface() const { return waits_for_interface_; }
  // By how much the worst light datagram, or the first of a stream, left too late.
  std::int64_t most_lag_ns() const { return most_lag_ns_; }
  void report(PartResult& result) const;

 private:
  struct Source {
    DatagramKind kind = DatagramKind::stream;
    std::uint32_t id = 0;
    std::vector<HostIndex> targets;  // in turn; none: the multicast group
    std::int64_t at_ns = 0;
    double interval_ns = 0;
    std::uint64_t total = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t next = 0;
    std::int64_t first_sent_ns = 0;
    std::int64_t last_sent_ns = 0;
    std::int64_t after_last_ns = 0;
    std::int64_t send_call_ns = 0;
    bool blocked = false;  // the interface's queue was full at the last try

    std::int64_t scheduled_ns() const;
    std::int64_t due_ns() const;
    bool finished() const { return next >= total; }
  };

  void add_stream(const OutgoingStream& stream);
  void add_fan(const OutgoingFan& fan);
  void add_multicast(const OutgoingMulticast& multicast);
  // False when nothing more of this source can leave now.
  bool send_one(Source& source);

  const NetworkEnd& network_;
  DatagramSender& sender_;
  std::vector<Source> sources_;
  bool waits_for_interface_ = false;
  std::int64_t most_lag_ns_ = 0;
};

}  // namespace quadrille::probe
