// SPDX-License-Identifier: BSD-3-Clause
// First come, first served by pieces was chosen over max-min fair rates: it needs no division in
// which CPUs could differ and no new rates at each event, a message costs a few heap operations,
// and connections that share a port still end together, as measured: bcast_binomial of 64 KiB on 8
// hosts takes six messages' times, not three, for the root's three connections take turns.
#include "planner/cost/cost.h"

#include <algorithm>
#include <vector>

#include "algorithms/rank_arithmetic.h"
#include "algorithms/trees/place_in_tree.h"
#include "planner/cost/cost_message.h"
#include "planner/cost/cost_overflow.h"
#include "planner/cost/event_queue.h"
#include "schedule/check/whole_call.h"

namespace quadrille {
namespace {

using MessageIndex = std::uint32_t;

enum class EventKind : std::uint8_t {
  step_complete,
  message_enters,
  piece_sent,    // the one before `piece`
  piece_passes,  // comes to the resource at place `hop` of its way
  message_arrives,
};

struct CostEvent {
  std::int64_t at_ns = 0;
  std::uint32_t subject = 0;  // step or message
  EventKind kind = EventKind::step_complete;
  std::uint8_t piece = 0;
  std::uint16_t hop = 0;
};

class Playback {
 public:
  Playback(std::span<const Schedule> schedules, std::uint32_t element_bytes,
           const NetworkCosts& costs, std::vector<StepTime>* times)
      : call_(schedules),
        costs_(costs),
        times_(times),
        element_bytes_(element_bytes),
        overflow_(costs),
        processor_free_ns_(costs.host_of_rank.size(), 0),
        next_send_ns_(costs.host_of_rank.size(), 0),
        resource_free_ns_(costs.resources.size(), 0),
        busy_ns_(costs.resources.size(), 0),
        came_(call_.meetings(), 0) {
    count_waits();
    list_messages();
    if (times_ != nullptr) times_->assign(call_.size(), {});
  }

  CostBreakdown run() {
    for (GlobalStep step = 0; step < call_.size(); ++step) {
      if (waits_for_[step] == 0) ready_.push_back(step);
    }
    start_ready(0);
    while (!events_.empty()) {
      const CostEvent event = events_.take();
      last_ns_ = event.at_ns;
      take(event);
      start_ready(event.at_ns);
    }
    return breakdown();
  }

 private:
  void count_waits() {
    waits_for_.assign(call_.size(), 0);
    first_dependent_.assign(call_.size() + 1, 0);
    for_each_dependency([&](GlobalStep earlier, GlobalStep later) {
      ++waits_for_[later];
      ++first_dependent_[earlier + 1];
    });
    for (GlobalStep step = 0; step < call_.size(); ++step) {
      first_dependent_[step + 1] += first_dependent_[step];
      if (call_.message_before(step) != WholeCall::none) ++waits_for_[step];
    }
    dependents_.resize(first_dependent_.back());
    std::vector<std::uint32_t> filled = first_dependent_;
    for_each_dependency(
        [&](GlobalStep earlier, GlobalStep later) { dependents_[filled[earlier]++] = later; });
  }

  template <typename Visit>
  void for_each_dependency(const Visit& visit) const {
    for (GlobalStep step = 0; step < call_.size(); ++step) {
      const Rank rank = call_.rank_of(step);
      for (const StepIndex dependency : call_.schedule(rank).dependencies_of(call_[step]))
        visit(call_.first(rank) + dependency, step);
    }
  }

  void list_messages() {
    message_of_.assign(call_.size(), 0);
    for (GlobalStep step = 0; step < call_.size(); ++step) {
      const Step& what = call_[step];
      if (what.kind != StepKind::send) continue;
      message_of_[step] = static_cast<MessageIndex>(messages_.size());
      message_of_[call_.other_end(step)] = message_of_[step];
      messages_.push_back(message_between(call_, step, element_bytes_, costs_));
    }
  }

  BufferOverflow::Connection connection_of(const Message& message) const {
    return {call_.rank_of(message.send), call_.rank_of(message.receive)};
  }

  void cause(std::int64_t at_ns, EventKind kind, std::uint32_t subject, std::uint8_t piece = 0,
             std::uint32_t hop = 0) {
    events_.push({at_ns, subject, kind, piece, static_cast<std::uint16_t>(hop)});
  }

  void take(const CostEvent& event) {
    switch (event.kind) {
      case EventKind::step_complete:
        if (times_ != nullptr) (*times_)[event.subject].end = {event.at_ns};
        for (std::uint32_t i = first_dependent_[event.subject];
             i < first_dependent_[event.subject + 1]; ++i)
          release(dependents_[i]);
        return;
      case EventKind::message_enters:
        enter(event.subject, event.at_ns);
        return;
      case EventKind::piece_sent:
        cause(event.at_ns + acknowledgement_wait_ns(event), EventKind::piece_passes, event.subject,
              event.piece);
        return;
      case EventKind::piece_passes:
        pass(event);
        return;
      case EventKind::message_arrives:
        arrive(event.subject, event.at_ns);
        return;
    }
  }

  void release(GlobalStep step) {
    if (step != WholeCall::none && --waits_for_[step] == 0) ready_.push_back(step);
  }

  void start_ready(std::int64_t now_ns) {
    for (std::size_t i = 0; i < ready_.size(); ++i) start(ready_[i], now_ns);
    ready_.clear();
  }

  void start(GlobalStep step, std::int64_t now_ns) {
    if (times_ != nullptr) (*times_)[step].start = {now_ns};
    const Step& what = call_[step];
    switch (what.kind) {
      case StepKind::copy:
        work(step, now_ns, duration_ns(what.into.length * element_bytes_, costs_.copy_ps_per_byte));
        return;
      case StepKind::reduce:
        work(step, now_ns,
             duration_ns(what.into.length * element_bytes_, costs_.reduce_ps_per_byte));
        return;
      case StepKind::send:
        release(call_.message_after(step));
        offer(message_of_[step], now_ns);
        return;
      case StepKind::receive: {
        release(call_.message_after(step));
        Message& message = messages_[message_of_[step]];
        message.receive_started_ns = now_ns;
        if (message.arrived_ns != Message::not_yet) finish_receive(message, now_ns);
        enter_when_both_ready(message_of_[step]);
        return;
      }
      case StepKind::group_bcast:
      case StepKind::group_reduce:
        release(call_.message_after(step));
        meet(step, now_ns);
        return;
    }
  }

  // When the last has come, data go to all at once, or along a binomial tree of messages: what the
  // MPI library makes of it is not known. All have done with it when the last has its own.
  void meet(GlobalStep step, std::int64_t now_ns) {
    const auto steps = call_.meeting_of(step);
    if (++came_[call_.meeting_index(step)] < steps.size()) return;
    const bool at_once = call_.schedule(call_.rank_of(step)).over_wire;
    const std::int64_t last_ns = at_once ? send_to_all(step, now_ns) : send_by_tree(step, now_ns);
    for (const GlobalStep one : steps) cause(last_ns, EventKind::step_complete, one);
  }

  std::uint64_t bytes_in_group(GlobalStep step) const {
    const Step& what = call_[step];
    return std::max(what.from.length, what.into.length) * element_bytes_;
  }

  // The switches copy what the root sends: it passes everything on the way to any other of the
  // group once. Returns when the last has it.
  std::int64_t send_to_all(GlobalStep step, std::int64_t now_ns) {
    const Rank root = call_.rank_of(call_.root_of(step));
    std::vector<NetworkCosts::ResourceIndex> passed;
    std::int64_t latency_ns = 0;
    for (const GlobalStep one : call_.meeting_of(step)) {
      const Rank rank = call_.rank_of(one);
      if (rank == root) continue;
      latency_ns =
          std::max(latency_ns, costs_.latency_ns(costs_.host_of(root), costs_.host_of(rank)));
      costs_.for_each_on_way(root, rank, [&](auto resource) { passed.push_back(resource); });
    }
    std::ranges::sort(passed);
    const auto rest = std::ranges::unique(passed);
    passed.erase(rest.begin(), rest.end());
    return occupy(passed, costs_.on_wire(bytes_in_group(step)), now_ns) + latency_ns;
  }

  // `bytes` pass all of them at the same time, at the rate of the slowest. Returns when the last is
  // through.
  std::int64_t occupy(std::span<const NetworkCosts::ResourceIndex> passed, std::uint64_t bytes,
                      std::int64_t begin_ns) {
    std::int64_t takes_ns = 0;
    for (const auto resource : passed) {
      begin_ns = std::max(begin_ns, resource_free_ns_[resource]);
      const std::int64_t own_ns = duration_ns(bytes, costs_.resources[resource].ps_per_byte);
      busy_ns_[resource] += own_ns;
      takes_ns = std::max(takes_ns, own_ns);
    }
    for (const auto resource : passed) resource_free_ns_[resource] = begin_ns + takes_ns;
    return begin_ns + takes_ns;
  }

  std::int64_t send_by_tree(GlobalStep step, std::int64_t now_ns) {
    const auto steps = call_.meeting_of(step);
    const bool reduces = call_[step].kind == StepKind::group_reduce;
    const std::uint64_t bytes = bytes_in_group(step);
    const std::int64_t work_ns = reduces ? duration_ns(bytes, costs_.reduce_ps_per_byte) : 0;
    const auto first =
        static_cast<Rank>(std::ranges::find(steps, call_.root_of(step)) - steps.begin());
    const auto size = static_cast<Rank>(steps.size());
    const auto rank_at = [&](Rank position) {
      return call_.rank_of(steps[static_cast<std::size_t>(ring_rank(position, first, size))]);
    };
    std::vector<std::int64_t> has_ns(steps.size(), now_ns);
    std::int64_t last_ns = now_ns;
    std::vector<NetworkCosts::ResourceIndex> passed;
    for (const TreeEdge& edge : edges_in_group(GroupPattern::binomial, size)) {
      Rank from = rank_at(edge.parent);
      Rank to = rank_at(edge.child);
      if (reduces) std::swap(from, to);
      passed.clear();
      costs_.for_each_on_way(from, to, [&](auto resource) { passed.push_back(resource); });
      const auto& source = costs_.host_of(from);
      const auto& target = costs_.host_of(to);
      const std::int64_t there_ns = occupy(passed, costs_.on_way(source, target, bytes),
                                           has_ns[static_cast<std::size_t>(edge.parent)]) +
                                    work_ns + costs_.latency_ns(source, target);
      has_ns[static_cast<std::size_t>(edge.child)] = there_ns;
      last_ns = std::max(last_ns, there_ns);
    }
    return last_ns;
  }

  // The rank's processor takes `takes_ns` for the step.
  void work(GlobalStep step, std::int64_t now_ns, std::int64_t takes_ns) {
    auto& free_ns = processor_free_ns_[static_cast<std::size_t>(call_.rank_of(step))];
    free_ns = std::max(free_ns, now_ns) + takes_ns;
    cause(free_ns, EventKind::step_complete, step);
  }

  void offer(MessageIndex index, std::int64_t now_ns) {
    Message& message = messages_[index];
    const auto rank = static_cast<std::size_t>(call_.rank_of(message.send));
    std::int64_t sent_ns = now_ns;
    if (message.by_network) {
      const auto& host = costs_.hosts[message.from_host];
      const std::int64_t begin_ns =
          std::max({now_ns, processor_free_ns_[rank], next_send_ns_[rank]});
      sent_ns = begin_ns + host.send_overhead_ns;
      processor_free_ns_[rank] = sent_ns;
      next_send_ns_[rank] = begin_ns + host.gap_ns;
    }
    if (message.asks_first) {
      message.offered_ns = sent_ns + message.latency_ns;
      enter_when_both_ready(index);
    } else {
      cause(sent_ns, EventKind::step_complete, message.send);
      cause(sent_ns, EventKind::message_enters, index);
    }
  }

  void enter_when_both_ready(MessageIndex index) {
    const Message& message = messages_[index];
    if (!message.asks_first || message.offered_ns == Message::not_yet ||
        message.receive_started_ns == Message::not_yet)
      return;
    const std::int64_t answered_ns = std::max(message.offered_ns, message.receive_started_ns);
    cause(answered_ns + message.latency_ns, EventKind::message_enters, index);
  }

  void enter(MessageIndex index, std::int64_t now_ns) {
    const Message& message = messages_[index];
    for (std::uint32_t hop = 0; message.resource(costs_, hop) != NetworkCosts::none; ++hop)
      overflow_.enter(message.resource(costs_, hop), connection_of(message), message.bytes);
    pass({.at_ns = now_ns, .subject = index});
  }

  void pass(const CostEvent& event) {
    const Message& message = messages_[event.subject];
    const bool is_last = event.piece + 1 == message.pieces;
    const std::uint64_t bytes = message.bytes_of(event.piece);
    const auto here = message.resource(costs_, event.hop);
    const std::int64_t takes_ns = duration_ns(bytes, costs_.resources[here].ps_per_byte);
    const std::int64_t begin_ns = std::max(event.at_ns, resource_free_ns_[here]);
    const std::int64_t end_ns = begin_ns + takes_ns;
    resource_free_ns_[here] = end_ns;
    busy_ns_[here] += takes_ns;
    const auto next = message.resource(costs_, event.hop + 1U);
    if (next != NetworkCosts::none) {
      // It is through the next one no sooner than through this one.
      const std::int64_t next_takes_ns = duration_ns(bytes, costs_.resources[next].ps_per_byte);
      cause(std::max(begin_ns, end_ns - next_takes_ns), EventKind::piece_passes, event.subject,
            event.piece, event.hop + 1U);
    } else if (is_last) {
      cause(end_ns + message.latency_ns, EventKind::message_arrives, event.subject);
    }
    if (event.hop > 0) return;
    if (!is_last) {
      cause(end_ns, EventKind::piece_sent, event.subject,
            static_cast<std::uint8_t>(event.piece + 1));
    } else if (message.asks_first) {
      cause(end_ns, EventKind::step_complete, message.send);
    }
  }

  // Acknowledgements wait behind what the receiver itself sends. Then connections of both
  // directions wait for each other's windows by turns, and what exceeds a window gets half of its
  // way's rate (Zhang, Shenker and Clark, SIGCOMM 1991, doi:10.1145/115992.116006; in the lab 0.5
  // to 0.7). Other messages may use the port meanwhile.
  std::int64_t acknowledgement_wait_ns(const CostEvent& event) const {
    const Message& message = messages_[event.subject];
    if (!message.by_network) return 0;
    const auto& out = costs_.resources[costs_.hosts[message.from_host].out];
    const std::int64_t before_ns = duration_ns(message.piece_bytes, out.ps_per_byte);
    const auto back = costs_.hosts[message.to_host].out;
    if (resource_free_ns_[back] <= event.at_ns - before_ns) return 0;
    return duration_ns(message.bytes_of(event.piece), out.ps_per_byte);
  }

  void arrive(MessageIndex index, std::int64_t now_ns) {
    Message& message = messages_[index];
    for (std::uint32_t hop = 0; message.resource(costs_, hop) != NetworkCosts::none; ++hop)
      overflow_.leave(message.resource(costs_, hop), connection_of(message), message.bytes);
    message.arrived_ns = now_ns;
    if (message.receive_started_ns != Message::not_yet) finish_receive(message, now_ns);
  }

  void finish_receive(const Message& message, std::int64_t now_ns) {
    work(message.receive, now_ns,
         message.by_network ? costs_.hosts[message.to_host].receive_overhead_ns : 0);
  }

  CostBreakdown breakdown() const {
    CostBreakdown result;
    result.retransmissions = {overflow_.lost_ns()};
    result.total = Nanoseconds{last_ns_} + result.retransmissions;
    result.set_busy(busy_ns_);
    return result;
  }

  const WholeCall call_;
  const NetworkCosts& costs_;
  std::vector<StepTime>* const times_;  // or null
  const std::uint32_t element_bytes_;
  BufferOverflow overflow_;
  std::vector<std::uint32_t> waits_for_;        // [steps]
  std::vector<std::uint32_t> first_dependent_;  // [steps + 1]
  std::vector<GlobalStep> dependents_;
  std::vector<MessageIndex> message_of_;  // [steps]
  std::vector<Message> messages_;
  std::vector<GlobalStep> ready_;
  EventQueue<CostEvent> events_;
  std::int64_t last_ns_ = 0;
  std::vector<std::int64_t> processor_free_ns_;  // [ranks]
  std::vector<std::int64_t> next_send_ns_;       // [ranks]
  std::vector<std::int64_t> resource_free_ns_;   // [resources]
  std::vector<std::int64_t> busy_ns_;            // [resources]
  std::vector<std::uint32_t> came_;              // [meetings], ranks that have started it
};

}  // namespace

void CostBreakdown::set_busy(std::span<const std::int64_t> busy_ns) {
  std::int64_t longest_ns = 0;
  busy.clear();
  for (std::size_t i = 0; i < busy_ns.size(); ++i) {
    busy.push_back({busy_ns[i]});
    if (busy_ns[i] <= longest_ns) continue;
    longest_ns = busy_ns[i];
    bottleneck = static_cast<NetworkCosts::ResourceIndex>(i);
  }
}

CostBreakdown cost_of(std::span<const Schedule> schedules, std::uint32_t element_bytes,
                      const NetworkCosts& costs, std::vector<StepTime>* times) {
  return Playback(schedules, element_bytes, costs, times).run();
}

}  // namespace quadrille
