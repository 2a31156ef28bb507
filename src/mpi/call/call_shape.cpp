// SPDX-License-Identifier: BSD-3-Clause
// Arguments that the MPI standard declares insignificant on a rank are not looked at there.
#include "mpi/call/call_shape.h"

#include <algorithm>
#include <limits>

#include "mpi/call/datatype.h"
#include "mpi/call/refused_arguments.h"

namespace quadrille {
namespace {

// Bytes of `count` elements; nothing for what MPI will complain of itself.
std::optional<std::uint64_t> bytes_of(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count < 0 || type == MPI_DATATYPE_NULL) return std::nullopt;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return std::nullopt;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}
std::optional<std::uint64_t> bytes_of(const UserBuffer& buffer) {
  return bytes_of(buffer.count, buffer.type);
}

// The block that both sides of a call of equal blocks name; a side that is not significant is left
// out.
std::optional<Shape> with_block(Shape shape, const UserBuffer* send, const UserBuffer* receive) {
  const auto one = bytes_of(send != nullptr ? *send : *receive);
  const auto other = bytes_of(receive != nullptr ? *receive : *send);
  if (!one || one != other) return std::nullopt;
  shape.count = *one;
  return shape;
}

// Where the MPI library takes one buffer for both sides, it means MPI_IN_PLACE: in a reduce at the
// root only, elsewhere the receive buffer says nothing.
std::optional<Shape> with_operation(Shape shape, const CallArguments& call) {
  const bool is_one_buffer_of_both = call.collective != Collective::reduce &&
                                     call.send.address != nullptr &&
                                     call.send.address == call.receive.address;
  int commutative = 0;
  if (call.op == MPI_OP_NULL || PMPI_Op_commutative(call.op, &commutative) != MPI_SUCCESS)
    return std::nullopt;
  const auto element = bytes_of(1, call.send.type);
  if (!element || *element == 0 || call.send.count < 0) return std::nullopt;
  if (!may_combine(call.op, call.send.type)) return std::nullopt;
  shape.count = static_cast<std::uint64_t>(call.send.count);
  // Longer ones are decided as if they were as long as a shape can say.
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  shape.element_bytes = static_cast<std::uint32_t>(std::min(*element, most));
  shape.commutative = commutative != 0;
  shape.is_builtin = is_predefined_operation(call.op);
  shape.in_place = call.send.address == MPI_IN_PLACE || is_one_buffer_of_both;
  return shape;
}

std::optional<std::uint64_t> total(const UserBlocks& blocks, Rank ranks) {
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (blocks.count(rank) < 0) return std::nullopt;
    sum += static_cast<std::uint64_t>(blocks.count(rank));
  }
  return sum;
}

std::optional<Shape> with_vector(Shape shape, const CallArguments& call) {
  if (shape.collective == Collective::allgatherv) {
    const auto elements = total(call.receive_blocks, shape.ranks);
    const auto element = bytes_of(1, call.receive_blocks.type(0));
    if (!elements || !element) return std::nullopt;
    shape.in_place = call.send.address == MPI_IN_PLACE;
    shape.count = *elements * *element;
    return shape;
  }
  const auto operation = with_operation(shape, call);
  const auto elements = total(call.send_blocks, shape.ranks);
  if (!operation || !elements) return std::nullopt;
  shape = *operation;
  shape.count = *elements;
  return shape;
}

bool all_valid(const UserBlocks& blocks, Rank ranks) {
  if (blocks.placing != Placing::by_arrays && !bytes_of(blocks.one_count, blocks.one_type))
    return false;
  for (Rank rank = 0; rank < blocks.number(ranks); ++rank) {
    if (blocks.count(rank) < 0) return false;
    if (blocks.count(rank) > 0 && !bytes_of(blocks.count(rank), blocks.type(rank))) return false;
  }
  return true;
}

// Whether the counts of a vector collective that are this rank's affair are right, as far as a
// shape does not tell.
bool counts_are_valid(const CallArguments& call, const Shape& shape, Rank rank) {
  const bool is_root = rank == shape.root;
  switch (shape.collective) {
    case Collective::allgatherv:
      return shape.in_place || bytes_of(call.send).has_value();
    case Collective::gatherv:
      return (shape.in_place || bytes_of(call.send)) &&
             (!is_root || all_valid(call.receive_blocks, shape.ranks));
    case Collective::scatterv:
      return (shape.in_place || bytes_of(call.receive)) &&
             (!is_root || all_valid(call.send_blocks, shape.ranks));
    case Collective::alltoallv:
      return all_valid(call.receive_blocks, shape.ranks) &&
             (call.send_blocks.address == MPI_IN_PLACE || all_valid(call.send_blocks, shape.ranks));
    case Collective::neighbor_alltoallv:
      return all_valid(call.send_blocks, shape.ranks) &&
             all_valid(call.receive_blocks, shape.ranks);
    default:
      return true;
  }
}

std::optional<Shape> shape_whatever_counts(const CallArguments& call, Rank rank, Rank ranks) {
  const bool sends_in_place = call.send.address == MPI_IN_PLACE;
  Shape shape;
  shape.collective = call.collective;
  shape.ranks = ranks;
  if (is_rooted(call.collective)) {
    if (call.root < 0 || call.root >= ranks) return std::nullopt;
    shape.root = call.root;
  }
  if (would_be_refused(call, rank, ranks)) return std::nullopt;
  const bool is_root = rank == shape.root;
  switch (call.collective) {
    case Collective::barrier:
      return shape;
    case Collective::bcast:
      return with_block(shape, nullptr, &call.receive);
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
      return with_operation(shape, call);
    case Collective::allgather:
    case Collective::alltoall:
      shape.in_place = sends_in_place && call.collective == Collective::allgather;
      return with_block(shape, sends_in_place ? nullptr : &call.send, &call.receive);
    case Collective::gather:
      shape.in_place = is_root && sends_in_place;
      return with_block(shape, shape.in_place ? nullptr : &call.send,
                        is_root ? &call.receive : nullptr);
    case Collective::scatter:
      shape.in_place = is_root && call.receive.address == MPI_IN_PLACE;
      return with_block(shape, is_root ? &call.send : nullptr,
                        shape.in_place ? nullptr : &call.receive);
    case Collective::allgatherv:
    case Collective::reduce_scatter:
      return with_vector(shape, call);
    case Collective::gatherv:
      shape.in_place = is_root && sends_in_place;
      return shape;
    case Collective::scatterv:
      shape.in_place = is_root && call.receive.address == MPI_IN_PLACE;
      return shape;
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return shape;
  }
  return std::nullopt;
}

}  // namespace

// Before anything is exchanged: who is told of an error need not call again, and nor need the
// others.
std::optional<Shape> shape_of(const CallArguments& call, Rank rank, Rank ranks) {
  auto shape = shape_whatever_counts(call, rank, ranks);
  if (shape && !counts_are_valid(call, *shape, rank)) shape.reset();
  return shape;
}

Bytes mean_block(const CallArguments& call, const Shape& shape, Rank rank) {
  if (is_rooted(shape.collective) && rank != shape.root) return {0};
  const bool are_received =
      shape.collective == Collective::gatherv || call.send_blocks.address == MPI_IN_PLACE;
  const UserBlocks& blocks = are_received ? call.receive_blocks : call.send_blocks;
  std::uint64_t sum = 0;
  const Rank number = blocks.number(shape.ranks);
  for (Rank peer = 0; peer < number; ++peer) {
    if (blocks.count(peer) > 0) sum += bytes_of(blocks.count(peer), blocks.type(peer)).value_or(0);
  }
  return {number == 0 ? 0 : sum / static_cast<std::uint64_t>(number)};
}

}  // namespace quadrille
