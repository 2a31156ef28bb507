// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wire_reach.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/monotonic_clock.h"
#include "executor/waiting.h"

namespace quadrille {
namespace {

// Communicators' channels are lower.
constexpr wire::Channel first_channel = 0xffff;
// A host that has not answered by then, after all had begun, is not reached by datagrams. Four
// losses of one packet in turn fit into it.
constexpr Nanoseconds time_to_answer{1'000'000'000};
// Those that come to all at once are there much sooner, or are asked for one by one.
constexpr Nanoseconds time_to_hear{250'000'000};
// So many from each host, of which every third may be lost.
constexpr std::size_t group_messages = 3;

// Since when all ranks are known to have come this far: the MPI library's messages may be late by
// retransmissions of TCP, some ranks by seconds. Its end waits for the last.
class AllHaveBegun {
 public:
  explicit AllHaveBegun(MPI_Comm ranks) { PMPI_Ibarrier(ranks, &request_); }
  ~AllHaveBegun() { PMPI_Wait(&request_, MPI_STATUS_IGNORE); }
  AllHaveBegun(const AllHaveBegun&) = delete;
  AllHaveBegun& operator=(const AllHaveBegun&) = delete;

  std::optional<Nanoseconds> since() {
    if (since_) return since_;
    int all = 0;
    PMPI_Test(&request_, &all, MPI_STATUS_IGNORE);
    if (all != 0) since_ = monotonic_now();
    return since_;
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::optional<Nanoseconds> since_;
};

// Drives the port until `awaited` messages are complete; false where that takes longer than `most`
// after all have begun, and nothing of `channel` is awaited any more.
bool all_complete(wire::Port& port, wire::Channel channel, wire::Completions& completions,
                  std::size_t awaited, AllHaveBegun& all_have_begun, Nanoseconds most) {
  std::vector<wire::Completions::Message> complete;
  Waiting waiting;
  while (awaited > 0) {
    const auto driven = port.drive();
    port.take(completions, complete);
    awaited -= complete.size();
    const auto since = all_have_begun.since();
    const bool late = since && monotonic_now() > *since + most;
    if (!driven.ok() || (awaited > 0 && late)) {
      port.abandon(channel, completions);
      return false;
    }
    if (driven.value()) {
      waiting.progressed();
    } else {
      waiting.idle([&port](Nanoseconds time) { port.wait(time); });
    }
  }
  return true;
}

}  // namespace

bool reaches_all_hosts(MPI_Comm ranks, wire::Port& port, std::span<const wire::EndpointId> partners,
                       std::size_t payload) {
  const std::vector<std::byte> sent(payload);
  std::vector<std::byte> received(payload);
  wire::Completions completions;
  AllHaveBegun all_have_begun(ranks);  // ends after the call: the port's thread answers then
  const wire::Port::Call call(port);
  for (const wire::EndpointId partner : partners) {
    port.receive(partner, first_channel, received, completions, 0);
    port.send(partner, first_channel, sent, completions, 1);
  }
  return all_complete(port, first_channel, completions, 2 * partners.size(), all_have_begun,
                      time_to_answer);
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
    std::optional<AllHaveBegun> all_have_begun;  // ends after the call
    const wire::Port::Call call(port);
    if (takes_part) {
      for (const wire::EndpointId other : members) {
        for (std::size_t i = 0; i < group_messages && other != self; ++i)
          port.receive_from_group(other, all, channel, {}, completions, 0);
      }
    }
    // What is sent to a group is heard by those that expect it.
    PMPI_Barrier(ranks);
    all_have_begun.emplace(ranks);
    if (takes_part) {
      for (std::size_t i = 0; i < group_messages; ++i)
        port.send_to_group(all, channel, {}, completions, 1);
      const std::size_t awaited = group_messages * members.size();
      complete = all_complete(port, channel, completions, awaited, *all_have_begun, time_to_hear);
    }
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
