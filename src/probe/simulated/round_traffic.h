// SPDX-License-Identifier: BSD-3-Clause
// One round as its hosts perform it: sends streams, fans, exchanges and multicasts when they are
// due and keeps what arrives.
//
// A host's socket holds four frames: a stream's send call blocks while that many of its own wait in
// the interface, so nothing is lost there, and the time stamp is from before the call blocked.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/round.h"
#include "probe/simulated/carrier.h"
#include "probe/simulated/host_behaviour.h"
#include "probe/simulated/reach.h"

namespace quadrille::probe {

inline constexpr std::uint32_t kFramePayloadBytes = kFullFrameBytes - kFrameOverheadBytes;

// How many frames a message of an exchange takes.
constexpr std::uint32_t frames_of(std::uint32_t payload_bytes) {
  return payload_bytes == 0 ? 1 : (payload_bytes + kFramePayloadBytes - 1) / kFramePayloadBytes;
}

// Sending is in round_traffic.cpp, receiving in round_arrivals.cpp.
class RoundTraffic : public Endpoints {
 public:
  struct Place {
    Carrier& carrier;
    std::vector<HostBehaviour>& hosts;
    const Reach& reach;
    double wrong_samples = 0;
    std::uint32_t round_number = 0;
  };

  // REQUIRES: both outlive this; the hosts have begun the round.
  RoundTraffic(const Round& round, const Place& place, std::int64_t start_ns);

  void schedule_all();
  RoundResult result();
  std::uint64_t sent_bytes() const { return sent_bytes_; }

  void due(std::uint32_t source, std::int64_t now_ns) override;
  void left_interface(const Frame& frame, std::int64_t now_ns) override;
  void delivered(const Frame& frame, HostIndex host, std::int64_t now_ns) override;

 private:
  // A stream or a multicast under way.
  struct Sending {
    std::uint32_t next = 0;
    std::uint32_t waiting = 0;  // in the interface's queue
    bool blocked = false;       // the call waits for room
    bool waking = false;        // there is room; the processor is elsewhere
    std::int64_t call_began_ns = 0;
    std::int64_t due_ns = 0;
    std::int64_t first_call_ns = 0;
    std::int64_t last_return_ns = 0;
    std::int64_t least_call_ns = 0;
    std::vector<std::int64_t> delays_ns;  // of what arrived
  };
  struct FanSending {
    std::uint32_t next = 0;
    std::vector<std::int64_t> delays_ns;  // [targets x passes]
    std::vector<std::uint32_t> received;  // [targets]
  };
  struct Trip {
    std::uint32_t number = 0;
    bool under_way = false;
    std::uint32_t frames_there = 0;
    std::uint32_t frames_back = 0;
    std::int64_t began_ns = 0;
    std::int64_t give_up_ns = 0;
    std::int64_t least_ns = 0;
  };
  struct Schedule {
    HostIndex from = 0;
    std::int64_t gap_ns = 0;
    std::uint32_t count = 0;
  };

  HostIndex host_of(std::uint32_t source) const;
  std::int64_t begin_at(HostIndex host, std::int64_t at_ns);
  // False: it went nowhere.
  bool send(Frame frame, std::int64_t now_ns);
  void send_message(Frame frame, std::uint32_t payload_bytes, std::int64_t now_ns);
  void send_paced(Sending& sending, const Schedule& schedule, Frame frame, std::int64_t now_ns);
  void send_light(std::uint32_t fan, std::int64_t now_ns);
  void ask(std::uint32_t exchange, std::int64_t now_ns);
  void answer(std::uint32_t exchange, std::int64_t now_ns);
  void keep_stream(const Frame& frame, std::int64_t delay_ns, std::int64_t at_ns);
  void keep_light(const Frame& frame, HostIndex host, std::int64_t delay_ns);
  void keep_multicast(const Frame& frame, HostIndex host, std::int64_t at_ns);
  void keep_ask(const Frame& frame, std::int64_t now_ns);
  void keep_answer(const Frame& frame, std::int64_t stamp_ns);
  // What a measurement becomes when it goes wrong.
  std::int64_t perhaps_wrong(HostIndex host, std::int64_t value_ns);

  const Round& round_;
  Place place_;
  std::int64_t start_ns_;
  std::int64_t end_ns_;
  std::uint32_t first_fan_;
  std::uint32_t first_ask_;
  std::uint32_t first_answer_;
  std::uint32_t first_multicast_;
  std::vector<Sending> streams_;
  std::vector<Sending> multicasts_;
  std::vector<FanSending> fans_;
  std::vector<Trip> trips_;
  RoundResult result_;
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace quadrille::probe
