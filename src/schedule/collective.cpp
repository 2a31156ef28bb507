// SPDX-License-Identifier: BSD-3-Clause
// The buffers that each collective gives a rank.
#include "schedule/collective.h"

#include <array>

#include "schedule/shape.h"

namespace quadrille {

namespace {

constexpr std::array all_collectives{Collective::barrier,   Collective::bcast,
                                     Collective::reduce,    Collective::allreduce,
                                     Collective::allgather, Collective::alltoall};

}  // namespace

const char* name_of(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return "barrier";
    case Collective::bcast:
      return "bcast";
    case Collective::reduce:
      return "reduce";
    case Collective::allreduce:
      return "allreduce";
    case Collective::allgather:
      return "allgather";
    case Collective::alltoall:
      return "alltoall";
  }
  return "unknown";
}

std::optional<Collective> collective_named(std::string_view name) {
  for (const Collective collective : all_collectives) {
    if (name == name_of(collective)) return collective;
  }
  return std::nullopt;
}

bool is_rooted(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce;
}

bool is_reducing(Collective collective) {
  return collective == Collective::reduce || collective == Collective::allreduce;
}

BufferLengths buffer_lengths(const Shape& shape, Rank rank) {
  const std::uint64_t all = shape.count * static_cast<std::uint64_t>(shape.ranks);
  const std::uint64_t own = contribution_in_place(shape, rank) ? 0 : shape.count;
  switch (shape.collective) {
    case Collective::barrier:
      return {0, 0};
    case Collective::bcast:
      return {0, shape.count};
    case Collective::reduce:
      return {own, rank == shape.root ? shape.count : 0};
    case Collective::allreduce:
      return {own, shape.count};
    case Collective::allgather:
      return {own, all};
    case Collective::alltoall:
      return {all, all};
  }
  return {0, 0};
}

bool contribution_in_place(const Shape& shape, Rank rank) {
  switch (shape.collective) {
    case Collective::reduce:
      return shape.in_place && rank == shape.root;
    case Collective::allreduce:
    case Collective::allgather:
      return shape.in_place;
    case Collective::barrier:
    case Collective::bcast:
    case Collective::alltoall:
      return false;
  }
  return false;
}

Region contribution(const Shape& shape, Rank rank) {
  if (!contribution_in_place(shape, rank))
    return {Buffer::send, 0, buffer_lengths(shape, rank).send};
  const bool own_block = shape.collective == Collective::allgather;
  return {Buffer::receive, own_block ? shape.count * static_cast<std::uint64_t>(rank) : 0,
          shape.count};
}

Region initial_data(const Shape& shape, Rank rank) {
  if (shape.collective == Collective::barrier) return {};
  if (shape.collective != Collective::bcast) return contribution(shape, rank);
  return {Buffer::receive, 0, rank == shape.root ? shape.count : 0};
}

}  // namespace quadrille
