// SPDX-License-Identifier: BSD-3-Clause
// Where the libraries differ, so does this: what a library takes on some ranks only must not be
// left to it there. tests/mpi/programs/wrong_calls.c compares with each library's own checks.
#include "mpi/call/refused_arguments.h"

#include "mpi/call/datatype.h"
#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

#ifdef OPEN_MPI
constexpr bool is_open_mpi = true;
#else
constexpr bool is_open_mpi = false;
#endif

bool sends_at_root_only(Collective collective) {
  return collective == Collective::scatter || collective == Collective::scatterv;
}

bool receives_at_root_only(Collective collective) {
  return collective == Collective::gather || collective == Collective::gatherv ||
         collective == Collective::reduce;
}

bool is_reduction(Collective collective) {
  return is_reducing(collective) || collective == Collective::reduce_scatter;
}

// Of one rank's call: which sides mean something, and where their blocks are.
struct ArgumentSides {
  const CallArguments& call;
  Rank ranks;
  bool sends = false;
  bool receives = false;
  bool send_is_vector = false;
  bool receive_is_vector = false;

  ArgumentSides(const CallArguments& arguments, Rank rank, Rank all) : call(arguments), ranks(all) {
    const Collective collective = call.collective;
    const bool is_root = rank == call.root;
    if (collective == Collective::barrier) return;
    sends = collective != Collective::bcast && (is_root || !sends_at_root_only(collective));
    receives = is_root || !receives_at_root_only(collective);
    send_is_vector = has_send_blocks(collective);
    receive_is_vector = has_receive_blocks(collective);
  }
  const void* send_address() const {
    return send_is_vector ? call.send_blocks.address : call.send.address;
  }
  const void* receive_address() const {
    return receive_is_vector ? call.receive_blocks.address : call.receive.address;
  }
};

bool is_missing(const UserBlocks& blocks) {
  if (blocks.placing != Placing::by_arrays || blocks.number(1) == 0) return false;
  return blocks.counts == nullptr || blocks.displacements == nullptr ||
         (blocks.type_a_block && blocks.types == nullptr);
}

// Arrays that are not there; shapes are made by reading them.
bool lacks_arrays(const ArgumentSides& sides) {
  const CallArguments& call = sides.call;
  if (call.collective == Collective::reduce_scatter) return call.send_blocks.counts == nullptr;
  return (sides.sends && sides.send_is_vector && call.send_blocks.address != MPI_IN_PLACE &&
          is_missing(call.send_blocks)) ||
         (sides.receives && sides.receive_is_vector && is_missing(call.receive_blocks));
}

// MPI_IN_PLACE instead of a buffer that it may not stand for: there is no memory behind it.
bool is_wrongly_in_place(const ArgumentSides& sides, Rank rank) {
  const CallArguments& call = sides.call;
  const bool is_root = rank == call.root;
  const bool may_send_in_place =
      sends_at_root_only(call.collective) || call.collective == Collective::neighbor_alltoallv
          ? false
          : is_root || !receives_at_root_only(call.collective);
  if (sides.sends && sides.send_address() == MPI_IN_PLACE && !may_send_in_place) return true;
  const bool may_receive_in_place = sends_at_root_only(call.collective) && is_root;
  return sides.receives && sides.receive_address() == MPI_IN_PLACE && !may_receive_in_place;
}

bool is_nowhere(const UserBuffer& buffer) {
  return buffer.address == nullptr && buffer.count > 0 && is_predefined_type(buffer.type);
}

// Elements at the null address: MPI_BOTTOM is one, for types that hold addresses. Open MPI looks at
// no buffer.
bool is_nowhere(const UserBlocks& blocks, Rank ranks) {
  if (is_open_mpi || blocks.address != nullptr) return false;
  for (Rank rank = 0; rank < blocks.number(ranks); ++rank) {
    if (blocks.count(rank) > 0 && is_predefined_type(blocks.type(rank))) return true;
  }
  return false;
}

bool has_elements_nowhere(const ArgumentSides& sides, Rank rank) {
  const CallArguments& call = sides.call;
  if (call.collective == Collective::reduce_scatter) {
    UserBlocks sent = call.send_blocks;
    sent.address = call.send.address;
    const UserBuffer received{call.receive.address, call.send_blocks.count(rank), call.send.type};
    return is_nowhere(sent, sides.ranks) || is_nowhere(received);
  }
  const bool sends =
      sides.sends &&
      (sides.send_is_vector ? is_nowhere(call.send_blocks, sides.ranks) : is_nowhere(call.send));
  return sends ||
         (sides.receives && (sides.receive_is_vector ? is_nowhere(call.receive_blocks, sides.ranks)
                                                     : is_nowhere(call.receive)));
}

bool is_same(const UserBuffer& one, const UserBuffer& other) {
  return one.count == other.count && one.type == other.type;
}

std::int64_t distance_of(MPI_Aint elements, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::int64_t>(elements) * size;
}

const void* moved(const void* address, std::int64_t bytes) {
  return static_cast<const std::byte*>(address) + bytes;
}

// As MPICH looks at it: this rank's own block may not be sent from where it is received.
bool own_block_is_one(const ArgumentSides& sides, Rank rank) {
  const CallArguments& call = sides.call;
  if (sides.receive_is_vector) {
    const UserBlocks& blocks = call.receive_blocks;
    return call.send.count == blocks.count(rank) && call.send.type == blocks.type(0) &&
           call.send.address ==
               moved(blocks.address, distance_of(blocks.displacement(rank), call.send.type));
  }
  return is_same(call.send, call.receive) &&
         call.send.address ==
             moved(call.receive.address, distance_of(rank * call.send.count, call.send.type));
}

// One buffer for both sides.
bool is_one_buffer(const ArgumentSides& sides, Rank rank) {
  const CallArguments& call = sides.call;
  if (!sides.sends || !sides.receives || sides.send_address() == MPI_IN_PLACE) return false;
  const bool same_address = sides.send_address() == sides.receive_address();
  if (is_open_mpi) {
    if (call.collective == Collective::reduce) return same_address;
    return call.collective == Collective::allreduce && same_address &&
           call.send.address != nullptr && call.send.count > 1;
  }
  switch (call.collective) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
      return same_address && call.send.count > 0 && call.send.address != nullptr;
    case Collective::reduce_scatter:
      return same_address && call.send.address != nullptr;
    case Collective::alltoall:
      return same_address && call.send.count > 0 && is_same(call.send, call.receive);
    case Collective::alltoallv:
      return same_address && call.send_blocks.counts == call.receive_blocks.counts &&
             (call.send_blocks.type_a_block
                  ? call.send_blocks.types == call.receive_blocks.types
                  : call.send_blocks.type(0) == call.receive_blocks.type(0));
    case Collective::allgather:
    case Collective::gather:
    case Collective::allgatherv:
    case Collective::gatherv:
      return call.send.count > 0 && own_block_is_one(sides, rank);
    default:
      return false;
  }
}

// There is no query. To pack none of it is refused by all libraries with MPI_ERR_TYPE, and takes
// about 0.1 us; remembering it would need to know when a handle is freed.
bool is_uncommitted(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || is_predefined_type(type)) return false;
  char nothing = 0;
  int position = 0;
  return PMPI_Pack(&nothing, 0, type, &nothing, sizeof nothing, &position,
                   Runtime::active()->self_shadow()) != MPI_SUCCESS;
}

bool is_uncommitted(const UserBlocks& blocks, Rank ranks) {
  if (!blocks.type_a_block) return is_uncommitted(blocks.type(0));
  for (Rank rank = 0; rank < blocks.number(ranks); ++rank) {
    if (blocks.count(rank) > 0 && is_uncommitted(blocks.type(rank))) return true;
  }
  return false;
}

// Open MPI does not look at all types.
bool checks_send_type(Collective collective) {
  return !is_open_mpi || collective != Collective::scatter;
}
bool checks_receive_type(Collective collective) {
  return !is_open_mpi || collective == Collective::bcast || collective == Collective::alltoall ||
         collective == Collective::alltoallv;
}

bool has_uncommitted_type(const ArgumentSides& sides) {
  const CallArguments& call = sides.call;
  if (sides.sends && sides.send_address() != MPI_IN_PLACE && checks_send_type(call.collective)) {
    if (sides.send_is_vector ? is_uncommitted(call.send_blocks, sides.ranks)
                             : is_uncommitted(call.send.type))
      return true;
  }
  const bool looks = sides.receives && sides.receive_address() != MPI_IN_PLACE &&
                     checks_receive_type(call.collective);
  if (is_reduction(call.collective)) {
    return sides.send_address() == MPI_IN_PLACE && is_uncommitted(call.send.type);
  }
  return looks && (sides.receive_is_vector ? is_uncommitted(call.receive_blocks, sides.ranks)
                                           : is_uncommitted(call.receive.type));
}

}  // namespace

bool would_be_refused(const CallArguments& call, Rank rank, Rank ranks) {
  if (call.collective == Collective::barrier) return false;
  const ArgumentSides sides(call, rank, ranks);
  return lacks_arrays(sides) || is_wrongly_in_place(sides, rank) ||
         has_elements_nowhere(sides, rank) || is_one_buffer(sides, rank) ||
         has_uncommitted_type(sides);
}

}  // namespace quadrille
