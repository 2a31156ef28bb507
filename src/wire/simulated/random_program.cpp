// SPDX-License-Identifier: BSD-3-Clause
#include "wire/simulated/random_program.h"

#include <algorithm>
#include <set>

namespace quadrille::wire {
namespace {

class Drawing {
 public:
  Drawing(std::mt19937_64& chance, const RandomProgram& program, std::size_t payload, Call& call)
      : chance_(chance),
        hosts_(program.hosts),
        of_host_(program.of_host),
        calls_(program.calls),
        payload_(static_cast<std::uint32_t>(payload)),
        call_(call) {
    const std::uint32_t ends = hosts_ * of_host_;
    call_.steps.resize(ends);
    call_.late.resize(ends);
    if (below(2) == 0) {
      for (Nanoseconds& late : call_.late) late = {below(3) == 0 ? up_to(20'000'000) : 0};
    }
    top_ = below(ends);
    for (std::uint32_t host = 0; host < hosts_; ++host)
      call_.group.push_back(host == top_ / of_host_ ? top_ : host * of_host_);
    most_packets_ = below(4) == 0 ? 20 : 8;
  }

  void draw() {
    switch (calls_ ? 5 : below(6)) {
      case 0:
        reduce_and_broadcast(1 + below(8));
        break;
      case 1:
        gather();
        break;
      case 2:
        all_to_all();
        break;
      case 3:
        broadcasts();
        break;
      default:
        anything(5 + below(40));
    }
    std::set<EndpointId> senders;
    for (const Operation& operation : call_.operations) {
      if (operation.to_group()) senders.insert(operation.from);
    }
    call_.senders = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(senders.size()));
  }

 private:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(chance_() % end); }
  std::int64_t up_to(std::int64_t most) { return static_cast<std::int64_t>(chance_() % most); }
  std::size_t length() {
    switch (below(4)) {
      case 0:
        return below(payload_);
      case 1:
        return below(5 * most_packets_ * payload_);
      default:
        return below(most_packets_ * payload_);
    }
  }

  // Waits for steps of its endpoint that take something in, each with the probability.
  void step(EndpointId end, double after) {
    auto& steps = call_.steps[end];
    ProgramStep next{.operation = call_.operations.size() - 1, .after = {}, .delay = {}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool sends = call_.operations[steps[i].operation].from == end;
      if (std::uniform_real_distribution<>()(chance_) < (sends ? after / 4 : after))
        next.after.push_back(i);
    }
    if (below(8) == 0) next.delay = {up_to(3'000'000)};
    steps.push_back(std::move(next));
  }

  void message(EndpointId from, EndpointId to, std::size_t length, double send_after,
               double receive_after = 0) {
    if (from == to) return;
    call_.operations.push_back({from, to, length});
    step(to, receive_after);
    step(from, send_after);
  }
  // Its receiver calls for it.
  void called(EndpointId from, EndpointId to, std::size_t length) {
    if (from == to) return;
    message(to, from, 0, 0);
    call_.operations.back().kind = Operation::Kind::call;
    const std::size_t call = call_.steps[from].size() - 1;
    call_.operations.push_back({from, to, length, Operation::Kind::called});
    step(to, 0);
    step(from, 0);
    call_.steps[from].back().after = {call};
  }
  void to_group(EndpointId from, std::size_t length, double send_after) {
    if (call_.group.size() < 2) return;
    call_.operations.push_back({from, from, length});
    for (const EndpointId end : call_.group) step(end, end == from ? send_after : 0);
  }

  // As allreduce_multicast: up a tree of hosts whose leaders have their own ranks below them, and
  // at once from its top.
  void reduce_and_broadcast(std::uint32_t pieces) {
    std::vector<EndpointId> leaders = call_.group;
    std::swap(leaders.front(), leaders[top_ / of_host_]);
    const std::uint32_t arity = 1 + below(3);
    const std::size_t bytes = length() / pieces;
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      for (std::size_t i = leaders.size(); i-- > 0;) {
        const EndpointId leader = leaders[i];
        for (std::uint32_t rank = 0; rank < of_host_; ++rank)
          message(leader / of_host_ * of_host_ + rank, leader, bytes, 1);
        if (i > 0) message(leader, leaders[(i - 1) / arity], bytes, 1);
      }
    }
    for (std::uint32_t piece = 0; piece < pieces; ++piece) to_group(leaders.front(), bytes, 1);
  }

  void gather() {
    for (std::uint32_t i = 1; i < hosts_ * of_host_; ++i)
      message((top_ + i) % (hosts_ * of_host_), top_, length(), 0);
  }

  void all_to_all() {
    const std::uint32_t ends = hosts_ * of_host_;
    const std::size_t bytes = below(most_packets_ * payload_);
    for (std::uint32_t step = 1; step < ends; ++step) {
      for (EndpointId from = 0; from < ends; ++from) message(from, (from + step) % ends, bytes, 0);
    }
  }

  // As an allgather by multicast.
  void broadcasts() {
    const std::size_t bytes = length();
    const double after = below(2);
    for (const EndpointId from : call_.group) to_group(from, bytes, after);
  }

  void anything(std::uint32_t operations) {
    const std::uint32_t ends = hosts_ * of_host_;
    const double by_group = calls_ ? 0 : 0.1 * below(6);
    const double send_after = 0.15 * below(5);
    const double receive_after = below(3) == 0 ? 0.15 : 0;
    for (std::uint32_t i = 0; i < operations; ++i) {
      if (std::uniform_real_distribution<>()(chance_) < by_group) {
        to_group(below(2) == 0 ? top_ : call_.group[below(hosts_)], length(), send_after);
      } else if (calls_ && below(3) > 0) {
        called(below(ends), below(ends), length());
      } else {
        message(below(ends), below(ends), length(), send_after, receive_after);
      }
    }
  }

  std::mt19937_64& chance_;
  std::uint32_t hosts_;
  std::uint32_t of_host_;
  bool calls_;
  std::uint32_t payload_;
  Call& call_;
  EndpointId top_ = 0;
  std::uint32_t most_packets_ = 0;  // of most messages
};

}  // namespace

RandomProgram RandomProgram::draw(std::mt19937_64& chance, std::size_t payload) {
  RandomProgram program;
  program.hosts = 2 + static_cast<std::uint32_t>(chance() % 5);
  program.of_host = 1 + static_cast<std::uint32_t>(chance() % 3);
  program.calls = chance() % 6 == 0;
  program.threads.resize(program.calls || chance() % 2 == 0 ? 1 : 2 + chance() % 2);
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread) {
    auto& calls = program.threads[thread];
    calls.resize(1 + chance() % 4);
    for (Call& call : calls) {
      call.channel = static_cast<Channel>(2 * thread + chance() % 2);
      Drawing(chance, program, payload, call).draw();
    }
  }
  return program;
}

}  // namespace quadrille::wire
