// SPDX-License-Identifier: BSD-3-Clause
// An endpoint's grants: to whom, how much at a time, and which announcements they make needless.
#include <algorithm>

#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

// Own arrivals make room in the budget at once; what others of the host give back is looked for.
constexpr Nanoseconds look_at_budget{200'000};

// Packets of a short message; see docs/decisions/33_short_messages_at_once.md.
constexpr std::uint64_t most_of_short = 8;
constexpr std::uint32_t least_of_long = 2;

// Packets; they leave as one run.
constexpr std::uint32_t worth_an_ack = 32;

}  // namespace

bool Endpoint::is_announced_by_grant(const Flow& flow, std::uint64_t packets) const {
  const EndpointId peer = flow.key.first;
  const bool speaks_first = (settings_.self < peer) == ((settings_.self + peer) % 2 == 1);
  return !speaks_first && packets <= most_of_short && flow.in.has_ungranted();
}

std::uint32_t Endpoint::window(const Flow& flow) const {
  const std::uint32_t usual = budget_.grown(settings_.window);
  // Each grant to a group's sender comes with those of all others: few of them. Before it is there
  // it takes nothing that somebody else's messages would want.
  if (flow.group_key && !flow.in.has_begun()) {
    const std::uint32_t spare = budget_.limit() - std::min(budget_.limit(), usual);
    const std::uint64_t whole = expecting_ == 1 ? flow.in.first_packets() : 0;
    return std::max(usual, static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, spare)));
  }
  if (flow.group_key && expecting_ == 1) return std::max(usual, budget_.limit());
  if (expecting_ == 1) {
    // Half, so that who comes next finds something. Where each pair has a wire of its own, others
    // draw on the budget, too: a part for each, as one that is busy leaves its credit unused.
    if (settings_.peers == 2) {
      const std::uint32_t sharers = budget_.has_grown() ? 1 : std::max(budget_.demanding(), 1U);
      return std::max(usual, budget_.share() / sharers);
    }
    return std::max(usual, budget_.limit() / 2);
  }
  if (flow.group_key) return usual;
  // All partners at once, as far as the budget goes: one that is busy with others leaves little of
  // it unused. Of long messages two packets, so that data leaves that grants can ride on.
  const bool is_short = flow.in.first_packets() <= most_of_short;
  if (budget_.has_grown() && !is_short)
    return std::max(budget_.limit() / expecting_, std::min(worth_an_ack, budget_.limit() / 4));
  return std::clamp(budget_.limit() / expecting_, is_short ? 1U : least_of_long, usual);
}

bool Endpoint::has_eager_room(EndpointId peer) const {
  if (!settings_.eager) return false;
  const auto found = flows_.find({peer, *settings_.eager});
  return found != flows_.end() && found->second->out.has_eager_room();
}

// Credit that was granted for what is not there yet may wait, by way of its sender's program, for
// the very message that finds none left. None of it is on its way meanwhile, so as much may be.
std::uint32_t Endpoint::guaranteed_to(const Flow& flow) const {
  const bool is_there = flow.in.there() > flow.in.granted();
  return is_there ? std::min(settings_.window, budget_.idle()) : 0;
}

void Endpoint::grant(Nanoseconds now) {
  waits_for_credit_until_.reset();
  leave_credit_if_none_is_wanted();
  for (auto next = wanting_.begin(); next != wanting_.end();) {
    Flow& flow = *next->second.flow;
    ++next;
    const std::uint32_t window = this->window(flow);
    const auto outstanding = flow.in.outstanding();
    const std::uint64_t wanted = flow.in.wanted();
    if (outstanding >= window) continue;
    const auto most = static_cast<std::uint32_t>(std::min(window - outstanding, wanted));
    // Not packet by packet where each grant costs an ACK, or where they could leave as a run.
    const bool with_data = flow.may_send_alone() && !budget_.has_grown();
    const std::uint32_t worth_telling =
        std::clamp<std::uint32_t>(flow.group_key ? window / 2 : window * 3 / 4, 1, worth_an_ack);
    const auto least =
        static_cast<std::uint32_t>(with_data ? 1 : std::min<std::uint64_t>(worth_telling, wanted));
    if (most < least) continue;
    const bool is_outside = flow.key.second == settings_.outside_budget;
    const std::uint32_t guaranteed = is_outside ? 0 : std::min(most, guaranteed_to(flow));
    if (waits_for_credit_until_ && !is_outside && guaranteed == 0) continue;
    const std::uint32_t taken = is_outside ? most : budget_.take(most, guaranteed);
    if (!is_outside) is_credit_blocked_ = taken < most;
    if (taken < least && guaranteed == 0 && taken < budget_.own()) {
      budget_.give_back(taken);
      waits_for_credit_until_ = now + look_at_budget;
      // Behind what is not there may be something that is.
      if (!settings_.outside_budget && budget_.idle() == 0) return;
      continue;
    }
    flow.in.grant(taken);
    if (!is_outside) flow.charged += taken;
    flow.timer.began(Side::in, now);
    tell(flow);
    settle(flow, now);
  }
}

}  // namespace quadrille::wire
