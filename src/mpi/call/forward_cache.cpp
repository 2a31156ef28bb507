// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/forward_cache.h"

#include <functional>

#include "mpi/call/datatype.h"

namespace quadrille {
namespace {

bool is_lasting(const UserBuffer& buffer) {
  return buffer.address == MPI_IN_PLACE || is_predefined_type(buffer.type);
}

// Whether no handle that the call's decision goes by may come to name something else. Handles that
// the MPI standard calls insignificant on this rank may be anything.
bool is_lasting(const CallArguments& call, Rank rank) {
  const bool is_root = rank == call.root;
  switch (call.collective) {
    case Collective::barrier:
      return true;
    case Collective::bcast:
      return is_lasting(call.receive);
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
      return is_predefined_type(call.send.type) && is_predefined_operation(call.op);
    case Collective::allgather:
    case Collective::alltoall:
      return is_lasting(call.send) && is_lasting(call.receive);
    case Collective::gather:
      return is_lasting(call.send) && (!is_root || is_lasting(call.receive));
    case Collective::scatter:
      return is_lasting(call.receive) && (!is_root || is_lasting(call.send));
    default:
      return false;
  }
}

}  // namespace

ForwardCache& ForwardCache::of_this_thread() {
  thread_local ForwardCache calls;
  return calls;
}

ForwardCache::Entry ForwardCache::described(const CallArguments& call) {
  return {.epoch = epoch.load(std::memory_order_acquire),
          .comm = call.comm,
          .op = call.op,
          .send_type = call.send.type,
          .receive_type = call.receive.type,
          .send_count = call.send.count,
          .receive_count = call.receive.count,
          .root = call.root,
          .collective = call.collective,
          .send_in_place = call.send.address == MPI_IN_PLACE,
          .receive_in_place = call.receive.address == MPI_IN_PLACE};
}

std::size_t ForwardCache::place_of(const Entry& entry) {
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(entry.collective) << 8U) ^ std::hash<MPI_Comm>()(entry.comm) ^
      (static_cast<std::uint64_t>(entry.send_count + entry.receive_count) << 24U) ^
      (static_cast<std::uint64_t>(entry.root) << 48U);
  // The golden ratio's fraction, as in the Fibonacci hashing of Knuth, TAOCP 3, 6.4.
  return static_cast<std::size_t>((mixed * 0x9e3779b97f4a7c15ULL) >> 60U);
}

const char* ForwardCache::reason(const CallArguments& call) const {
  Entry wanted = described(call);
  const Entry& found = entries_[place_of(wanted)];
  wanted.reason = found.reason;
  wanted.trial = found.trial;
  if (found != wanted || (found.trial != nullptr && !found.trial->begin_settled_call()))
    return nullptr;
  return found.reason;
}

void ForwardCache::keep(const CallArguments& call, Rank rank, const char* reason, Trial* trial) {
  if (!is_lasting(call, rank)) return;
  Entry entry = described(call);
  entry.reason = reason;
  entry.trial = trial;
  entries_[place_of(entry)] = entry;
}

}  // namespace quadrille
