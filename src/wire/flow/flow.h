// SPDX-License-Identifier: BSD-3-Clause
// All that an endpoint keeps of one channel to one peer: both directions, and what the two ends
// still owe each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "wire/flow/dormant_flow.h"
#include "wire/flow/flow_statistics.h"
#include "wire/flow/probe_timer.h"
#include "wire/flow/receive_flow.h"
#include "wire/flow/send_flow.h"
#include "wire/flow/sequence.h"
#include "wire/groups/group_hearing.h"
#include "wire/packet.h"
#include "wire/seal/keys.h"

namespace quadrille::wire {

using FlowKey = std::pair<EndpointId, Channel>;
class SendGroup;
struct Flow;

// All that an endpoint keeps of one channel beside its flows.
struct ChannelState {
  ChannelStatistics statistics;
  std::vector<Flow*> flows;
  DormantFlows dormant;
};

struct Flow {
  Flow(FlowKey with, const std::pair<Key, Key>& keys, const FlowLimits& limits,
       const ProbeTimes& times, ChannelState& in_channel)
      : key(with),
        send_key(keys.first),
        receive_key(keys.second),
        out(limits),
        in(limits),
        timer(times),
        channel(in_channel),
        statistics(in_channel.statistics),
        place_in_channel(in_channel.flows.size()) {
    in_channel.flows.push_back(this);
  }
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  ~Flow() {
    Flow* const last = channel.flows.back();
    channel.flows[place_in_channel] = last;
    last->place_in_channel = place_in_channel;
    channel.flows.pop_back();
  }

  // It may go to sleep: both directions could go on from their numbers alone, and nothing is owed.
  bool is_settled() const {
    return out.is_settled() && in.is_settled() && group == nullptr && !ack_owed && !told_by_data &&
           !telling_at && !sending_at && charged == 0;
  }
  DormantFlow to_sleep() const {
    return {.peer = key.first,
            .is_fast = is_fast,
            .released = released,
            .round_trip = timer.round_trip(),
            .out = out.announced(),
            .in = in.acknowledged(),
            .own_number = own_number,
            .heard_number = heard_number};
  }
  void wake(const DormantFlow& from) {
    is_fast = from.is_fast;
    released = from.released;
    timer.resume(from.round_trip);
    out.resume(from.out);
    in.resume(from.in);
    own_number = from.own_number;
    // That of the newest that asked is not kept: what is told now holds for any that was heard.
    answers = heard_number = from.heard_number;
    told = from.in;
  }

  bool awaits_in() const { return in.awaits() || in.outstanding() > 0; }
  bool awaits() const { return !out.idle() || awaits_in(); }
  // When a probe is due; nothing: never.
  std::optional<Nanoseconds> due() const {
    std::optional<Nanoseconds> earliest;
    if (awaits_in()) {
      const auto awaited = in.is_under_way() ? Awaiting::packets : Awaiting::program;
      earliest = timer.due(Side::in, awaited);
    }
    if (out.idle()) return earliest;
    const Nanoseconds about_own = timer.due(Side::out, out.awaiting());
    return earliest ? std::min(*earliest, about_own) : about_own;
  }
  // Something that the budget has granted can come whatever else does not.
  bool has_granted_what_is_there() const { return charged > 0 && in.there() > in.acknowledged(); }
  FlowStanding standing() const {
    return {.unsent = out.announced() > out.sent(),
            .may_send = out.may_send(),
            .under_way = in.is_under_way() || (!out.idle() && out.awaiting() == Awaiting::packets)};
  }
  // Whether a packet may go that is for this receiver alone.
  bool may_send_alone() const {
    return group == nullptr ? out.may_send() : out.repeats().has_value();
  }
  // Something of one direction that was not known here.
  void news(Side side, Nanoseconds now) {
    timer.news(side, now);
    statistics.moved(now);
  }

  FlowKey key;
  Key send_key;
  Key receive_key;
  SendFlow out;
  ReceiveFlow in;
  ProbeTimer timer;
  ChannelState& channel;
  ChannelStatistics& statistics;

  SendGroup* group = nullptr;                        // what was never sent leaves with it
  std::optional<GroupHearing::Since> missing_since;  // packets of the group that it gets by itself
  std::optional<Key> group_key;    // of what comes for this end and others at once
  std::uint32_t charged = 0;       // of the budget; never more than in.outstanding()
  std::uint64_t own_number = 0;    // of the last ACK sent
  std::uint64_t heard_number = 0;  // of the newest ACK heard
  std::uint64_t answers = 0;       // number of the newest probe heard
  std::uint32_t ahead = 0;         // packets that a group's sender may be, of this end
  Sequence told = 0;               // packets before it were reported as arrived
  Sequence announced_there = 0;    // packets before it were announced by an ACK
  std::size_t untold_bytes = 0;    // of those since then, framing included
  std::uint64_t turn = 0;          // of sending data; see Endpoint::sending_
  bool ack_owed = false;
  // ACKs that are to say that something that went to several was heard; each may be lost.
  std::uint8_t says_it_hears = 0;
  bool told_by_data = false;  // by what leaves next; where nothing does after all, by an ACK
  bool asks = false;          // the ACK owed is a probe

  // Running number and time of the probe, and the packet and its time, that round trips are
  // taken from; nothing where an answer would tell nothing.
  std::optional<std::pair<std::uint64_t, Nanoseconds>> probe;
  std::optional<std::pair<Sequence, Nanoseconds>> timed;

  bool by_stream = false;  // what is under way, and was granted
  // The first packet of a long message that the rate is taken from, and when it could leave; and
  // whether such a message has gone faster than a gigabit link carries.
  std::optional<std::pair<Sequence, Nanoseconds>> rate_since;
  bool is_fast = false;
  // What the endpoint has counted of it, and where its ordered lists hold it.
  std::size_t place_in_channel;
  bool failed = false;    // the other end has abandoned the channel
  bool dozes = false;     // see Endpoint::dozing_
  bool released = false;  // its communicator was freed here, and no other one here has used it yet
  bool expecting = false;
  bool comes = false;    // something that the budget has granted
  bool demands = false;  // counts among those that share the budget
  FlowStanding stands;
  std::optional<std::uint64_t> sending_at;
  std::optional<Handle> wanting_at;
  std::optional<Nanoseconds> timer_at;
  std::optional<Nanoseconds> telling_at;
};

}  // namespace quadrille::wire
