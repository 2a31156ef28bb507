// SPDX-License-Identifier: BSD-3-Clause
// For tests: broadcasts over a simulated network.
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "wire/simulated/messages.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {

inline SimulatedSettings of(std::uint32_t ends, double rate_bit_s = 25e6) {
  SimulatedSettings settings;
  settings.endpoints = ends;
  settings.rate_bit_s = rate_bit_s;
  settings.endpoint.limits.unscheduled = 200;
  settings.endpoint.limits.group_ahead = 4;
  return settings;
}

// A message between two of them beside, on a channel of its own.
class MessageBeside {
 public:
  MessageBeside(SimulatedNetwork& network, EndpointId from, EndpointId to)
      : network_(network), from_(from), to_(to) {}
  void start() {
    network_.send(from_, to_, sent_, handle, channel);
    network_.receive(to_, from_, received_, handle, channel);
  }
  bool has_come() const { return received_ == sent_; }

 private:
  static constexpr Handle handle = 1000;
  static constexpr Channel channel = 5;
  SimulatedNetwork& network_;
  EndpointId from_;
  EndpointId to_;
  Message sent_ = message(30'000, 7);
  Message received_ = Message(sent_.size());
};

// Broadcasts among all ends of a network, one behind the other.
class Broadcasts {
 public:
  Broadcasts(SimulatedNetwork& network, std::uint32_t ends, std::uint32_t senders = 1)
      : network_(network), senders_(senders) {
    group_.resize(ends);
    std::iota(group_.begin(), group_.end(), 0U);
  }
  // Each end joins in at its own time, counted from now.
  void start(EndpointId root, std::size_t length, std::vector<Nanoseconds> late = {}) {
    auto& one = *all_.emplace_back(std::make_unique<One>());
    one.sent = message(length, static_cast<std::uint32_t>(all_.size()));
    one.received.assign(group_.size(), Message(length));
    late.resize(group_.size());
    for (const EndpointId end : group_) {
      network_.at(network_.now() + late[end], [this, &one, end, root, handle = ++handle_] {
        if (end == root) {
          network_.send_to_group(end, {group_, senders_}, one.sent, handle);
        } else {
          network_.receive_from_group(end, root, {group_, senders_}, one.received[end], handle);
        }
        ++begun_;
      });
    }
    one.root = root;
  }
  bool run(Nanoseconds limit) {
    const std::uint64_t all = all_.size() * group_.size();
    while (begun_ < all) {
      if (!network_.run_once(limit)) return false;
    }
    return network_.run(limit);
  }
  bool right() const {
    for (const auto& one : all_) {
      for (const EndpointId end : group_) {
        if (end != one->root && one->received[end] != one->sent) return false;
      }
    }
    return true;
  }

 private:
  struct One {
    EndpointId root = 0;
    Message sent;
    std::vector<Message> received;
  };
  SimulatedNetwork& network_;
  std::uint32_t senders_;
  std::vector<EndpointId> group_;
  std::vector<std::unique_ptr<One>> all_;
  Handle handle_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace quadrille::wire
