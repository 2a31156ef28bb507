// SPDX-License-Identifier: BSD-3-Clause
// Endpoints on hosts and switches, in simulated time, for tests and `quadrille simulate`. A
// datagram passes its host's interface, the ports of the switches on its way and that of the
// receiving host; each carries one at a time, and a port's buffer drops what does not fit. By
// default there is one switch with small buffers. The endpoints of a host share its interface and
// port, and its credits; those of one host do not hear each other. Losses, copies, delays and
// damage come from a seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "wire/budget/credit_budget.h"
#include "wire/endpoint.h"
#include "wire/links/burst_times.h"
#include "wire/simulated/simulated_events.h"
#include "wire/simulated/simulated_ports.h"

namespace quadrille::wire {

// What an endpoint's own processor needs, all zero: no time.
struct SimulatedProcessor {
  Nanoseconds send_call{};  // all that leaves before something is received, or nothing is due
  Nanoseconds send_packet{};
  Nanoseconds receive_call{};  // all that has come since the last one
  Nanoseconds receive_packet{};
  std::size_t socket_datagrams = 0;  // that wait at most to be received; 0: any number

  bool takes_time() const { return receive_call.value + receive_packet.value > 0; }
};

// A host that differs from others.
struct SimulatedHost {
  double out_bit_s = 1e9;
  double in_bit_s = 1e9;
  std::size_t buffer_bytes = 32'768;  // of its port
  std::uint32_t at_switch = 0;
  std::uint32_t budget = 16;      // packets
  std::uint32_t most_budget = 0;  // that it may grow to
  EndpointSettings endpoint;      // without `self` and `peers`
};

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

  std::vector<SimulatedHost> hosts;  // empty: all as said above, at switch 0
  std::uint32_t switches = 1;
  std::vector<SimulatedTrunk> trunks;
  SimulatedProcessor processor;
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
  // Its processor is busy with something else for so long.
  void occupy(EndpointId endpoint, Nanoseconds time);

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
  const Endpoint& endpoint(EndpointId id) const { return *ends_[id].endpoint; }
  CreditBudget& budget(EndpointId id) { return *ends_[id].budget; }
  const CreditBudget& budget(EndpointId id) const { return *ends_[id].budget; }
  std::uint64_t overflows() const { return overflows_; }
  // Datagrams that found a socket full.
  std::uint64_t lost_at_sockets() const { return lost_at_sockets_; }
  // Memory of the network itself, without its endpoints.
  std::size_t own_bytes() const;
  // Events that have happened.
  std::uint64_t happened() const { return happened_; }
  const SimulatedTree& tree() const { return tree_; }
  const SimulatedPort& port_of_host(std::size_t host) const { return hosts_[host].port; }
  std::uint64_t incomplete() const { return incomplete_; }
  std::uint64_t mismatches() const { return mismatches_; }
  // Every datagram that was delivered to `endpoint`, while recording.
  void record(EndpointId endpoint) { recorded_ = endpoint; }
  const std::vector<std::vector<std::byte>>& recording() const { return recording_; }
  // Bytes on all links, framing included: 38 a datagram for Ethernet, 28 for IPv4 and UDP.
  std::uint64_t wire_bytes() const { return wire_bytes_; }

 private:
  using Kind = SimulatedEvent::Kind;
  struct Host {
    std::unique_ptr<CreditBoard> board = std::make_unique<CreditBoard>();
    SimulatedPort interface;
    SimulatedPort port;  // of the switch
    std::uint32_t at_switch = 0;
    Nanoseconds interface_free{};
    std::deque<EndpointId> waiting;  // for the interface, in turn
    bool is_waited_for = false;      // an event comes when it is free
  };
  struct Arrived {
    std::uint32_t datagram = 0;
    Nanoseconds at{};
  };
  struct End {
    std::unique_ptr<CreditBudget> budget;
    BurstTimes bursts;
    std::unique_ptr<Endpoint> endpoint;
    std::size_t packet_bytes = 0;  // of a full one on the wire
    std::optional<Nanoseconds> woken_at;
    SimulatedMoment due;               // of the latest of `woken_at` that was not now
    std::optional<Nanoseconds> timer;  // of the event that is to come, which may be too early
    std::array<Nanoseconds, most_paths> path_free{};
    Nanoseconds processor_free{};
    std::deque<Arrived> arrived;  // not received, where processors take time
    bool silent = false;
    bool takes_group_data = true;
    bool waits_for_interface = false;
    bool is_sending = false;  // more may leave by the same system call
  };

  std::size_t host_of(EndpointId id) const { return id / settings_.of_host; }
  SimulatedHost settings_of_host(std::size_t host) const;
  void push(Nanoseconds time, Kind kind, std::uint32_t target);
  void set_timer(EndpointId id);
  void happen(const SimulatedEvent& event);
  // When a datagram has passed the path; it has left its interface now.
  Nanoseconds passed(EndpointId from, std::uint32_t path, std::size_t bytes);
  bool happens(double probability);
  void wake(EndpointId id, Nanoseconds time);
  void on_timer(EndpointId id);
  void pump(EndpointId id);
  void wait_for_interface(EndpointId id);
  void pass_interface_on(std::uint32_t host);
  void send_datagram(EndpointId from, const Endpoint::Outgoing& outgoing,
                     std::span<const std::byte> bytes);
  // To all hosts, by way of a switch where it came by `came_from`, if by any.
  void spread(std::uint32_t datagram, std::uint32_t at_switch,
              std::optional<std::uint32_t> came_from, Nanoseconds arrival);
  // Decides about the datagram's fate on its way to an endpoint, or to all of a host.
  void travel(std::uint32_t datagram, std::uint32_t target, Nanoseconds arrival);
  void set_out(std::uint32_t datagram, std::uint32_t target, Nanoseconds arrival);
  void into_link(SimulatedEvent event);
  void into_port(SimulatedEvent event);
  void out_of_port(const SimulatedEvent& event);
  void deliver(EndpointId to, std::uint32_t datagram);
  void receive_datagram(EndpointId to, std::span<const std::byte> datagram, Nanoseconds arrived);
  // Whether the processor has something to do before the endpoint may send.
  bool receive_arrived(EndpointId id);
  void collect(EndpointId id);

  SimulatedSettings settings_;
  std::vector<Host> hosts_;
  std::vector<End> ends_;
  SimulatedTree tree_;
  SimulatedEvents events_;
  SimulatedDatagrams datagrams_;
  std::vector<std::function<void()>> actions_;
  std::vector<std::uint32_t> unused_actions_;
  std::vector<std::byte> room_;      // that is written into
  std::vector<std::byte> received_;  // and read from
  std::mt19937_64 chance_;
  Nanoseconds now_{};
  std::uint64_t order_ = 0;
  std::uint64_t happened_ = 0;
  std::uint64_t overflows_ = 0;
  std::uint64_t lost_at_sockets_ = 0;
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
