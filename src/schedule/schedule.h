// SPDX-License-Identifier: BSD-3-Clause
// A schedule: what one rank does in one collective call, as data. It can be checked, costed, drawn,
// simulated and executed; nothing in it knows of MPI, a socket or a clock.
//
// Rules that give a schedule its meaning:
// - A step starts when all steps it depends on are complete. Dependencies point to earlier steps of
//   the same rank.
// - Messages between an ordered pair of ranks match in list order: the n-th send step to a peer
//   meets the peer's n-th receive step from this rank. Sends to one peer start in list order,
//   receives from one peer likewise.
// - A send may complete as late as its receive is matched (rendezvous); no schedule may rely on
//   buffering.
// - Group steps are collectives on the ranks of Schedule::group: of the MPI library, where the
//   schedule goes over the wire one sending to all of them, or through the memory of their host.
//   The n-th group step of each of them is the same one; they start in list order. One may complete
//   as late as all have started it. Over the wire a broadcast without data tells all that its root
//   has started it, in host memory also a reduction without data its root that all have.
// - Steps of one rank that touch the same elements, one of them writing, are ordered by
//   dependencies.
// - A schedule is thread-compatible: built once, then only read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace quadrille {

enum class Buffer : std::uint8_t { send, receive, scratch };

// `length` elements of a buffer from element `offset` on.
struct Region {
  Buffer buffer = Buffer::receive;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  bool operator==(const Region&) const = default;
  // Part `index` of `parts` nearly equal parts; the first (length % parts) parts are one element
  // longer.
  Region part(std::uint64_t index, std::uint64_t parts) const;
  // Segment `index` of `segments` that follow one another between the same two ranks. They are
  // nearly equal, but the first is shorter and the last longer by what depends on how many there
  // are: ranks that were called with different lengths find out by the first message, even where
  // one length is a multiple of the other.
  Region segment(std::uint64_t index, std::uint64_t segments) const;
  // No segment has more elements.
  std::uint64_t longest_segment(std::uint64_t segments) const;
  // Parts [first, end) together.
  Region parts(std::uint64_t first, std::uint64_t end, std::uint64_t parts) const;
};

enum class StepKind : std::uint8_t {
  send,          // `from` goes to `peer`
  receive,       // `into` comes from `peer`
  copy,          // `into` = `from`
  reduce,        // `into` = `from` op `into` (the order matters to operations that do not commute)
  group_bcast,   // `from` of rank `peer` goes `into` all others of the group
  group_reduce,  // `into` of rank `peer` = `from` of all of the group, combined in any order
};

constexpr bool is_message(StepKind kind) {
  return kind == StepKind::send || kind == StepKind::receive;
}
constexpr bool is_group(StepKind kind) {
  return kind == StepKind::group_bcast || kind == StepKind::group_reduce;
}
// Whether other ranks have a part in it.
constexpr bool has_peer(StepKind kind) { return is_message(kind) || is_group(kind); }

const char* name_of(StepKind kind);
const char* name_of(Buffer buffer);

struct Step {
  StepKind kind = StepKind::copy;
  Rank peer = -1;  // send, receive; of a group step its root
  Region from;     // send, copy, reduce, group_reduce, and group_bcast at its root
  Region into;     // receive, copy, reduce, group_bcast elsewhere, and group_reduce at its root
  std::uint32_t first_dependency = 0;  // into Schedule::dependencies
  std::uint32_t dependency_count = 0;
};

using StepIndex = std::uint32_t;

// What a group step in host memory may have, elements of predefined types with their gaps.
inline constexpr std::uint64_t most_in_host_memory = 4096;

struct Schedule {
  std::vector<Step> steps;
  std::vector<StepIndex> dependencies;  // all steps' dependencies, each step's in one run
  std::vector<Rank> group;  // ascending, with this rank; empty where there are no group steps
  // Messages between hosts travel by the wire, where there is one: it paces them, those of earlier
  // steps first.
  bool over_wire = false;
  // Group steps go through the memory that the ranks of a host share. Then the group is all of the
  // host's, and no group step has more than most_in_host_memory bytes.
  bool in_host_memory = false;
  std::uint64_t scratch_length = 0;  // elements
  // How many messages with data may be on their way to this rank at any time, by this schedule's
  // own pacing; 0 where it makes no such promise.
  std::uint32_t most_incoming = 0;
  // How many more messages with data this rank may have started to send than it has received; 0
  // where it makes no such promise.
  std::uint32_t most_ahead = 0;

  std::span<const StepIndex> dependencies_of(const Step& step) const {
    return {dependencies.data() + step.first_dependency, step.dependency_count};
  }
};

}  // namespace quadrille
