// SPDX-License-Identifier: BSD-3-Clause
// Events change a flow; settle() then puts it where it belongs in the endpoint's ordered lists.
#include "wire/endpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wire/flow/relist.h"

namespace quadrille::wire {
namespace {

// An arrival is reported by data within this time, or by an ACK: soon enough that its sender does
// not ask. Until then it may send more (leaves_room).
constexpr Nanoseconds report_after{1'000'000};
// The other end's grant is awaited for so long: what it has for this end, and grants with, may wait
// for this very message. Sooner, an exchange on slow links says more than it has to: of 8 KiB a
// pair among 16 ranks at 25 Mbit/s it takes 0.6 % longer with 2 ms.
constexpr Nanoseconds announce_after{6'000'000};

// Of two in a row that are lost the next packet to a group makes up.
constexpr std::uint8_t acks_that_say_it = 2;

// What is granted to a silent partner is then lent to others: should it come back, as many packets
// more may be on their way.
constexpr std::uint32_t probes_before_credit_returns = 2;

}  // namespace

Endpoint::Endpoint(const EndpointSettings& settings, CreditBudget& budget)
    : settings_(settings), budget_(budget), most_awake_(settings.most_idle_flows) {}

std::pair<Key, Key> Endpoint::keys_with(EndpointId peer) const {
  return {key_between(settings_.secret, settings_.self, peer),
          key_between(settings_.secret, peer, settings_.self)};
}

FlowLimits Endpoint::limits_of(Channel channel) const {
  FlowLimits limits = settings_.limits;
  if (channel != settings_.eager) return limits;
  limits.eager = true;
  limits.most_unscheduled = settings_.most_eager;
  limits.unscheduled = std::size_t{eager_growth} * settings_.most_eager * limits.payload;
  return limits;
}

Flow& Endpoint::flow_with(EndpointId peer, Channel channel) {
  const FlowKey key{peer, channel};
  auto& flow = flows_[key];
  if (flow) return *flow;
  ChannelState& state = channels_[channel];
  flow = std::make_unique<Flow>(key, keys_with(peer), limits_of(channel), settings_.times, state);
  if (const auto dormant = state.dormant.wake(peer)) flow->wake(*dormant);
  return *flow;
}

Flow& Endpoint::use(EndpointId peer, Channel channel) {
  Flow& flow = flow_with(peer, channel);
  flow.released = false;
  return flow;
}

void Endpoint::send(EndpointId peer, Channel channel, std::span<const std::byte> message,
                    Handle handle, Nanoseconds now) {
  Flow& flow = use(peer, channel);
  flow.out.add(message, handle);
  flow.out.keep_unscheduled();
  if (flow.failed) fail(flow, now);
  flow.timer.began(Side::out, now);
  settle(flow, now);
  // What goes at once announces itself.
  const bool tells_of_itself = flow.out.may_send_all();
  const std::uint64_t packets = packets_of(message.size(), settings_.limits.payload);
  if (tells_of_itself || !is_worth_announcing(flow)) return;
  if (is_announced_by_grant(flow, packets)) {
    tell_later(flow, flow.telling_at.value_or(now + announce_after));
  } else {
    owe_ack(flow);
  }
}

// What has left announces itself. While the other end has much to grant of what it knows, little
// more need not be told: of many short messages each would cost an ACK.
bool Endpoint::is_worth_announcing(const Flow& flow) {
  const Sequence known = std::max(flow.announced_there, flow.out.granted());
  const Sequence end = flow.out.announced();
  return flow.out.sent() < end && end > known && end - known > known - flow.out.granted();
}

void Endpoint::receive(EndpointId peer, Channel channel, std::span<std::byte> message,
                       Handle handle, Nanoseconds now) {
  Flow& flow = use(peer, channel);
  flow.in.expect(message, handle);
  accept(flow, now);
}

void Endpoint::receive_certain(EndpointId peer, Channel channel, std::span<std::byte> message,
                               Handle handle, Nanoseconds now) {
  Flow& flow = use(peer, channel);
  flow.in.expect_certain(message, handle);
  accept(flow, now);
}

void Endpoint::receive_up_to(EndpointId peer, Channel channel, std::span<std::byte> message,
                             Handle handle, Nanoseconds now) {
  Flow& flow = use(peer, channel);
  flow.in.expect_up_to(message, handle);
  accept(flow, now);
}

void Endpoint::accept(Flow& flow, Nanoseconds now) {
  if (flow.failed) fail(flow, now);
  flow.timer.began(Side::in, now);
  settle(flow, now);
  grant(now);
}

std::optional<Endpoint::Heard> Endpoint::on_datagram(std::span<std::byte> datagram,
                                                     Nanoseconds now) {
  ParseError error = ParseError::none;
  auto parsed = parse_packet(datagram, error);
  if (!parsed) {
    ++counters_.malformed;
    return std::nullopt;
  }
  const Header& header = parsed->header;
  if (header.sender >= settings_.peers || header.sender == settings_.self) {
    ++counters_.forged;
    return std::nullopt;
  }
  if (abandoned_.contains(header.channel)) return on_abandoned(*parsed, datagram);
  const auto found = flows_.find({header.sender, header.channel});
  Flow* known = found == flows_.end() ? nullptr : found->second.get();
  if (known == nullptr && is_dormant(header.sender, header.channel)) {
    known = &flow_with(header.sender, header.channel);
    doze_if_settled(*known);
  }
  const bool is_ack = header.kind == PacketKind::ack;
  const std::uint64_t reference = known == nullptr ? 0
                                  : is_ack         ? known->heard_number
                                                   : known->in.acknowledged();
  const std::uint64_t number = widen(reference, header.sequence, sequence_bits);
  const bool to_group = header.is_to_group();
  // A group that this end does not know of yet may be one that it is in.
  const bool knows = !to_group || (known != nullptr && known->group_key);
  if (!knows || !open(*parsed, known, number, datagram)) {
    ++(to_group ? counters_.group_others : counters_.forged);
    return std::nullopt;
  }
  Flow& flow = known != nullptr ? *known : flow_with(header.sender, header.channel);
  if (to_group) flow.says_it_hears = acks_that_say_it;
  if (!hearing_.empty()) hearing_[header.sender].sign(now);
  if (is_ack) {
    on_ack(flow, parsed->body, number, now);
  } else if (header.kind == PacketKind::group_announcement) {
    on_announcement(flow, number, now);
  } else {
    on_data(flow, *parsed, number, now);
  }
  settle(flow, now);
  grant(now);
  return Heard{header.sender, is_ack, to_group};
}

void Endpoint::on_data(Flow& flow, const Parsed& parsed, Sequence sequence, Nanoseconds now) {
  const Header& header = parsed.header;
  const bool unscheduled = sequence >= flow.in.granted();
  const auto arrival = flow.in.on_packet({sequence, header.place, header.last, parsed.body});
  if (arrival == ReceiveFlow::Arrival::refused) ++counters_.refused;
  if (arrival == ReceiveFlow::Arrival::duplicate) ++counters_.duplicates;
  // What it says of the other direction holds in any case, and may be said by it alone.
  const Sequence acknowledged =
      widen(flow.out.acknowledged(), header.acknowledged, acknowledged_bits);
  if (!header.is_to_group()) {
    learn(flow,
          {.acknowledged = acknowledged,
           .granted = widen(acknowledged, header.granted, acknowledged_bits),
           .heard = 0,
           .arrived = {},
           .answers = 0,
           .in_stream = flow.by_stream},
          now);
  } else if (arrival == ReceiveFlow::Arrival::fresh) {
    ++counters_.group_received;
  }
  if (arrival != ReceiveFlow::Arrival::fresh) return;
  heard(flow, now);
  flow.news(Side::in, now);
  ++counters_.data_received;
  counters_.bytes_received += parsed.body.size();
  budget_.arrived(1);
  if (header.kind == PacketKind::repeated_data || header.kind == PacketKind::repeated_group_data) {
    ++counters_.losses;
    budget_.lost(now);
  }
  flow.untold_bytes += parsed.body.size() + packet_framing_bytes;
  const bool may_wait = header.is_to_group() ? header.place == 0 && leaves_room_to_group(flow)
                                             : leaves_room(flow, parsed.body.size());
  if (unscheduled && header.last && may_wait && !flow.in.has_gap()) {
    tell_later(flow, flow.telling_at.value_or(now + report_after));
  } else {
    note_arrived(flow, header.last, unscheduled, now);
  }
}

void Endpoint::on_ack(Flow& flow, std::span<const std::byte> body, std::uint64_t number,
                      Nanoseconds now) {
  const auto ack = parse_ack(body);
  if (!ack) {
    ++counters_.malformed;
    return;
  }
  ++counters_.acks_received;
  if (number <= flow.heard_number) return;
  const bool follows = number == flow.heard_number + 1;
  flow.heard_number = number;
  heard(flow, now);
  if (ack->receive_loss) {
    peers_with_receive_loss_.insert(flow.key.first);
  } else {
    peers_with_receive_loss_.erase(flow.key.first);
  }
  if (ack->hears_groups) hears_groups(flow, now);
  flow.out.set_eager_room(ack->eager_room);
  if (settings_.eager)
    flow_with(flow.key.first, *settings_.eager).out.set_eager_room(ack->eager_room);
  if (ack->failed) {
    flow.failed = true;
    return fail(flow, now);
  }
  const Sequence announced = widen(flow.in.heard(), ack->announced, ack_bits);
  if (announced > flow.in.heard()) {
    flow.news(Side::in, now);
    flow.in.on_announcement(announced);
    // Where its turn comes, the grant tells that it was heard.
    if (!flow.in.expects()) owe_ack(flow);
  }
  std::uint64_t answers = widen(flow.own_number, ack->answers, sequence_bits);
  if (answers > flow.own_number) answers = 0;  // one of a turn ago
  if (flow.probe && answers >= flow.probe->first) {
    // Of a later one it is not known when it was heard; where an ACK was lost meanwhile, that was
    // perhaps the answer, and this one only says so again.
    if (follows && answers == flow.probe->first) flow.timer.round_trip(now - flow.probe->second);
    flow.probe.reset();
  }
  learn(flow,
        {.acknowledged = widen(flow.out.acknowledged(), ack->acknowledged, ack_bits),
         .granted = widen(flow.out.granted(), ack->granted, ack_bits),
         .heard = widen(flow.out.announced(), ack->heard, ack_bits),
         .arrived = std::span(ack->arrived).first(ack->words),
         .answers = answers,
         .in_stream = flow.by_stream},
        now);
  if (!ack->asks) return;
  flow.answers = number;
  // Who asks misses something, of which packets sent meanwhile may be a part: that is found out
  // now; a probe of this end's that found no answer may have been lost.
  if (flow.out.sent_unprobed() || flow.out.probes_in_vain()) flow.asks = true;
  owe_ack(flow);
}

void Endpoint::learn(Flow& flow, const SendFlow::News& news, Nanoseconds now) {
  if (flow.out.on_news(news)) {
    heard(flow, now);
    flow.news(Side::out, now);
    const bool is_told_alone = flow.group == nullptr && flow.announced_there > 0;
    if (is_told_alone && is_worth_announcing(flow) && !flow.out.may_send_all()) owe_ack(flow);
  }
  if (flow.rate_since) note_rate(flow, now);
  if (!flow.timed || flow.out.acknowledged() <= flow.timed->first) return;
  flow.timer.round_trip(now - flow.timed->second);
  flow.timed.reset();
}

void Endpoint::heard(Flow& flow, Nanoseconds now) {
  flow.timer.heard();
  const EndpointId peer = flow.key.first;
  auto next = unanswered_.lower_bound({peer, 0});
  while (next != unanswered_.end() && next->first == peer) {
    Flow& other = *flows_.at(*next);
    next = unanswered_.erase(next);
    other.timer.heard();
    settle(other, now);
  }
}

void Endpoint::settle(Flow& flow, Nanoseconds now) {
  while (const auto sent = flow.out.next_completed()) {
    const auto all = group_sends_.find(*sent);
    if (all != group_sends_.end() && --all->second.receivers > 0) continue;
    if (all == group_sends_.end() || !all->second.complete)
      completed_.push_back({.handle = *sent, .sent = true});
    if (all != group_sends_.end()) group_sends_.erase(all);
  }
  while (const auto received = flow.in.next_completed())
    completed_.push_back({received->handle, false, received->matches, received->length});
  const auto outstanding = static_cast<std::uint32_t>(flow.in.outstanding());
  if (flow.charged > outstanding) {
    budget_.give_back(flow.charged - outstanding);
    flow.charged = outstanding;
  }
  if (flow.in.awaits() != flow.expecting) {
    flow.expecting = !flow.expecting;
    flow.expecting ? ++expecting_ : --expecting_;
  }
  if (flow.has_granted_what_is_there() != flow.comes) {
    flow.comes = !flow.comes;
    budget_.comes_from_one(flow.comes);
  }
  const bool demands = flow.key.second != settings_.outside_budget &&
                       (flow.in.wanted() > 0 || flow.in.outstanding() > 0);
  if (demands != flow.demands) {
    flow.demands = demands;
    budget_.demanded_by_one(demands);
  }
  flow.statistics.stands(flow.stands, flow.standing(), now);
  std::optional<std::uint64_t> sending;
  std::optional<Handle> wanting;
  std::optional<Nanoseconds> timer;
  const bool may_send = flow.may_send_alone();
  if (!may_send && std::exchange(flow.told_by_data, false)) owe_ack(flow);
  if (may_send) {
    if (!flow.sending_at) flow.turn = ++turns_;
    sending = flow.turn;
  }
  if (flow.in.wanted() > 0) wanting = flow.in.first_expected();
  if (flow.awaits()) {
    timer = flow.due();
  } else {
    flow.probe.reset();  // whatever comes later tells no round trip
  }
  relist(sending_, flow, flow.sending_at, sending);
  relist(wanting_, flow, flow.wanting_at, wanting);
  relist(timers_, flow, flow.timer_at, timer);
  doze_if_settled(flow);
}

std::size_t Endpoint::largest_datagram() const {
  return std::max(settings_.limits.payload + overhead_bytes, largest_ack);
}

std::optional<Endpoint::Outgoing> Endpoint::next_datagram(std::span<std::byte> room,
                                                          Nanoseconds now, RunLimit limit) {
  put_to_sleep();
  ask_when_due(now);
  if (const auto probe = next_probe(room, now)) return probe;
  for (auto& [channel, group] : groups_) {
    if (group->is_held_up()) dissolve(*group, now);
  }
  if (waits_for_credit_until_ && *waits_for_credit_until_ <= now) grant(now);
  while (!telling_.empty() && telling_.begin()->first <= now) {
    Flow& flow = *telling_.begin()->second.flow;
    has_told(flow);
    owe_ack(flow);
  }
  if (!to_tell_.empty()) return write_failure(room);
  while (!owed_.empty()) {
    Flow& flow = *owed_.front();
    owed_.pop_front();
    if (flow.ack_owed) return write_ack(flow, room, now);
  }
  for (auto& [channel, group] : groups_) {
    if (group->take_announcement()) return write_announcement(*group, room);
    if (!group->may_send(now)) continue;
    if (const auto run = next_run_to_group(*group, room, limit, now)) return run;
    return write_to_group(*group, group->flows(), false, room, now);
  }
  if (sending_.empty()) return std::nullopt;
  Flow& flow = *sending_.begin()->second.flow;
  if (flow.group != nullptr && !flow.out.repeats_anew()) {
    const auto receivers = flow.group->repeating(*flow.out.repeats());
    if (receivers.size() > 1) return write_to_group(*flow.group, receivers, true, room, now);
  }
  choose_path(flow, now);
  if (const auto run = next_run(flow, room, limit, now)) return run;
  return write_data(flow, room, now);
}

void Endpoint::ask_when_due(Nanoseconds now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Flow& flow = *timers_.begin()->second.flow;
    flow.asks = true;
    flow.timer.asked(now);
    unanswered_.insert(flow.key);
    if (flow.timer.unanswered() > probes_before_credit_returns) {
      budget_.give_back(flow.charged);
      flow.charged = 0;
    }
    if (now - flow.timer.silent_since() >= settings_.silence) silent_.insert(flow.key.first);
    owe_ack(flow);
    settle(flow, now);
  }
}

bool Endpoint::is_due(Nanoseconds now) const {
  if (!owed_.empty() || !sending_.empty() || !to_tell_.empty() || !dozing_.empty()) return true;
  if (!groups_.empty()) return true;
  const auto due = deadline();
  return due && *due <= now;
}

std::optional<Nanoseconds> Endpoint::deadline() const {
  std::optional<Nanoseconds> first = waits_for_credit_until_;
  const auto also = [&](Nanoseconds time) { first = first ? std::min(*first, time) : time; };
  if (!timers_.empty()) also(timers_.begin()->first);
  if (!telling_.empty()) also(telling_.begin()->first);
  for (const auto& [channel, group] : groups_) {
    if (const auto due = group->deadline()) also(*due);
  }
  for (const EndpointId peer : missing_) also(*hearing_[peer].probe_at());
  return first;
}

FlowStatistics Endpoint::statistics(Channel channel) const {
  const auto found = channels_.find(channel);
  return found == channels_.end() ? FlowStatistics{} : found->second.statistics.so_far();
}

void Endpoint::set_receive_loss(EndpointId peer, bool receive_loss) {
  if (receive_loss) {
    unheard_.insert(peer);
  } else {
    unheard_.erase(peer);
  }
}

std::optional<EndpointId> Endpoint::next_silent() {
  if (silent_.empty()) return std::nullopt;
  return silent_.extract(silent_.begin()).value();
}

std::optional<Endpoint::Completion> Endpoint::next_completion() {
  if (completed_.empty()) return std::nullopt;
  const Completion completion = completed_.front();
  completed_.pop_front();
  return completion;
}

std::vector<std::pair<EndpointId, std::uint32_t>> Endpoint::awaited() const {
  std::vector<std::pair<EndpointId, std::uint32_t>> peers;
  for (const auto& [key, flow] : flows_) {
    if (!flow->awaits()) continue;
    if (peers.empty() || peers.back().first != key.first) peers.emplace_back(key.first, 0);
    peers.back().second = std::max(peers.back().second, flow->timer.unanswered());
  }
  return peers;
}

}  // namespace quadrille::wire
