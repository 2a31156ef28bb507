// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/simulation.h"

#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <utility>

#include "mpi/start/wire_limits.h"
#include "wire/links/link.h"
#include "wire/links/socket.h"

namespace quadrille::simulate {
namespace {

// What a job asks of the system for a socket, of which it counts twice as much.
constexpr std::size_t receive_buffer_bytes = std::size_t{8} << 20U;
// Between looks at how much memory there is, in events: with gigabytes one takes a tenth of a
// second.
constexpr std::uint64_t between_looks = 1 << 24;

// 0 with a C library that does not count beyond 4 GiB (glibc before 2.33, on which wheels run).
std::size_t allocated_bytes() {
  static const auto count =
      reinterpret_cast<struct mallinfo2 (*)()>(dlsym(RTLD_DEFAULT, "mallinfo2"));
  if (count == nullptr) return 0;
  const struct mallinfo2 now = count();
  return now.uordblks + now.hblkhd;
}

std::vector<std::uint64_t> scratch_of(const PlannedCall& call) {
  std::vector<std::uint64_t> lengths;
  for (const PreparedSchedule& prepared : call.schedules)
    lengths.push_back(prepared.schedule().scratch_length);
  return lengths;
}

// As a job that runs there would have its endpoints and budgets.
void add_endpoints(const SimulateRequest& request, const PlannedCall& call,
                   const std::vector<std::uint32_t>& model_host,
                   wire::SimulatedSettings& settings) {
  const auto& host_of_rank = call.network.costs().host_of_rank;
  const std::size_t mtu = call.cluster.settings.mtu;
  const WireLimits limits({host_of_rank, static_cast<std::uint32_t>(model_host.size()),
                           &call.network.model, model_host},
                          mtu);
  const std::size_t datagram = mtu - wire::ip_udp_bytes;
  const std::size_t held =
      request.socket_datagrams > 0
          ? request.socket_datagrams
          : receive_buffer_bytes / std::max<std::size_t>(wire::counted_bytes, 2 * datagram);
  settings.processor.socket_datagrams = held;
  settings.endpoints = static_cast<std::uint32_t>(host_of_rank.size());
  settings.of_host = request.ranks_per_host;
  settings.runs = true;
  settings.loss = request.loss_percent / 100;
  settings.seed = request.seed;
  for (std::uint32_t host = 0; host < settings.hosts.size(); ++host) {
    wire::SimulatedHost& own = settings.hosts[host];
    own.endpoint = limits.of_endpoint(host);
    own.endpoint.paths = request.paths;
    own.budget = std::min<std::uint32_t>(request.budget > 0 ? request.budget : limits.packets(host),
                                         static_cast<std::uint32_t>(held));
    own.most_budget =
        request.most_budget > 0 ? request.most_budget : limits.most_packets(host, held);
  }
}

}  // namespace

Result<std::unique_ptr<Simulation>> Simulation::of(const SimulateRequest& request,
                                                   const PlannedCall& call) {
  wire::SimulatedProcessor processor;
  if (request.processors)
    processor = {.send_call = {usual_call_ns},
                 .send_packet = {usual_packet_ns},
                 .receive_call = {usual_call_ns},
                 .receive_packet = {usual_packet_ns}};
  const auto hosts = hosts_of(call.network.model, call.network.hosts);
  if (!hosts.ok()) return hosts.error();
  auto settings = ports_of(call.cluster, hosts.value(), processor);
  if (!settings.ok()) return settings.error();
  add_endpoints(request, call, hosts.value(), settings.value());
  return std::unique_ptr<Simulation>(new Simulation(request, call, settings.value()));
}

Simulation::Simulation(const SimulateRequest& request, const PlannedCall& call,
                       const wire::SimulatedSettings& settings)
    : request_(request),
      call_(call),
      before_(allocated_bytes()),
      network_(settings),
      contents_(call.shape, call.counts, scratch_of(call)),
      is_late_(settings.endpoints) {
  const NetworkCosts& costs = call.network.costs();
  for (std::uint32_t host = 0; host < settings.hosts.size(); ++host) {
    const NetworkCosts::ResourceIndex memory = costs.hosts[host].memory;
    const HostMessages::Costs inside{
        .latency = {costs.host_latency_ns},
        .ps_per_byte = memory == NetworkCosts::none ? 0 : costs.resources[memory].ps_per_byte,
        .moves_data = contents_.is_checked()};
    const auto first = static_cast<Rank>(host * settings.of_host);
    memories_.push_back(std::make_unique<HostMessages>(
        network_, settings.of_host, inside, [this, first](std::uint32_t place, StepIndex step) {
          const Rank rank = first + static_cast<Rank>(place);
          ranks_[static_cast<std::size_t>(rank)]->transport.complete(step);
          make_ready(rank);
        }));
  }
  for (Rank rank = 0; rank < call.shape.ranks; ++rank) {
    auto* const memory = memories_[static_cast<std::uint32_t>(rank) / settings.of_host].get();
    ranks_.push_back(std::make_unique<RankState>(RankState{
        .transport = SimulatedTransport(
            {.network = &network_, .memory = memory, .of_host = settings.of_host, .rank = rank}),
        .memory = {},
        .executor = {}}));
    ranks_.back()->memory =
        contents_.memory_of(rank, [this, rank, &costs](std::uint64_t bytes, bool reduces) {
          const std::uint64_t ps = reduces ? costs.reduce_ps_per_byte : costs.copy_ps_per_byte;
          if (request_.processors)
            network_.occupy(static_cast<wire::EndpointId>(rank),
                            {static_cast<std::int64_t>(bytes * ps / 1000)});
        });
  }
  network_.on_completion([this](wire::EndpointId end, wire::Handle handle) {
    ranks_[end]->transport.complete(handle);
    make_ready(static_cast<Rank>(end));
  });
  std::mt19937_64 chance(request.seed);
  for (std::uint32_t late = 0; late < request.late_ranks && late < is_late_.size();) {
    const std::size_t rank = chance() % is_late_.size();
    if (is_late_[rank]) continue;
    is_late_[rank] = true;
    ++late;
  }
}

void Simulation::make_ready(Rank rank) {
  RankState& state = *ranks_[static_cast<std::size_t>(rank)];
  if (std::exchange(state.is_ready, true)) return;
  ready_.push_back(rank);
}

std::optional<Error> Simulation::enter(Rank rank) {
  RankState& state = *ranks_[static_cast<std::size_t>(rank)];
  const PreparedSchedule& prepared = call_.schedules[static_cast<std::size_t>(rank)];
  state.transport.begin(communicator_, call_.shape.element_bytes, prepared.schedule().group,
                        prepared.group_roots());
  state.in_call = true;
  const auto begun = state.executor.begin(prepared, state.memory, state.transport);
  if (!begun.ok()) return begun.error();
  finish_if_done(rank);
  return std::nullopt;
}

std::optional<Error> Simulation::enter_all() {
  began_ = network_.now();
  unfinished_ = ranks_.size();
  const Nanoseconds late{static_cast<std::int64_t>(request_.late_us * 1e3)};
  for (Rank rank = 0; rank < call_.shape.ranks; ++rank) {
    if (is_late_[static_cast<std::size_t>(rank)]) {
      network_.at(began_ + late, [this, rank] {
        if (auto error = enter(rank)) failed_ = std::move(error);
      });
    } else if (auto error = enter(rank)) {
      return error;
    }
  }
  return std::nullopt;
}

void Simulation::finish_if_done(Rank rank) {
  RankState& state = *ranks_[static_cast<std::size_t>(rank)];
  if (!state.in_call || !state.executor.is_done()) return;
  state.in_call = false;
  --unfinished_;
}

std::optional<Error> Simulation::go_on() {
  for (std::size_t next = 0; next < ready_.size(); ++next) {
    RankState& state = *ranks_[static_cast<std::size_t>(ready_[next])];
    state.is_ready = false;
    const auto gone = state.executor.go_on();
    if (!gone.ok()) return gone.error();
    finish_if_done(ready_[next]);
  }
  ready_.clear();
  return failed_;
}

std::size_t Simulation::engine_bytes() const {
  const std::size_t now = allocated_bytes();
  const std::size_t others = before_ + network_.own_bytes();
  return now > others ? (now - others) / ranks_.size() : 0;
}

// All of it since the start.
SimulatedCallTimes Simulation::standing() const {
  SimulatedCallTimes sum;
  sum.time = network_.now();
  sum.events = network_.happened();
  sum.wire_bytes = network_.wire_bytes();
  sum.drops.sockets = network_.lost_at_sockets();
  for (const wire::SimulatedPort& port : network_.tree().ports()) {
    sum.drops.trunks += port.dropped();
    sum.most_queued_trunk = std::max(sum.most_queued_trunk, port.most_queued());
  }
  for (std::size_t host = 0; host < memories_.size(); ++host) {
    const wire::SimulatedPort& port = network_.port_of_host(host);
    sum.drops.host_ports += port.dropped();
    sum.most_queued_port = std::max(sum.most_queued_port, port.most_queued());
  }
  sum.least_budget = ~std::uint32_t{0};
  for (wire::EndpointId end = 0; end < ranks_.size(); ++end) {
    const wire::EndpointCounters& one = network_.endpoint(end).counters();
    sum.data_sent += one.data_sent;
    sum.data_resent += one.data_resent;
    sum.acks_sent += one.acks_sent;
    sum.least_budget = std::min(sum.least_budget, network_.budget(end).limit());
    sum.most_budget = std::max(sum.most_budget, network_.budget(end).limit());
  }
  return sum;
}

Result<SimulatedCallTimes> Simulation::run(std::uint32_t number) {
  const SimulatedCallTimes before = standing();
  const auto wall = std::chrono::steady_clock::now();
  const auto busy_of = [](std::span<const wire::SimulatedPort> ports) {
    std::vector<Nanoseconds> busy;
    for (const wire::SimulatedPort& port : ports) busy.push_back(port.busy());
    return busy;
  };
  const std::vector<Nanoseconds> trunks_before = busy_of(network_.tree().ports());
  std::vector<Nanoseconds> ports_before;
  for (std::size_t host = 0; host < memories_.size(); ++host)
    ports_before.push_back(network_.port_of_host(host).busy());

  contents_.fill(number);
  communicator_ = (number - 1) % request_.communicators;
  if (const auto error = enter_all()) return *error;
  const Nanoseconds limit =
      began_ + Nanoseconds{static_cast<std::int64_t>(request_.longest_s * 1e9)};
  std::size_t most_bytes = engine_bytes();
  for (std::uint64_t events = 1; unfinished_ > 0; ++events) {
    if (!ready_.empty()) {
      if (const auto error = go_on()) return *error;
      if (unfinished_ == 0) break;
    }
    if (!network_.run_once(limit))
      return Error{ErrorKind::timeout,
                   "the call has not ended after " + std::to_string(request_.longest_s) +
                       " s of virtual time: " + std::to_string(unfinished_) + " ranks are in it"};
    if (events % between_looks == 0) most_bytes = std::max(most_bytes, engine_bytes());
  }
  if (contents_.is_checked() && !contents_.is_right())
    return Error{ErrorKind::corrupt, "what was received is wrong"};

  SimulatedCallTimes times = standing();
  times.time = network_.now() - began_;
  times.events -= before.events;
  times.wire_bytes -= before.wire_bytes;
  times.drops.trunks -= before.drops.trunks;
  times.drops.host_ports -= before.drops.host_ports;
  times.drops.sockets -= before.drops.sockets;
  times.data_sent -= before.data_sent;
  times.data_resent -= before.data_resent;
  times.acks_sent -= before.acks_sent;
  const auto share = [&](Nanoseconds busy) {
    // Where the call before has left something behind it may be more.
    return std::min(1.0, static_cast<double>(busy.value) /
                             static_cast<double>(std::max<std::int64_t>(times.time.value, 1)));
  };
  const std::vector<Nanoseconds> trunks = busy_of(network_.tree().ports());
  for (std::size_t i = 0; i < trunks.size(); ++i)
    times.busiest_trunk = std::max(times.busiest_trunk, share(trunks[i] - trunks_before[i]));
  for (std::size_t host = 0; host < memories_.size(); ++host)
    times.busiest_port = std::max(times.busiest_port,
                                  share(network_.port_of_host(host).busy() - ports_before[host]));
  times.engine_bytes = engine_bytes();
  times.most_engine_bytes = std::max(most_bytes, times.engine_bytes);
  times.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  return times;
}

}  // namespace quadrille::simulate
