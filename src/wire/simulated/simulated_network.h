// SPDX-License-Identifier: BSD-3-Clause
// For tests: hosts on one switch with small buffers, in simulated time. Each host's interface and
// each port of the switch carry one datagram at a time; a port's buffer drops what does not fit.
// The endpoints of a host share both, and its credits; those of one host do not hear each other.
// Losses, copies, delays and damage come from a seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "wire/budget/credit_budget.h"
#include "wire/endpoint.h"
#include "wire/links/burst_times.h"

namespace quadrille::wire {

struct SimulatedSettings {
  std::uint32_t endpoints = 2;
  std::uint32_t of_host = 1;  // endpoints that follow one another; of the last host maybe fewer
  double rate_bit_s = 1e9;
  Nanoseconds latency{20'000};
  std::size_t buffer_bytes = 32'768;
  double loss = 0;
  double duplication = 0;
  double reordering = 0;  // held back by up to `held_back`
  double corruption = 0;
  Nanoseconds held_back{1'000'000};
  std::uint64_t seed = 1;
  EndpointSettings endpoint;      // without `self` and `peers`
  std::uint32_t budget = 16;      // packets
  std::uint32_t most_budget = 0;  // that it may grow to
  bool runs = false;              // packets of a long message leave as one run
  // What one path of a sender carries, before its datagrams come to the switch; 0: as its
  // interface.
  double path_rate_bit_s = 0;
  Nanoseconds path_latency{};  // that each path has more than the one before
};

class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(const SimulatedSettings& settings);

  void send(EndpointId from, EndpointId to, std::span<const std::byte> message, Handle handle,
            Channel channel = 0);
  void receive(EndpointId at, EndpointId from, std::span<std::byte> message, Handle handle,
               Channel channel = 0);
  void receive_certain(EndpointId at, EndpointId from, std::span<std::byte> message, Handle handle,
                       Channel channel = 0);
  // From `group`'s `from` to all others of it.
  void send_to_group(EndpointId from, const Group& group, std::span<const std::byte> message,
                     Handle handle, Channel channel = 0);
  void receive_from_group(EndpointId at, EndpointId from, const Group& group,
                          std::span<std::byte> message, Handle handle, Channel channel = 0);
  // Its communicator of that number is freed.
  void release(EndpointId at, Channel channel);
  // Takes no datagrams that go to several from now on, or does again.
  void take_no_group_data(EndpointId endpoint, bool none = true) {
    ends_[endpoint].takes_group_data = !none;
  }
  // Nothing of it arrives or leaves from now on.
  void silence(EndpointId endpoint, bool silent) { ends_[endpoint].silent = silent; }
  // The endpoint looks at the time.
  void poke(EndpointId endpoint) { wake(endpoint, now_); }
  // A datagram from nowhere.
  void inject(EndpointId to, std::vector<std::byte> datagram);
  void at(Nanoseconds time, std::function<void()> action);

  // Called with each message that is complete, before anything else happens.
  void on_completion(std::function<void(EndpointId, Handle)> action) {
    on_completion_ = std::move(action);
  }
  // Until nothing is to come, or `limit` has passed; returns whether all messages are complete.
  bool run(Nanoseconds limit);
  // The next event; false where there is none before `limit`.
  bool run_once(Nanoseconds limit);
  // So long, whatever is complete.
  void pass(Nanoseconds time);
  std::uint64_t travelled() const { return travelled_; }
  // Of all that travels, each copy counted, numbers `index` to `index` + `count` - 1 do not arrive.
  void lose_datagrams(std::uint64_t index, std::uint64_t count = 1) { lost_ = {index, count}; }

  Nanoseconds now() const { return now_; }
  Endpoint& endpoint(EndpointId id) { return *ends_[id].endpoint; }
  CreditBudget& budget(EndpointId id) { return *ends_[id].budget; }
  std::uint64_t overflows() const { return overflows_; }
  std::uint64_t incomplete() const { return incomplete_; }
  std::uint64_t mismatches() const { return mismatches_; }
  // Every datagram that was delivered to `endpoint`, while recording.
  void record(EndpointId endpoint) { recorded_ = endpoint; }
  const std::vector<std::vector<std::byte>>& recording() const { return recording_; }
  // Bytes on all links, framing included: 38 a datagram for Ethernet, 28 for IPv4 and UDP.
  std::uint64_t wire_bytes() const { return wire_bytes_; }

 private:
  struct Host {
    std::unique_ptr<CreditBoard> board = std::make_unique<CreditBoard>();
    Nanoseconds interface_free{};
    Nanoseconds port_free{};
    std::size_t queued = 0;  // bytes at its port of the switch
  };
  struct End {
    std::unique_ptr<CreditBudget> budget;
    BurstTimes bursts;
    std::unique_ptr<Endpoint> endpoint;
    std::optional<Nanoseconds> woken_at;
    std::array<Nanoseconds, most_paths> path_free{};
    bool silent = false;
    bool takes_group_data = true;
  };
  struct Event {
    Nanoseconds time;
    std::uint64_t order;
    std::function<void()> action;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  std::size_t host_of(EndpointId id) const { return id / settings_.of_host; }
  Nanoseconds time_of(std::size_t bytes) const;
  // When a datagram has passed the path; it has left its interface now.
  Nanoseconds passed(EndpointId from, std::uint32_t path, std::size_t bytes);
  bool happens(double probability);
  void wake(EndpointId id, Nanoseconds time);
  void pump(EndpointId id);
  void send_to_all(std::size_t from_host, Nanoseconds arrival,
                   const std::vector<std::byte>& datagram);
  // To endpoints of one host.
  using Receivers = std::vector<EndpointId>;
  void travel(const Receivers& to, Nanoseconds arrival, std::vector<std::byte> datagram);
  void into_switch(const Receivers& to, std::vector<std::byte> datagram);
  void deliver(EndpointId to, std::vector<std::byte> datagram);
  void collect(EndpointId id);

  SimulatedSettings settings_;
  std::vector<Host> hosts_;
  std::vector<End> ends_;
  std::priority_queue<Event> events_;
  std::mt19937_64 chance_;
  Nanoseconds now_{};
  std::uint64_t order_ = 0;
  std::uint64_t overflows_ = 0;
  std::uint64_t incomplete_ = 0;
  std::uint64_t mismatches_ = 0;
  std::uint64_t wire_bytes_ = 0;
  std::uint64_t travelled_ = 0;
  std::pair<std::uint64_t, std::uint64_t> lost_;  // the first, and how many
  std::function<void(EndpointId, Handle)> on_completion_ = [](EndpointId, Handle) {};
  std::optional<EndpointId> recorded_;
  std::vector<std::vector<std::byte>> recording_;
};

}  // namespace quadrille::wire
