// SPDX-License-Identifier: BSD-3-Clause
// The buffers that each collective gives a rank.
#include "schedule/collective.h"

#include <array>

#include "schedule/shape.h"

namespace quadrille {

namespace {

constexpr std::array all_collectives{Collective::barrier,
                                     Collective::bcast,
                                     Collective::reduce,
                                     Collective::allreduce,
                                     Collective::allgather,
                                     Collective::alltoall,
                                     Collective::gather,
                                     Collective::scatter,
                                     Collective::reduce_scatter_block,
                                     Collective::scan,
                                     Collective::exscan,
                                     Collective::allgatherv,
                                     Collective::gatherv,
                                     Collective::scatterv,
                                     Collective::alltoallv,
                                     Collective::reduce_scatter,
                                     Collective::neighbor_alltoallv};

}  // namespace

std::span<const Collective> collectives() { return all_collectives; }

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
    case Collective::gather:
      return "gather";
    case Collective::scatter:
      return "scatter";
    case Collective::reduce_scatter_block:
      return "reduce_scatter_block";
    case Collective::scan:
      return "scan";
    case Collective::exscan:
      return "exscan";
    case Collective::allgatherv:
      return "allgatherv";
    case Collective::gatherv:
      return "gatherv";
    case Collective::scatterv:
      return "scatterv";
    case Collective::alltoallv:
      return "alltoallv";
    case Collective::reduce_scatter:
      return "reduce_scatter";
    case Collective::neighbor_alltoallv:
      return "neighbor_alltoallv";
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
  return collective == Collective::bcast || collective == Collective::reduce ||
         collective == Collective::gather || collective == Collective::scatter ||
         collective == Collective::gatherv || collective == Collective::scatterv;
}

bool is_reducing(Collective collective) {
  return collective == Collective::reduce || collective == Collective::allreduce ||
         collective == Collective::reduce_scatter_block || collective == Collective::scan ||
         collective == Collective::exscan || collective == Collective::reduce_scatter;
}

bool has_counts(Collective collective) {
  return collective == Collective::allgatherv || collective == Collective::gatherv ||
         collective == Collective::scatterv || collective == Collective::alltoallv ||
         collective == Collective::reduce_scatter || collective == Collective::neighbor_alltoallv;
}

bool may_be_in_place(Collective collective) {
  return collective != Collective::barrier && collective != Collective::bcast &&
         collective != Collective::alltoall && collective != Collective::alltoallv &&
         collective != Collective::neighbor_alltoallv;
}

BufferLengths buffer_lengths(const Shape& shape, Rank rank, const LocalCounts& counts) {
  const std::uint64_t all = shape.count * static_cast<std::uint64_t>(shape.ranks);
  const bool in_place = contribution_in_place(shape, rank);
  const std::uint64_t own = in_place ? 0 : shape.count;
  const bool is_root = rank == shape.root;
  switch (shape.collective) {
    case Collective::barrier:
      return {0, 0};
    case Collective::bcast:
      return {0, shape.count};
    case Collective::reduce:
      return {own, is_root ? shape.count : 0};
    case Collective::allreduce:
    case Collective::scan:
      return {own, shape.count};
    case Collective::allgather:
      return {own, all};
    case Collective::alltoall:
      return {all, all};
    case Collective::gather:
      return {own, is_root ? all : 0};
    case Collective::scatter:
      return {is_root ? all : 0, is_root && shape.in_place ? 0 : shape.count};
    case Collective::reduce_scatter_block:
      return in_place ? BufferLengths{0, all} : BufferLengths{all, shape.count};
    case Collective::exscan:
      return {own, rank > 0 || in_place ? shape.count : 0};
    case Collective::allgatherv:
      return {in_place ? 0 : counts.receive.of(Buffer::receive, rank).length, counts.receive.end()};
    case Collective::gatherv:
      return {in_place ? 0 : counts.send.end(), counts.receive.end()};
    case Collective::scatterv:
      return {counts.send.end(), is_root && shape.in_place ? 0 : counts.receive.end()};
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return {counts.send.end(), counts.receive.end()};
    case Collective::reduce_scatter:
      return in_place ? BufferLengths{0, counts.send.end()}
                      : BufferLengths{counts.send.end(), counts.send.of(Buffer::send, rank).length};
  }
  return {0, 0};
}

bool contribution_in_place(const Shape& shape, Rank rank) {
  switch (shape.collective) {
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return shape.in_place && rank == shape.root;
    case Collective::allreduce:
    case Collective::allgather:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
    case Collective::allgatherv:
    case Collective::reduce_scatter:
      return shape.in_place;
    case Collective::barrier:
    case Collective::bcast:
    case Collective::alltoall:
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return false;
  }
  return false;
}

Region contribution(const Shape& shape, Rank rank, const LocalCounts& counts) {
  const BufferLengths lengths = buffer_lengths(shape, rank, counts);
  if (!contribution_in_place(shape, rank)) return {Buffer::send, 0, lengths.send};
  if (shape.collective == Collective::allgather || shape.collective == Collective::gather)
    return {Buffer::receive, shape.count * static_cast<std::uint64_t>(rank), shape.count};
  if (shape.collective == Collective::allgatherv || shape.collective == Collective::gatherv)
    return counts.receive.of(Buffer::receive, rank);
  return {Buffer::receive, 0, lengths.receive};
}

Region initial_data(const Shape& shape, Rank rank, const LocalCounts& counts) {
  if (shape.collective == Collective::barrier) return {};
  if (shape.collective != Collective::bcast) return contribution(shape, rank, counts);
  return {Buffer::receive, 0, rank == shape.root ? shape.count : 0};
}

}  // namespace quadrille
