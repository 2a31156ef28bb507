// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/wire_reach.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/monotonic_clock.h"
#include "executor/waiting.h"
#include "wire/channels.h"
#include "wire/reach_rounds.h"

namespace quadrille {
namespace {

// A host that has not answered by then, after all had begun and while all ran, is not reached by
// datagrams. Four losses of one packet in turn fit into it.
constexpr Nanoseconds time_to_answer{1'000'000'000};
// Those that come to all at once are there much sooner, or are asked for one by one.
constexpr Nanoseconds time_to_hear{250'000'000};
// So many from each host, of which every third may be lost.
constexpr std::size_t group_messages = 3;

// One number of each rank on its way to all, while they drive their ports. Its end waits for the
// last, so it has to be complete, or about to be, before this rank stops driving.
class Agreement {
 public:
  explicit Agreement(MPI_Comm ranks) : ranks_(ranks) {}
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement() {
    if (request_ != MPI_REQUEST_NULL) PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  }

  bool is_under_way() const { return is_under_way_; }
  bool has_failed() const { return code_ != MPI_SUCCESS; }
  // Whether any rank says so of the first, and of the second.
  void begin(bool first, bool second) {
    own_ = {first ? 1 : 0, second ? 1 : 0};
    is_under_way_ = true;
    code_ = PMPI_Iallreduce(own_.data(), all_.data(), 2, MPI_INT, MPI_MAX, ranks_, &request_);
  }
  // When all have come. Where the MPI library fails this rank goes without datagrams: it says that
  // it still awaits some, and was not held up. REQUIRES: is_under_way().
  std::optional<std::array<bool, 2>> test() {
    int complete = 0;
    if (code_ == MPI_SUCCESS) code_ = PMPI_Test(&request_, &complete, MPI_STATUS_IGNORE);
    if (code_ == MPI_SUCCESS && complete == 0) return std::nullopt;
    is_under_way_ = false;
    if (code_ != MPI_SUCCESS) return std::array{true, false};
    return std::array{all_[0] != 0, all_[1] != 0};
  }

 private:
  MPI_Comm ranks_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool is_under_way_ = false;
  int code_ = MPI_SUCCESS;
  std::array<int, 2> own_{};
  std::array<int, 2> all_{};
};

struct Reached {
  bool here = false;  // all that this rank awaited is complete
  bool everywhere = false;
};

// Drives the port until `awaited` messages are complete on each rank, or the ranks have found, in
// rounds of `round`, that on some they never will be: then nothing of `channel` is awaited any
// more. Collective over `ranks`.
Reached all_complete(MPI_Comm ranks, wire::Port& port, wire::Channel channel,
                     wire::Completions& completions, std::size_t awaited, Nanoseconds round) {
  std::vector<wire::Completions::Message> complete;
  wire::ReachRounds rounds(round);
  Agreement agreement(ranks);
  Waiting waiting;
  bool failed = false;
  agreement.begin(false, false);  // all have begun: the MPI library may be late by seconds
  for (;;) {
    // After an error of the port's the others are still told.
    const auto driven = failed ? Result<bool>(false) : port.drive();
    failed |= !driven.ok();
    port.take(completions, complete);
    awaited -= complete.size();
    const Nanoseconds now = monotonic_now();
    rounds.look(now);
    const bool awaits = failed || awaited > 0;
    if (!agreement.is_under_way()) {
      if (!awaits || rounds.is_over(now)) agreement.begin(awaits, rounds.was_held_up());
    } else if (const auto all = agreement.test()) {
      const bool is_first = !rounds.has_begun() && !agreement.has_failed();
      const auto verdict =
          is_first ? wire::ReachRounds::Verdict::wait : rounds.judge((*all)[0], (*all)[1]);
      if (verdict == wire::ReachRounds::Verdict::not_reached) port.abandon(channel, completions);
      if (verdict != wire::ReachRounds::Verdict::wait)
        return {!awaits, verdict == wire::ReachRounds::Verdict::reached};
      rounds.begin(now);
    }
    if (driven.ok() && driven.value()) {
      waiting.progressed();
    } else {
      waiting.idle(true, [&port](Nanoseconds time) { port.wait(time); });
    }
  }
}

}  // namespace

bool reaches_all_hosts(MPI_Comm ranks, wire::Port& port, std::span<const wire::EndpointId> partners,
                       std::size_t payload) {
  const std::vector<std::byte> sent(payload);
  std::vector<std::byte> received(payload);
  wire::Completions completions;
  const wire::Port::Call call(port);
  for (const wire::EndpointId partner : partners) {
    port.receive(partner, wire::start_channel, received, completions, 0);
    port.send(partner, wire::start_channel, sent, completions, 1);
  }
  return all_complete(ranks, port, wire::start_channel, completions, 2 * partners.size(),
                      time_to_answer)
      .everywhere;
}

std::vector<bool> reach_at_once(MPI_Comm ranks, wire::Port& port,
                                std::span<const std::vector<wire::EndpointId>> groups,
                                wire::EndpointId self, wire::Channel channel) {
  const auto own = std::ranges::find_if(
      groups, [&](const auto& group) { return std::ranges::find(group, self) != group.end(); });
  const bool takes_part = own != groups.end();
  const std::span<const wire::EndpointId> members = takes_part ? *own : groups.front();
  const bool joined = takes_part && port.join_group();
  const wire::EndpointCounters before = port.counters();
  const wire::Group all{members, static_cast<std::uint32_t>(members.size())};
  wire::Completions completions;
  bool complete = true;
  {
    const wire::Port::Call call(port);
    if (takes_part) {
      for (const wire::EndpointId other : members) {
        for (std::size_t i = 0; i < group_messages && other != self; ++i)
          port.receive_from_group(other, all, channel, {}, completions, 0);
      }
    }
    // What is sent to a group is heard by those that expect it.
    PMPI_Barrier(ranks);
    for (std::size_t i = 0; i < group_messages && takes_part; ++i)
      port.send_to_group(all, channel, {}, completions, 1);
    const std::size_t awaited = takes_part ? group_messages * members.size() : 0;
    complete = all_complete(ranks, port, channel, completions, awaited, time_to_hear).here;
  }
  const wire::EndpointCounters after = port.counters();
  const std::size_t expected = group_messages * (members.size() - 1);
  const std::size_t heard = after.group_received - before.group_received;
  const std::size_t alone =
      after.data_sent - before.data_sent - (after.group_sent - before.group_sent);
  const bool reached = joined && complete && 3 * heard >= 2 * expected && 3 * alone <= expected;
  std::vector<int> reach(groups.size(), 1);
  if (takes_part && !reached) reach[static_cast<std::size_t>(own - groups.begin())] = 0;
  PMPI_Allreduce(MPI_IN_PLACE, reach.data(), static_cast<int>(reach.size()), MPI_INT, MPI_MIN,
                 ranks);
  // Who was reached may still wait for reports of who was not, and gives up.
  port.abandon(channel, completions);
  return {reach.begin(), reach.end()};
}

}  // namespace quadrille
