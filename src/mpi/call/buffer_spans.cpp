// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/buffer_spans.h"

#include <algorithm>

namespace quadrille {
namespace {

BufferSpan span_of(const UserBuffer& buffer, MPI_Count blocks) {
  BufferSpan span;
  if (buffer.count > 0) span.take(0, buffer.count * blocks, layout_of(buffer.type));
  return span;
}

BufferSpan span_of(const UserBlocks& blocks, Rank ranks) {
  BufferSpan span;
  for (Rank rank = 0; rank < blocks.number(ranks); ++rank) {
    if (blocks.count(rank) <= 0) continue;
    const Layout layout = layout_of(blocks.type(rank));
    const std::int64_t unit = blocks.type_a_block ? 1 : layout.extent;
    span.take(static_cast<std::int64_t>(blocks.displacement(rank)) * unit, blocks.count(rank),
              layout);
  }
  return span;
}

bool is_sent_in_place(const CallArguments& call) {
  const void* address =
      has_send_blocks(call.collective) ? call.send_blocks.address : call.send.address;
  return address == MPI_IN_PLACE;
}

}  // namespace

void BufferSpan::take(std::int64_t offset, MPI_Count elements, const Layout& layout) {
  if (elements <= 0 || layout.true_extent <= 0) return;
  const std::int64_t last = (static_cast<std::int64_t>(elements) - 1) * layout.extent;
  begin = std::min(begin, offset + std::min<std::int64_t>(last, 0) + layout.true_lower);
  end = std::max(end,
                 offset + std::max<std::int64_t>(last, 0) + layout.true_lower + layout.true_extent);
}

BufferSpan sent_span(const CallArguments& call, const Shape& shape, Rank rank) {
  if (is_sent_in_place(call)) return {};
  const bool is_root = rank == shape.root;
  switch (call.collective) {
    case Collective::barrier:
    case Collective::bcast:
      return {};
    case Collective::scatter:
      return is_root ? span_of(call.send, shape.ranks) : BufferSpan{};
    case Collective::scatterv:
      return is_root ? span_of(call.send_blocks, shape.ranks) : BufferSpan{};
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return span_of(call.send_blocks, shape.ranks);
    case Collective::alltoall:
    case Collective::reduce_scatter_block:
      return span_of(call.send, shape.ranks);
    case Collective::reduce_scatter:
      return span_of(
          UserBuffer{call.send.address, static_cast<MPI_Count>(shape.count), call.send.type}, 1);
    default:
      return span_of(call.send, 1);
  }
}

BufferSpan received_span(const CallArguments& call, const Shape& shape, Rank rank) {
  const bool is_root = rank == shape.root;
  switch (call.collective) {
    case Collective::barrier:
      return {};
    case Collective::reduce:
      return is_root ? span_of(call.receive, 1) : BufferSpan{};
    case Collective::gather:
      return is_root ? span_of(call.receive, shape.ranks) : BufferSpan{};
    case Collective::gatherv:
      return is_root ? span_of(call.receive_blocks, shape.ranks) : BufferSpan{};
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return span_of(call.receive_blocks, shape.ranks);
    case Collective::allgather:
    case Collective::alltoall:
      return span_of(call.receive, shape.ranks);
    case Collective::reduce_scatter_block:
      return span_of(call.receive, shape.in_place ? shape.ranks : 1);
    case Collective::reduce_scatter: {
      const MPI_Count count =
          shape.in_place ? static_cast<MPI_Count>(shape.count) : call.send_blocks.count(rank);
      return span_of(UserBuffer{call.receive.address, count, call.send.type}, 1);
    }
    default:
      return span_of(call.receive, 1);
  }
}

void*& sent_address(CallArguments& call) {
  return has_send_blocks(call.collective) ? call.send_blocks.address : call.send.address;
}

void*& received_address(CallArguments& call) {
  return has_receive_blocks(call.collective) ? call.receive_blocks.address : call.receive.address;
}

}  // namespace quadrille
