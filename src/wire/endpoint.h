// SPDX-License-Identifier: BSD-3-Clause
// One rank's end of the wire: messages to and from other endpoints, over a network that loses,
// repeats, delays and reorders packets, and on which others try to speak too. It does no input or
// output and knows no clock: datagrams and the time go in, datagrams and the next deadline come
// out.
//
// Messages of one channel between two endpoints match in order. A receiver grants what may be sent
// to it, out of its host's budget, to the partners whose messages it expects first among those that
// have announced something; so nothing overflows the switch, and a late partner holds up nobody
// else. What is small may go unscheduled.
//
// Thread rule: one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "wire/budget/credit_budget.h"
#include "wire/flow/flow.h"
#include "wire/flow/flow_statistics.h"
#include "wire/flow/probe_timer.h"
#include "wire/flow/receive_flow.h"
#include "wire/flow/relist.h"
#include "wire/flow/send_flow.h"
#include "wire/groups/group_hearing.h"
#include "wire/groups/send_group.h"
#include "wire/packet.h"
#include "wire/seal/keys.h"

namespace quadrille::wire {

struct EndpointSettings {
  EndpointId self = 0;
  Secret secret{};
  FlowLimits limits;
  ProbeTimes times;
  std::uint32_t window = 4;  // the most packets granted to one partner, where there are many
  std::uint32_t peers = 0;   // endpoints are 0 to peers - 1
  std::uint32_t paths = 1;   // that long messages take on fast links, see Link::paths()
  Nanoseconds silence{1'000'000'000};  // after which a peer is silent
  // Its messages are granted outside of the budget: short ones, on which depends that what holds
  // all of the budget can come.
  std::optional<Channel> outside_budget = {};
  // Messages of it begin to leave unscheduled however long they are, `most_eager` packets of them
  // under way: receivers expect them when they have heard of them by another channel.
  std::optional<Channel> eager = {};
  std::uint32_t most_eager = 0;
  bool tells_of_failure = false;  // of communicators' channels; see abandon()
  // Where there are more flows than these, those of communicators' channels of which nothing is
  // under way go to sleep.
  std::size_t most_idle_flows = 1024;
};

// Who gets a message that goes to several: all of these but its sender.
struct Group {
  std::span<const EndpointId> members;  // in the same order everywhere
  // How many of them send at the same time, the same everywhere: they share what may go ahead.
  std::uint32_t senders = 1;
};

// Of packets, since the start; named as in QUADRILLE_LOG=wire.
struct EndpointCounters {
  std::uint64_t data_sent = 0;
  std::uint64_t data_resent = 0;
  std::uint64_t data_again = 0;  // with those that were refused before
  std::uint64_t data_received = 0;
  std::uint64_t bytes_sent = 0;      // of payload, each time it was sent
  std::uint64_t bytes_received = 0;  // of payload, once
  std::uint64_t runs_sent = 0;       // that some of `data_sent` went in
  std::uint64_t stream_sent = 0;     // of `data_sent` those over TCP connections
  std::uint64_t acks_sent = 0;
  std::uint64_t acks_received = 0;
  std::uint64_t probes = 0;
  std::uint64_t group_sent = 0;      // of `data_sent` those for several receivers at once
  std::uint64_t group_received = 0;  // of `data_received` likewise
  std::uint64_t group_others = 0;    // to a group that this end is not in, or forged
  std::uint64_t duplicates = 0;
  std::uint64_t refused = 0;    // more than was granted
  std::uint64_t forged = 0;     // wrong or no key, altered, replayed under another number
  std::uint64_t malformed = 0;  // truncated, another version, impossible numbers
  std::uint64_t losses = 0;     // packets that arrived when they were sent again
};

class Endpoint {
 public:
  Endpoint(const EndpointSettings& settings, CreditBudget& budget);

  // Handles rise from call to call: they are the order in which partners are granted.
  void send(EndpointId peer, Channel channel, std::span<const std::byte> message, Handle handle,
            Nanoseconds now);
  void receive(EndpointId peer, Channel channel, std::span<std::byte> message, Handle handle,
               Nanoseconds now);

  // A message that will come, so that it is granted before it is announced.
  void receive_certain(EndpointId peer, Channel channel, std::span<std::byte> message,
                       Handle handle, Nanoseconds now);
  // The next message, should one come: of one packet and no longer than `message`; its completion
  // tells its length. Only what has been announced is asked for, and its arrival is not reported at
  // once.
  void receive_up_to(EndpointId peer, Channel channel, std::span<std::byte> message, Handle handle,
                     Nanoseconds now);

  // The same between one end and all others of `group`, in which it is too; each of them calls for
  // each message. A channel that has group messages has no others.
  void send_to_group(const Group& group, Channel channel, std::span<const std::byte> message,
                     Handle handle, Nanoseconds now);
  void receive_from_group(EndpointId sender, const Group& group, Channel channel,
                          std::span<std::byte> message, Handle handle, Nanoseconds now);

  struct Heard {
    EndpointId from = 0;
    bool is_ack = false;
    bool to_group = false;  // it came as one for several
  };
  // A datagram that arrived. What is not a peer's packet is counted and dropped, never answered,
  // and nothing is returned. Afterwards its memory holds nothing of use.
  std::optional<Heard> on_datagram(std::span<std::byte> datagram, Nanoseconds now);

  // Not an endpoint's number: these have 24 bits.
  static constexpr EndpointId to_group = 0xffffffff;
  struct Outgoing {
    EndpointId peer = 0;  // or `to_group`
    std::size_t length = 0;
    bool is_ack = false;
    std::size_t datagram =
        0;                   // of several datagrams one behind the other: bytes of all but the last
    bool by_stream = false;  // over the connection to the peer, if it still is there
    std::uint32_t path = 0;  // see Link::paths()
  };
  // Writes the next datagram that is due into `room`, or several to one peer, `most` at most, where
  // there is room for them; nothing where none is. REQUIRES: room for largest_datagram().
  std::optional<Outgoing> next_datagram(std::span<std::byte> room, Nanoseconds now,
                                        RunLimit limit = {});
  std::size_t largest_datagram() const;
  // Whether next_datagram() may have one.
  bool is_due(Nanoseconds now) const;
  // When next_datagram() will have something without any other event; nothing: never.
  std::optional<Nanoseconds> deadline() const;

  // No message of `channel` reads or writes its caller's memory any more, and none completes; its
  // packets are dropped from now on. The other ends are told, where `tells_of_failure`: all that
  // they expect of this end, and have for it, ends as a mismatch.
  void abandon(Channel channel);

  // Whether a message of `channel` had another number of packets than its receiver here expected,
  // or its other end has abandoned it: what comes next may be taken for another message.
  bool is_out_of_step(Channel channel) const;

  // The communicator whose messages `channel` carried was freed here: nothing of it is awaited any
  // more, and another one of other members may use the channel when all of its members have freed
  // theirs. Of each flow only its numbers stay (DormantFlow), once all that was sent has been
  // reported; what comes for it later wakes it for as long as an answer takes.
  void release(Channel channel);
  struct Flows {
    std::size_t live = 0;
    std::size_t dormant = 0;
  };
  Flows flows() const;

  // Whether none of the peer's datagrams come by the usual way: it is told with each ACK.
  void set_receive_loss(EndpointId peer, bool receive_loss);
  // Whether the peer has room for more that is eager.
  bool has_eager_room(EndpointId peer) const;
  // Whether the peer has said so of this end's.
  bool has_receive_loss(EndpointId peer) const { return peers_with_receive_loss_.contains(peer); }
  // Peers that have left a probe unanswered for as long as `silence`, one at each call, again
  // with each probe.
  std::optional<EndpointId> next_silent();
  // Whether there is a connection to the peer that long messages are to go over.
  void set_stream(EndpointId peer, bool open);
  void lose_stream(EndpointId peer);
  // A peer to whom there should be one, again with each long message.
  std::optional<EndpointId> next_wanting_stream() {
    return std::exchange(wants_stream_, std::nullopt);
  }
  // A peer that does not hear what goes to several at once, though it does what goes to it alone.
  // No group that it is in is sent to as one until it does again.
  std::optional<EndpointId> unreached() const {
    return missing_.empty() ? std::nullopt : std::optional(*missing_.begin());
  }
  // The first peer that missed as much, but answers late too, and how late; once.
  struct Late {
    EndpointId peer = 0;
    Nanoseconds longest{};
  };
  std::optional<Late> take_late() {
    if (!late_ || std::exchange(told_late_, true)) return std::nullopt;
    return late_;
  }

  struct Completion {
    Handle handle = 0;
    bool sent = false;
    bool matches = true;     // else the ends disagree about the message's length
    std::size_t length = 0;  // of a message that was received
  };
  std::optional<Completion> next_completion();

  // Peers that something is awaited from, with how many probes they have left unanswered.
  std::vector<std::pair<EndpointId, std::uint32_t>> awaited() const;
  const EndpointCounters& counters() const { return counters_; }
  // Whether others may soon ask for messages to groups that are complete for their callers. That a
  // single packet was lost they find out later.
  bool keeps_for_groups() const {
    return std::ranges::any_of(group_sends_, [](const auto& send) { return send.second.is_long; });
  }
  // Since the start; nothing of a channel that was abandoned.
  FlowStatistics statistics(Channel channel) const;

 private:
  Flow& flow_with(EndpointId peer, Channel channel);
  FlowLimits limits_of(Channel channel) const;
  // For a message of this end's, whose communicator uses the channel from now on.
  Flow& use(EndpointId peer, Channel channel);
  bool is_dormant(EndpointId peer, Channel channel) const;
  std::optional<Heard> on_abandoned(Parsed& parsed, std::span<std::byte> datagram);
  void tell_of_failure(const FlowKey& key);
  Outgoing write_failure(std::span<std::byte> room);
  // The other end has abandoned the channel.
  void fail(Flow& flow, Nanoseconds now);
  // Takes the flow off all lists and gives back its credit.
  void unlist(Flow& flow);
  void doze_if_settled(Flow& flow);
  bool may_sleep_meanwhile(const Flow& flow) const;
  void make_sleep(Flow& flow);
  void put_to_sleep();
  std::pair<Key, Key> keys_with(EndpointId peer) const;
  // Of two ends that have short messages for each other one announces its own; whether it is the
  // peer, which hears with its grant what this end has to send.
  bool is_announced_by_grant(const Flow& flow, std::uint64_t packets) const;
  // Something more is expected from it.
  void accept(Flow& flow, Nanoseconds now);
  void dissolve(SendGroup& group, Nanoseconds now);
  // Whether the member hears what goes to its group; where it does not, gives up on it.
  void watch_group(Flow& flow, Nanoseconds now);
  void hears_groups(Flow& flow, Nanoseconds now);
  std::optional<Outgoing> next_probe(std::span<std::byte> room, Nanoseconds now);
  SendGroup& group_with(const Group& group, Channel channel, Nanoseconds now);
  std::uint32_t ahead(const Group& group) const {
    return settings_.limits.group_ahead / group.senders;
  }
  // Whether it is authentic. Then its body is decrypted: where it belongs, or else where it was.
  bool open(Parsed& parsed, const Flow* flow, std::uint64_t number,
            std::span<std::byte> datagram) const;
  // To be completed by what is one packet's own.
  Header header_of(PacketKind kind, Channel channel) const;
  // The same of what leaves for one other: it tells how the flow stands.
  Header reporting_header(PacketKind kind, const Flow& flow) const;
  // `run` as packets of that header, one behind the other; returns their bytes.
  std::size_t write_run(const Key& key, Header header, Sequence acknowledged,
                        const SendFlow::Run& run, std::span<std::byte> room) const;
  void on_data(Flow& flow, const Parsed& parsed, Sequence sequence, Nanoseconds now);
  void on_ack(Flow& flow, std::span<const std::byte> body, std::uint64_t number, Nanoseconds now);
  // Something new has arrived for it, of a message's end or not.
  void note_arrived(Flow& flow, bool last, bool unscheduled, Nanoseconds now);
  void learn(Flow& flow, const SendFlow::News& news, Nanoseconds now);
  // A sign of the other end: whoever gives one on one channel is soon asked on the others too.
  void heard(Flow& flow, Nanoseconds now);
  void settle(Flow& flow, Nanoseconds now);
  // Packets to grant to one partner at a time: more where messages of one alone are expected.
  std::uint32_t window(const Flow& flow) const;
  std::uint32_t guaranteed_to(const Flow& flow) const;
  void grant(Nanoseconds now);
  // What was wanted may have come without a grant, or be given up.
  void leave_credit_if_none_is_wanted() {
    if (wanting_.empty() && std::exchange(is_credit_blocked_, false)) budget_.wants_no_more();
  }
  // Has the next data or ACK of the flow say how things stand.
  void tell(Flow& flow);
  // Likewise, but gives data until then to come up.
  void tell_later(Flow& flow, Nanoseconds time);
  bool leaves_room(const Flow& flow, std::size_t payload) const;
  static bool leaves_room_to_group(const Flow& flow);
  bool leaves_eager_room() const { return budget_.grown(1) >= eager_growth; }
  void has_told(Flow& flow);
  static bool is_worth_announcing(const Flow& flow);
  void owe_ack(Flow& flow);
  void ask_when_due(Nanoseconds now);
  Outgoing write_data(Flow& flow, std::span<std::byte> room, Nanoseconds now);
  Outgoing write_to_group(const SendGroup& group, std::span<Flow* const> receivers, bool again,
                          std::span<std::byte> room, Nanoseconds now);
  void complete_if_kept(Handle handle);
  struct Sent {
    std::uint64_t packets = 0;
    std::size_t bytes = 0;
    bool repeated = false;
    bool again = false;
  };
  void count_sent(Flow& flow, const Sent& sent);
  void note_sent(Flow& flow, Sequence sequence, bool repeated, Nanoseconds now);
  // Several packets of it at once, where there are enough and `room` holds them.
  std::optional<Outgoing> next_run(Flow& flow, std::span<std::byte> room, RunLimit limit,
                                   Nanoseconds now);
  std::optional<Outgoing> next_run_to_group(const SendGroup& group, std::span<std::byte> room,
                                            RunLimit limit, Nanoseconds now);
  // Before its next packet leaves.
  void choose_path(Flow& flow, Nanoseconds now);
  void note_rate(Flow& flow, Nanoseconds now);
  // Fewer packets leave one by one.
  std::uint32_t shortest_run() const;
  // Packets that one run may have in `room`, as `most` datagrams; 0: too few.
  std::uint32_t run_held(std::span<std::byte> room, RunLimit limit) const;
  Outgoing write_announcement(const SendGroup& group, std::span<std::byte> room);
  void on_announcement(Flow& flow, std::uint64_t end, Nanoseconds now);
  Outgoing write_ack(Flow& flow, std::span<std::byte> room, Nanoseconds now);
  // How the flow stands, under the next number.
  Ack next_ack(Flow& flow);

  EndpointSettings settings_;
  CreditBudget& budget_;
  EndpointCounters counters_;
  std::map<Channel, ChannelState> channels_;  // outlive the flows
  std::map<FlowKey, std::unique_ptr<Flow>> flows_;
  std::map<Channel, std::unique_ptr<SendGroup>> groups_;
  struct GroupSend {
    Channel channel = 0;
    std::size_t receivers = 0;                   // that have not got all of it
    std::optional<std::vector<std::byte>> kept;  // then the caller's memory is not read any more
    bool complete = false;                       // for the caller
    bool is_long = false;                        // more than a packet
  };
  std::map<Handle, GroupSend> group_sends_;
  std::set<Channel> abandoned_;
  std::set<FlowKey> to_tell_;  // that their channel was abandoned
  std::deque<Flow*> owed_;     // an ACK
  // May send data, in turn: all partners that have granted something get their grants back alike.
  // They begin in the order of their grants; by number, all endpoints would begin with the same.
  FlowList<std::uint64_t> sending_;
  FlowList<Handle> wanting_;  // could be granted more
  FlowList<Nanoseconds> timers_;
  std::set<FlowKey> unanswered_;   // have asked since the last sign of the peer
  FlowList<Nanoseconds> telling_;  // see tell_later()
  std::vector<FlowKey> dozing_;    // released and settled when they were put here
  std::size_t most_awake_;         // flows; where there are more, settled ones go to sleep
  std::uint64_t turns_ = 0;
  std::uint32_t expecting_ = 0;  // flows whose messages are expected
  std::deque<Completion> completed_;
  std::set<EndpointId> unheard_;  // see set_receive_loss()
  std::set<EndpointId> peers_with_receive_loss_;
  std::set<EndpointId> silent_;
  std::set<EndpointId> streams_;  // see set_stream()
  std::optional<EndpointId> wants_stream_;
  std::vector<GroupHearing> hearing_;  // [peers], where groups are sent to
  std::set<EndpointId> missing_;       // by groups, see unreached()
  std::optional<Late> late_;
  bool told_late_ = false;
  bool is_credit_blocked_ = false;  // the budget had less than was wanted, when it was last asked
  std::optional<Nanoseconds>
      waits_for_credit_until_;  // the budget had less than was wanted; look again then
};

}  // namespace quadrille::wire
