// SPDX-License-Identifier: BSD-3-Clause
// Carries frames through a fabric, event by event in the order of time.
//
// An event is either the next frame to leave a queue or a source whose time has come; each queue
// has at most one event, so the heap stays as small as the network. Events of the same instant
// happen in the order in which they were scheduled, hence one seed, one outcome.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/simulated/chance.h"
#include "probe/simulated/fabric.h"
#include "probe/simulated/topologies/ring.h"

namespace quadrille::probe {

inline constexpr HostIndex kEverybody = kNowhere;

enum class FrameKind : std::uint8_t { stream, light, ask, answer, multicast };

struct Frame {
  std::int64_t sent_ns = 0;  // just before it was given to the sender's kernel
  HostIndex from = 0;
  HostIndex to = 0;         // kEverybody: multicast
  std::uint32_t flow = 0;   // which stream, fan, exchange
  std::uint32_t index = 0;  // which of its datagrams
  std::uint32_t round = 0;  // frames of an earlier round are not counted
  QueueIndex came_by = 0;   // the queue by which it entered the bus it is on
  std::uint16_t bytes = 0;
  FrameKind kind = FrameKind::stream;
};

// Who sends and receives.
class Endpoints {
 public:
  virtual ~Endpoints() = default;
  virtual void due(std::uint32_t source, std::int64_t now_ns) = 0;
  virtual void left_interface(const Frame& frame, std::int64_t now_ns) = 0;
  virtual void delivered(const Frame& frame, HostIndex host, std::int64_t now_ns) = 0;
};

class Carrier {
 public:
  // REQUIRES: problem_of(topology) is empty.
  Carrier(const SimulatedTopology& topology, std::uint64_t seed);

  void schedule(std::int64_t at_ns, std::uint32_t source);
  // Into the interface of frame.from. False: its queue was full.
  bool send(const Frame& frame, std::int64_t now_ns);
  // Everything before `end_ns`; then forgets the sources that are not due yet. Frames stay.
  void run_until(std::int64_t end_ns, Endpoints& endpoints);
  // After run_until: lets the frames that are under way go where they go, unseen, but for those
  // that take beyond `limit_ns`. When the last one was there; `now_ns` if there was none.
  std::int64_t run_empty(std::int64_t now_ns, std::int64_t limit_ns);

  const Fabric& fabric() const { return fabric_; }
  std::uint64_t events() const { return order_; }

 private:
  struct Event {
    std::int64_t at_ns = 0;
    std::uint64_t order = 0;
    std::uint32_t what = 0;  // queue, or queues + source

    bool operator>(const Event& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };
  struct OnItsWay {
    std::int64_t arrives_ns = 0;
    Frame frame;
  };

  void push(std::int64_t at_ns, std::uint32_t what);
  Event pop();
  bool enter(QueueIndex queue, const Frame& frame, std::int64_t now_ns);
  bool memory_is_full(const FabricNode& node, std::uint32_t bytes, std::int64_t now_ns);
  void leave(QueueIndex queue, std::int64_t now_ns, Endpoints& endpoints);
  void reach_node(NodeIndex node, QueueIndex came_by, Frame frame, std::int64_t now_ns,
                  Endpoints& endpoints);
  void forward(NodeIndex node, QueueIndex came_by, const Frame& frame, std::int64_t now_ns,
               Endpoints& endpoints);
  void hand_to(HostIndex host, const Frame& frame, std::int64_t now_ns, Endpoints& endpoints);

  Fabric fabric_;
  Chance chance_;
  std::vector<EgressQueue> queues_;
  std::vector<Ring<OnItsWay>> frames_;  // [queues]
  std::vector<Event> heap_;             // the earliest first
  std::uint64_t order_ = 0;
};

}  // namespace quadrille::probe
