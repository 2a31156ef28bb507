// SPDX-License-Identifier: BSD-3-Clause
#include "wire/simulated/program_run.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "wire/channels.h"
#include "wire/simulated/messages.h"

namespace quadrille::wire {
namespace {

constexpr Nanoseconds by_memory{3'000};
constexpr auto none = static_cast<std::size_t>(-1);

Channel channel_of(const Call& call, const Operation& operation) {
  if (operation.to_group()) return group_channel_of(call.channel);
  switch (operation.kind) {
    case Operation::Kind::call:
      return ProgramRun::call_channel;
    case Operation::Kind::called:
      return ProgramRun::called_channel;
    default:
      return call.channel;
  }
}

}  // namespace

ProgramRun::ProgramRun(SimulatedNetwork& network, const RandomProgram& program)
    : network_(network), program_(program) {
  network.on_completion([this](EndpointId, Handle handle) {
    const auto [turn, step] = under_way_.extract(handle).mapped();
    complete(*turn, step);
  });
  std::size_t calls = 0;
  for (const auto& thread : program.threads) calls += thread.size();
  sent_.reserve(calls);  // turns refer to its elements
  const std::uint32_t ends = program.hosts * program.of_host;
  for (const auto& thread : program.threads) {
    std::vector<Turn*> before(ends, nullptr);
    for (const Call& call : thread) {
      auto& sent = sent_.emplace_back();
      for (const Operation& operation : call.operations)
        sent.push_back(message(operation.length, sent.size() + sent_.size()));
      for (EndpointId end = 0; end < ends; ++end) {
        Turn& turn = *turns_.emplace_back(std::make_unique<Turn>());
        turn.call = &call;
        turn.sent = &sent;
        turn.end = end;
        turn.number = sent_.size();
        prepare(turn);
        if (before[end] != nullptr) before[end]->next = &turn;
        if (before[end] == nullptr) after(call.late[end], [this, &turn] { begin(turn); });
        before[end] = &turn;
      }
    }
  }
}

void ProgramRun::prepare(Turn& turn) const {
  const auto& steps = turn.call->steps[turn.end];
  turn.unfinished = steps.size();
  turn.waits_for.resize(steps.size());
  turn.releases.resize(steps.size());
  turn.behind.assign(steps.size(), none);
  turn.received.resize(steps.size());
  std::map<std::tuple<Channel, EndpointId, bool>, std::size_t> last;  // by partner and direction
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Operation& operation = turn.call->operations[steps[i].operation];
    const bool sends = operation.from == turn.end;
    turn.waits_for[i] = steps[i].after.size();
    for (const std::size_t earlier : steps[i].after) turn.releases[earlier].push_back(i);
    if (!sends) turn.received[i].resize(operation.length);
    const bool to_group = operation.to_group();
    const std::tuple lane{channel_of(*turn.call, operation),
                          to_group ? 0 : operation.from + operation.to - turn.end,
                          !to_group && sends};
    const auto [entry, is_first] = last.try_emplace(lane, i);
    if (is_first) continue;
    turn.behind[entry->second] = i;
    entry->second = i;
    ++turn.waits_for[i];
  }
}

void ProgramRun::after(Nanoseconds pause, std::function<void()> action) {
  ++pausing_;
  network_.at(network_.now() + pause, [this, action = std::move(action)] {
    --pausing_;
    action();
  });
}

void ProgramRun::begin(Turn& turn) {
  if (turn.unfinished == 0) return end(turn);
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < turn.waits_for.size(); ++i) {
    if (turn.waits_for[i] == 0) ready.push_back(i);
  }
  for (const std::size_t step : ready) start(turn, step);
}

void ProgramRun::release(Turn& turn, std::size_t step) {
  if (step == none || --turn.waits_for[step] > 0) return;
  const Nanoseconds delay = turn.call->steps[turn.end][step].delay;
  if (delay.value == 0) return start(turn, step);
  after(delay, [this, &turn, step] { start(turn, step); });
}

void ProgramRun::start(Turn& turn, std::size_t step) {
  const Operation& operation = turn.call->operations[turn.call->steps[turn.end][step].operation];
  if (operation.to_group()) {
    start_in_group(turn, step);
  } else if (operation.from / program_.of_host == operation.to / program_.of_host) {
    start_in_memory(turn, step);
  } else {
    start_message(turn, step);
  }
  release(turn, turn.behind[step]);
}

void ProgramRun::start_message(Turn& turn, std::size_t step) {
  const std::size_t index = turn.call->steps[turn.end][step].operation;
  const Operation& operation = turn.call->operations[index];
  const Channel channel = channel_of(*turn.call, operation);
  const Handle handle = ++handle_;
  under_way_[handle] = {&turn, step};
  if (operation.from == turn.end) {
    network_.send(turn.end, operation.to, (*turn.sent)[index], handle, channel);
  } else if (operation.kind == Operation::Kind::called) {
    network_.receive_certain(turn.end, operation.from, turn.received[step], handle, channel);
  } else {
    network_.receive(turn.end, operation.from, turn.received[step], handle, channel);
  }
}

void ProgramRun::start_in_group(Turn& turn, std::size_t step) {
  const std::size_t index = turn.call->steps[turn.end][step].operation;
  const Operation& operation = turn.call->operations[index];
  const Channel channel = channel_of(*turn.call, operation);
  const Group group{turn.call->group, turn.call->senders};
  const Handle handle = ++handle_;
  under_way_[handle] = {&turn, step};
  if (operation.from == turn.end) {
    network_.send_to_group(turn.end, group, (*turn.sent)[index], handle, channel);
  } else {
    network_.receive_from_group(turn.end, operation.from, group, turn.received[step], handle,
                                channel);
  }
}

void ProgramRun::start_in_memory(Turn& turn, std::size_t step) {
  const std::size_t index = turn.call->steps[turn.end][step].operation;
  const auto [first, is_first] =
      in_memory_.try_emplace(&turn.call->operations[index], StepOfTurn{&turn, step});
  if (is_first) return;
  const StepOfTurn own{&turn, step};
  const StepOfTurn other = first->second;
  in_memory_.erase(first);
  after(by_memory, [this, index, own, other] {
    for (const auto& [turn, step] : {own, other}) {
      if (!turn->received[step].empty()) turn->received[step] = (*turn->sent)[index];
      complete(*turn, step);
    }
  });
}

void ProgramRun::complete(Turn& turn, std::size_t step) {
  ++completed_;
  const ProgramStep& done = turn.call->steps[turn.end][step];
  const bool sends = turn.call->operations[done.operation].from == turn.end;
  if (!sends && turn.received[step] != (*turn.sent)[done.operation]) ++wrong_;
  turn.received[step] = {};
  for (const std::size_t later : turn.releases[step]) release(turn, later);
  if (--turn.unfinished == 0) end(turn);
}

void ProgramRun::end(const Turn& turn) {
  ++turns_done_;
  Turn* next = turn.next;
  if (next == nullptr) return;
  after(next->call->late[next->end],
        [this, next] { next->call->made_anew ? free_before(*next) : begin(*next); });
}

// The last to free makes the new communicator; that reaches the others by the library's messages.
void ProgramRun::free_before(Turn& turn) {
  network_.release(turn.end, turn.call->channel);
  auto& freed = have_freed_[turn.number];
  freed.push_back(&turn);
  if (freed.size() < turn.call->steps.size()) return;
  for (Turn* each : freed) after(each->call->late[each->end], [this, each] { begin(*each); });
}

std::string ProgramRun::standing() const {
  std::string text;
  for (const auto& [handle, where] : under_way_) {
    const auto& [turn, step] = where;
    const Operation& operation =
        turn->call->operations[turn->call->steps[turn->end][step].operation];
    text += std::to_string(turn->end) + ": channel " + std::to_string(turn->call->channel) + ", " +
            std::to_string(operation.from) +
            (operation.to_group() ? " to the group" : " to " + std::to_string(operation.to)) +
            (operation.kind == Operation::Kind::called ? ", called, " : ", ") +
            std::to_string(operation.length) + " bytes\n";
  }
  return text;
}

}  // namespace quadrille::wire
