// SPDX-License-Identifier: BSD-3-Clause
// The event loop, and what happens to a frame at each queue and node.
#include "probe/simulated/carrier.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace quadrille::probe {
namespace {

class Nobody final : public Endpoints {
 public:
  void due(std::uint32_t, std::int64_t) override {}
  void left_interface(const Frame&, std::int64_t) override {}
  void delivered(const Frame&, HostIndex, std::int64_t) override {}
};

}  // namespace

Carrier::Carrier(const SimulatedTopology& topology, std::uint64_t seed)
    : fabric_(lay_out(topology)), chance_(seed), frames_(fabric_.queues.size()) {
  queues_.reserve(fabric_.queues.size());
  for (const auto& queue : fabric_.queues) queues_.emplace_back(queue.plan);
}

void Carrier::push(std::int64_t at_ns, std::uint32_t what) {
  heap_.push_back({at_ns, order_++, what});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

Carrier::Event Carrier::pop() {
  const Event earliest = heap_.front();
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
  heap_.pop_back();
  return earliest;
}

void Carrier::schedule(std::int64_t at_ns, std::uint32_t source) {
  push(at_ns, static_cast<std::uint32_t>(queues_.size()) + source);
}

bool Carrier::send(const Frame& frame, std::int64_t now_ns) {
  return enter(fabric_.interface_of[frame.from], frame, now_ns);
}

void Carrier::run_until(std::int64_t end_ns, Endpoints& endpoints) {
  const auto first_source = static_cast<std::uint32_t>(queues_.size());
  while (!heap_.empty() && heap_.front().at_ns < end_ns) {
    const Event event = pop();
    if (event.what < first_source) {
      leave(event.what, event.at_ns, endpoints);
    } else {
      endpoints.due(event.what - first_source, event.at_ns);
    }
  }
  std::erase_if(heap_, [&](const Event& event) { return event.what >= first_source; });
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

std::int64_t Carrier::run_empty(std::int64_t now_ns, std::int64_t limit_ns) {
  Nobody nobody;
  std::int64_t empty_ns = now_ns;
  while (!heap_.empty() && heap_.front().at_ns < limit_ns) {
    const Event event = pop();
    leave(event.what, event.at_ns, nobody);
    empty_ns = std::max(empty_ns, event.at_ns);
  }
  return empty_ns;
}

bool Carrier::enter(QueueIndex queue, const Frame& frame, std::int64_t now_ns) {
  const std::uint32_t pool = fabric_.queues[queue].pool;
  if (pool != kNowhere && memory_is_full(fabric_.nodes[pool], frame.bytes, now_ns)) return false;
  const auto arrives = queues_[queue].accept(now_ns, frame.bytes, chance_);
  if (!arrives) return false;
  if (frames_[queue].empty()) push(*arrives, queue);
  frames_[queue].push({*arrives, frame});
  return true;
}

bool Carrier::memory_is_full(const FabricNode& node, std::uint32_t bytes, std::int64_t now_ns) {
  const auto taken = std::accumulate(node.pool.begin(), node.pool.end(), std::uint64_t{0},
                                     [&](std::uint64_t sum, QueueIndex at) {
                                       return sum + queues_[at].occupied_bytes(now_ns, chance_);
                                     });
  return taken + bytes > node.shared_memory_bytes;
}

void Carrier::leave(QueueIndex queue, std::int64_t now_ns, Endpoints& endpoints) {
  const Frame frame = frames_[queue].front().frame;
  frames_[queue].pop();
  if (!frames_[queue].empty()) push(frames_[queue].front().arrives_ns, queue);
  const FabricQueue& passed = fabric_.queues[queue];
  if (passed.interface_of != kNowhere) endpoints.left_interface(frame, now_ns);
  if (chance_.happens(passed.plan.loss)) return;
  switch (passed.behind) {
    case Behind::host:
      endpoints.delivered(frame, passed.target, now_ns);
      break;
    case Behind::node:
      reach_node(passed.target, queue, frame, now_ns, endpoints);
      break;
    case Behind::bus_node:
      forward(passed.target, frame.came_by, frame, now_ns, endpoints);
      break;
  }
}

void Carrier::reach_node(NodeIndex node, QueueIndex came_by, Frame frame, std::int64_t now_ns,
                         Endpoints& endpoints) {
  const QueueIndex bus = fabric_.nodes[node].bus_queue;
  if (bus == kNowhere) {
    forward(node, came_by, frame, now_ns, endpoints);
    return;
  }
  frame.came_by = came_by;
  enter(bus, frame, now_ns);
}

void Carrier::forward(NodeIndex node, QueueIndex came_by, const Frame& frame, std::int64_t now_ns,
                      Endpoints& endpoints) {
  if (frame.to != kEverybody) {
    const NodeIndex target = fabric_.node_of[frame.to];
    if (target == node) {
      hand_to(frame.to, frame, now_ns, endpoints);
    } else {
      enter(fabric_.towards(node, target), frame, now_ns);
    }
    return;
  }
  const FabricNode& here = fabric_.nodes[node];
  if (!here.multicast) return;
  for (const HostIndex host : here.hosts) {
    if (host != frame.from) hand_to(host, frame, now_ns, endpoints);
  }
  for (const QueueIndex trunk : here.trunks) {
    if (fabric_.queues[trunk].opposite != came_by) enter(trunk, frame, now_ns);
  }
}

void Carrier::hand_to(HostIndex host, const Frame& frame, std::int64_t now_ns,
                      Endpoints& endpoints) {
  const QueueIndex port = fabric_.port_of[host];
  if (port == kNowhere) {
    endpoints.delivered(frame, host, now_ns);
  } else {
    enter(port, frame, now_ns);
  }
}

}  // namespace quadrille::probe
