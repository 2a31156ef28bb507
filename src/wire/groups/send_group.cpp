// SPDX-License-Identifier: BSD-3-Clause
#include "wire/groups/send_group.h"

#include <algorithm>

namespace quadrille::wire {

bool SendGroup::is_even() const {
  return std::ranges::all_of(flows_, [&](const Flow* flow) {
    return flow->out.announced() == flows_.front()->out.announced() &&
           flow->out.sent() == flows_.front()->out.sent();
  });
}

Sequence SendGroup::announced() const {
  const auto announced = [](const Flow* flow) { return flow->out.announced(); };
  return announced(std::ranges::min(flows_, {}, announced));
}

void SendGroup::begin() {
  if (std::ranges::all_of(flows_, [](const Flow* flow) { return flow->out.idle(); }))
    held_since_.reset();
}

void SendGroup::join() {
  joined_ = true;
  for (Flow* flow : flows_) flow->group = this;
}

void SendGroup::part() {
  joined_ = announces_ = holds_ = false;
  for (Flow* flow : flows_) flow->group = nullptr;
}

bool SendGroup::may_send(Nanoseconds now) {
  holds_ = false;
  if (!joined_ ||
      !std::ranges::all_of(flows_, [](const Flow* flow) { return flow->out.has_room(); }))
    return false;
  const auto ready = std::ranges::count_if(flows_, [this](const Flow* flow) {
    return flow->out.may_send_next() || flow->out.may_go_ahead(ahead_);
  });
  if (static_cast<std::size_t>(ready) == flows_.size()) {
    held_since_.reset();
    return true;
  }
  if (ready == 0) return false;
  if (!held_since_) held_since_ = now;
  holds_ = now < end_of_patience();
  return !holds_;
}

std::uint32_t SendGroup::run_length(std::uint32_t most) const {
  for (const Flow* flow : flows_)
    most = flow->out.has_eager_room() ? flow->out.new_run_length(most, ahead_) : 0;
  return most;
}

bool SendGroup::is_held_up() const {
  const auto has = [this](auto what) { return std::ranges::any_of(flows_, what); };
  return joined_ && has([](const Flow* flow) { return flow->out.is_refused_to_the_brim(); }) &&
         has([](const Flow* flow) { return flow->out.may_send_next(); });
}

std::optional<Nanoseconds> SendGroup::deadline() const {
  if (!holds_) return std::nullopt;
  return end_of_patience();
}

std::vector<Flow*> SendGroup::repeating(Sequence sequence) const {
  std::vector<Flow*> found;
  std::ranges::copy_if(flows_, std::back_inserter(found), [&](const Flow* flow) {
    return flow->out.repeats() == sequence && !flow->out.repeats_anew();
  });
  return found;
}

}  // namespace quadrille::wire
