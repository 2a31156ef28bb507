// SPDX-License-Identifier: BSD-3-Clause
// For tests: a program on a simulated network. Each endpoint takes its steps as the executor does:
// those that wait for nothing first, as they are listed; of one direction to one partner, and to
// the group, each after the one before it has begun. What ranks of one host send each other comes
// by memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "wire/simulated/random_program.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {

class ProgramRun {
 public:
  static constexpr Channel called_channel = 0x2000;
  static constexpr Channel call_channel = 0x2001;
  static constexpr std::array other_channels{called_channel, call_channel};

  // Both outlive it.
  ProgramRun(SimulatedNetwork& network, const RandomProgram& program);

  bool is_done() const { return turns_done_ == turns_.size(); }
  // Whether everything that has arrived is what was sent.
  bool is_right() const { return wrong_ == 0; }
  // Steps that have been completed.
  std::uint64_t completed() const { return completed_; }
  // Steps and calls that will begin by themselves.
  std::uint64_t pausing() const { return pausing_; }
  // Which steps are under way, for reading.
  std::string standing() const;

 private:
  // One endpoint in one call.
  struct Turn {
    const Call* call = nullptr;
    const std::vector<std::vector<std::byte>>* sent = nullptr;  // by operation
    EndpointId end = 0;
    Turn* next = nullptr;  // call of its thread
    std::vector<std::size_t> waits_for;
    std::vector<std::vector<std::size_t>> releases;  // when it is complete
    std::vector<std::size_t> behind;                 // released when it has begun
    std::vector<std::vector<std::byte>> received;
    std::size_t unfinished = 0;
    std::size_t number = 0;  // of its call
  };
  using StepOfTurn = std::pair<Turn*, std::size_t>;

  void prepare(Turn& turn) const;
  void begin(Turn& turn);
  void free_before(Turn& turn);
  void end(const Turn& turn);
  void after(Nanoseconds pause, std::function<void()> action);
  void start(Turn& turn, std::size_t step);
  void start_message(Turn& turn, std::size_t step);
  void start_in_group(Turn& turn, std::size_t step);
  void start_in_memory(Turn& turn, std::size_t step);
  void release(Turn& turn, std::size_t step);
  void complete(Turn& turn, std::size_t step);

  SimulatedNetwork& network_;
  const RandomProgram& program_;
  std::vector<std::vector<std::vector<std::byte>>> sent_;  // by call, all threads', and operation
  std::vector<std::unique_ptr<Turn>> turns_;
  std::map<std::size_t, std::vector<Turn*>> have_freed_;  // by the number of the call that comes
  std::map<Handle, StepOfTurn> under_way_;
  std::map<const Operation*, StepOfTurn> in_memory_;  // the end that came first
  Handle handle_ = 0;
  std::size_t turns_done_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t pausing_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace quadrille::wire
