// SPDX-License-Identifier: BSD-3-Clause
// Copies a buffer's whole span, gaps included: the call then runs in it as in the user's own, with
// the same types and displacements, and gaps come back as they were.
#include "mpi/call/device_memory.h"

#include <algorithm>
#include <limits>

#include "mpi/call/call_buffers.h"
#include "mpi/call/datatype.h"
#include "mpi/call/device_driver.h"

namespace quadrille {
namespace {

// Where data begin and end, in bytes from a buffer's address.
struct Span {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();

  bool empty() const { return begin >= end; }
  void take(std::int64_t offset, MPI_Count elements, const Layout& layout) {
    if (elements <= 0 || layout.true_extent <= 0) return;
    const std::int64_t last = (static_cast<std::int64_t>(elements) - 1) * layout.extent;
    begin = std::min(begin, offset + std::min<std::int64_t>(last, 0) + layout.true_lower);
    end = std::max(
        end, offset + std::max<std::int64_t>(last, 0) + layout.true_lower + layout.true_extent);
  }
};

Span span_of(const UserBuffer& buffer, MPI_Count blocks) {
  Span span;
  if (buffer.count > 0) span.take(0, buffer.count * blocks, layout_of(buffer.type));
  return span;
}

Span span_of(const UserBlocks& blocks, Rank ranks) {
  Span span;
  for (Rank rank = 0; rank < blocks.number(ranks); ++rank) {
    if (blocks.count(rank) <= 0) continue;
    const Layout layout = layout_of(blocks.type(rank));
    const std::int64_t unit = blocks.type_a_block ? 1 : layout.extent;
    span.take(static_cast<std::int64_t>(blocks.displacement(rank)) * unit, blocks.count(rank),
              layout);
  }
  return span;
}

bool has_send_blocks(Collective collective) {
  return collective == Collective::scatterv || collective == Collective::alltoallv ||
         collective == Collective::neighbor_alltoallv;
}
bool has_receive_blocks(Collective collective) {
  return collective == Collective::allgatherv || collective == Collective::gatherv ||
         collective == Collective::alltoallv || collective == Collective::neighbor_alltoallv;
}

Span sent(const CallArguments& call, const Shape& shape, Rank rank) {
  const bool is_root = rank == shape.root;
  switch (call.collective) {
    case Collective::barrier:
    case Collective::bcast:
      return {};
    case Collective::scatter:
      return is_root ? span_of(call.send, shape.ranks) : Span{};
    case Collective::scatterv:
      return is_root ? span_of(call.send_blocks, shape.ranks) : Span{};
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

Span received(const CallArguments& call, const Shape& shape, Rank rank) {
  const bool is_root = rank == shape.root;
  switch (call.collective) {
    case Collective::barrier:
      return {};
    case Collective::reduce:
      return is_root ? span_of(call.receive, 1) : Span{};
    case Collective::gather:
      return is_root ? span_of(call.receive, shape.ranks) : Span{};
    case Collective::gatherv:
      return is_root ? span_of(call.receive_blocks, shape.ranks) : Span{};
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

}  // namespace

HostCopies::HostCopies(const CallArguments& call, const Shape& shape, Rank rank,
                       CallBuffers& buffers)
    : host_(call) {
  if (!has_device_driver()) return;
  const auto replace = [&](void*& address, const Span& span, auto&& memory) {
    Copy copy;
    if (address == MPI_IN_PLACE || span.empty()) return copy;
    std::byte* const first = static_cast<std::byte*>(address) + span.begin;
    if (!is_device_memory(first)) return copy;
    copy.bytes = static_cast<std::uint64_t>(span.end - span.begin);
    copy.device = first;
    copy.host = memory(copy.bytes);
    if (!copy_device_memory(copy.host, copy.device, copy.bytes)) code_ = MPI_ERR_OTHER;
    address = copy.host - span.begin;
    return copy;
  };
  void*& send = has_send_blocks(call.collective) ? host_.send_blocks.address : host_.send.address;
  replace(send, sent(call, shape, rank),
          [&](std::uint64_t bytes) { return buffers.sent_by_device(bytes); });
  void*& receive =
      has_receive_blocks(call.collective) ? host_.receive_blocks.address : host_.receive.address;
  received_ = replace(receive, received(call, shape, rank),
                      [&](std::uint64_t bytes) { return buffers.received_by_device(bytes); });
}

int HostCopies::give_back() {
  if (received_.device == nullptr) return MPI_SUCCESS;
  return copy_device_memory(received_.device, received_.host, received_.bytes) ? MPI_SUCCESS
                                                                               : MPI_ERR_OTHER;
}

}  // namespace quadrille
