// SPDX-License-Identifier: BSD-3-Clause
// What becomes of an endpoint's flows when the communicator that used their channel is freed or
// has failed, or uses few of many.
#include <algorithm>
#include <utility>

#include "wire/channels.h"
#include "wire/endpoint.h"
#include "wire/flow/relist.h"
#include "wire/seal/packet_seal.h"

namespace quadrille::wire {

void Endpoint::unlist(Flow& flow) {
  budget_.give_back(std::exchange(flow.charged, 0));
  if (std::exchange(flow.expecting, false)) --expecting_;
  if (std::exchange(flow.comes, false)) budget_.comes_from_one(false);
  if (std::exchange(flow.demands, false)) budget_.demanded_by_one(false);
  relist<std::uint64_t>(sending_, flow, flow.sending_at, std::nullopt);
  relist<Handle>(wanting_, flow, flow.wanting_at, std::nullopt);
  relist<Nanoseconds>(timers_, flow, flow.timer_at, std::nullopt);
  relist<Nanoseconds>(telling_, flow, flow.telling_at, std::nullopt);
  std::erase(owed_, &flow);
  unanswered_.erase(flow.key);
}

void Endpoint::abandon(Channel channel) {
  abandoned_.insert(channel);
  groups_.erase(channel);
  std::erase_if(group_sends_, [&](const auto& send) { return send.second.channel == channel; });
  ChannelState& state = channels_[channel];
  state.dormant.for_each_in_use([&](EndpointId peer) { tell_of_failure({peer, channel}); });
  while (!state.flows.empty()) {
    Flow& flow = *state.flows.back();
    if (!flow.failed) tell_of_failure(flow.key);
    make_sleep(flow);
  }
  state.statistics = {};
  leave_credit_if_none_is_wanted();
}

bool Endpoint::is_out_of_step(Channel channel) const {
  const auto state = channels_.find(channel);
  return state != channels_.end() && std::ranges::any_of(state->second.flows, [](const Flow* flow) {
           return flow->failed || flow->in.is_out_of_step();
         });
}

void Endpoint::tell_of_failure(const FlowKey& key) {
  if (settings_.tells_of_failure && key.second < first_of_start) to_tell_.insert(key);
}

// Whoever still sends, or asks, is told once more: the first word of it may have been lost. Data
// after more than the 16 bits of an acknowledgement does not pass for authentic; probes do.
std::optional<Endpoint::Heard> Endpoint::on_abandoned(Parsed& parsed,
                                                      std::span<std::byte> datagram) {
  const Header& header = parsed.header;
  DormantFlow& flow = channels_[header.channel].dormant.find_or_add(header.sender);
  const bool is_ack = header.kind == PacketKind::ack;
  const bool to_group = header.is_to_group();
  const std::uint64_t number =
      widen(is_ack ? flow.heard_number : flow.in, header.sequence, sequence_bits);
  if (to_group || !open(parsed, nullptr, number, datagram)) {
    ++(to_group ? counters_.group_others : counters_.forged);
    return std::nullopt;
  }
  ++counters_.refused;
  const auto ack = is_ack ? parse_ack(parsed.body) : std::nullopt;
  if (is_ack) flow.heard_number = std::max(flow.heard_number, number);
  if (!ack || !ack->failed) tell_of_failure({header.sender, header.channel});
  return Heard{header.sender, is_ack, to_group};
}

Endpoint::Outgoing Endpoint::write_failure(std::span<std::byte> room) {
  const auto [peer, channel] = to_tell_.extract(to_tell_.begin()).value();
  DormantFlow& flow = channels_[channel].dormant.find_or_add(peer);
  ++flow.own_number;
  Ack ack;
  ack.failed = true;
  ack.acknowledged = static_cast<std::uint32_t>(lower(flow.in, ack_bits));
  ack.granted = ack.heard = ack.acknowledged;
  ack.announced = static_cast<std::uint32_t>(lower(flow.out, ack_bits));
  ack.answers = static_cast<std::uint32_t>(lower(flow.heard_number, sequence_bits));
  Header header = header_of(PacketKind::ack, channel);
  header.sequence = static_cast<std::uint32_t>(lower(flow.own_number, sequence_bits));
  header.acknowledged = static_cast<std::uint16_t>(lower(flow.in, acknowledged_bits));
  header.granted = header.acknowledged;
  const auto body = room.subspan(header_bytes);
  const std::size_t written = quadrille::wire::write_ack(ack, body);
  const std::size_t length =
      seal(keys_with(peer).first, header, {.number = flow.own_number}, body.first(written), room);
  ++counters_.acks_sent;
  return {peer, length, true};
}

// Of a message to a group that others still get its caller hears once.
void Endpoint::fail(Flow& flow, Nanoseconds now) {
  if (flow.group != nullptr) dissolve(*flow.group, now);  // the others are served alone
  for (const Handle handle : flow.out.fail()) {
    const auto all = group_sends_.find(handle);
    const bool told = all != group_sends_.end() && std::exchange(all->second.complete, true);
    if (!told) completed_.push_back({.handle = handle, .sent = true, .matches = false});
    if (all != group_sends_.end() && --all->second.receivers == 0) group_sends_.erase(all);
  }
  flow.in.fail();
}

void Endpoint::release(Channel channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return;
  ChannelState& state = found->second;
  // Whoever frees has sent all that it had: what is to go again goes to each alone.
  if (const auto group = groups_.find(channel); group != groups_.end()) {
    group->second->part();
    groups_.erase(group);
  }
  for (Flow* flow : state.flows) {
    flow->released = true;
    flow->out.begin_anew();
    flow->in.begin_anew();
    doze_if_settled(*flow);
  }
  state.dormant.release();
  put_to_sleep();
}

void Endpoint::doze_if_settled(Flow& flow) {
  if (!flow.released || flow.dozes || !flow.is_settled()) return;
  flow.dozes = true;
  dozing_.push_back(flow.key);
}

// Of a communicator that goes on: where what a flow that wakes does not know does not matter.
bool Endpoint::may_sleep_meanwhile(const Flow& flow) const {
  return flow.is_settled() && flow.key.second < first_of_start && !flow.failed &&
         !flow.in.is_out_of_step() && !flow.group_key && !groups_.contains(flow.key.second);
}

void Endpoint::make_sleep(Flow& flow) {
  const FlowKey key = flow.key;
  unlist(flow);
  flow.channel.dormant.add(flow.to_sleep());
  flows_.erase(key);
}

// Not where it settles: callers go on with the flow.
void Endpoint::put_to_sleep() {
  if (flows_.size() > most_awake_) {
    for (auto at = flows_.begin(); at != flows_.end();) {
      Flow& flow = *(at++)->second;
      if (may_sleep_meanwhile(flow)) make_sleep(flow);
    }
    // Each flow that is made pays for two that are looked at.
    most_awake_ = std::max(settings_.most_idle_flows, 2 * flows_.size());
  }
  if (dozing_.empty()) return;
  for (const FlowKey& key : std::exchange(dozing_, {})) {
    const auto found = flows_.find(key);
    if (found == flows_.end()) continue;  // abandoned
    Flow& flow = *found->second;
    flow.dozes = false;
    if (flow.released && flow.is_settled()) make_sleep(flow);
  }
}

bool Endpoint::is_dormant(EndpointId peer, Channel channel) const {
  const auto state = channels_.find(channel);
  return state != channels_.end() && state->second.dormant.has(peer);
}

Endpoint::Flows Endpoint::flows() const {
  Flows flows{.live = flows_.size()};
  for (const auto& [channel, state] : channels_) flows.dormant += state.dormant.size();
  return flows;
}

}  // namespace quadrille::wire
