// SPDX-License-Identifier: BSD-3-Clause
#include "wire/simulated/simulated_ports.h"

#include <algorithm>

#include "wire/links/link.h"

namespace quadrille::wire {

Nanoseconds SimulatedPort::time_of(std::size_t bytes) const {
  return {
      static_cast<std::int64_t>(static_cast<double>(bytes + framing_bytes) * 8e9 / rate_bit_s_)};
}

bool SimulatedPort::has_room(std::size_t bytes, const SimulatedMoment& now) {
  while (!leaving_.empty() && leaving_.front().at < now) {
    queued_ -= leaving_.front().bytes;
    leaving_.pop_front();
  }
  if (queued_ + bytes + framing_bytes <= buffer_bytes_) return true;
  ++dropped_;
  return false;
}

Nanoseconds SimulatedPort::take(std::size_t bytes, Nanoseconds now, std::uint64_t order) {
  const std::size_t on_wire = bytes + framing_bytes;
  const Nanoseconds takes = time_of(bytes);
  free_ = std::max(free_, now) + takes;
  queued_ += on_wire;
  leaving_.push_back({{free_, order}, on_wire});
  most_queued_ = std::max(most_queued_, queued_);
  carried_bytes_ += on_wire;
  busy_ += takes;
  return free_;
}

SimulatedTree::SimulatedTree(std::uint32_t switches, std::span<const SimulatedTrunk> trunks)
    : switches_(switches), of_switch_(switches) {
  const auto add = [&](std::uint32_t from, std::uint32_t to, const SimulatedTrunk& trunk,
                       double rate_bit_s, std::size_t buffer_bytes) {
    of_switch_[from].push_back(static_cast<std::uint16_t>(links_.size()));
    links_.push_back({.from = from,
                      .to = to,
                      .first_port = static_cast<std::uint32_t>(ports_.size()),
                      .ways = trunk.ways,
                      .latency = trunk.latency});
    for (std::uint32_t way = 0; way < trunk.ways; ++way)
      ports_.emplace_back(rate_bit_s, buffer_bytes);
  };
  for (const SimulatedTrunk& trunk : trunks) {
    add(trunk.first, trunk.second, trunk, trunk.forward_bit_s, trunk.forward_buffer_bytes);
    add(trunk.second, trunk.first, trunk, trunk.backward_bit_s, trunk.backward_buffer_bytes);
  }
  // From each switch outwards: the links by which each other one is reached first.
  first_.push_back(0);
  std::vector<std::vector<std::uint16_t>> ways(switches);
  for (std::uint32_t from = 0; from < switches; ++from) {
    for (auto& way : ways) way.clear();
    std::vector<std::uint32_t> reached{from};
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::uint32_t place = reached[next];
      for (const std::uint16_t index : of_switch_[place]) {
        const std::uint32_t to = links_[index].to;
        if (to == from || !ways[to].empty()) continue;
        ways[to] = ways[place];
        ways[to].push_back(index);
        reached.push_back(to);
      }
    }
    for (const auto& way : ways) {
      passed_.insert(passed_.end(), way.begin(), way.end());
      first_.push_back(passed_.size());
    }
  }
}

}  // namespace quadrille::wire
