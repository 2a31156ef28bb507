// SPDX-License-Identifier: BSD-3-Clause
// Which memory a call reads and writes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

#include "mpi/call/call_arguments.h"
#include "mpi/call/datatype.h"
#include "schedule/shape.h"

namespace quadrille {

// Where data begin and end, in bytes from a buffer's address. There may be gaps between them.
struct BufferSpan {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();

  bool empty() const { return begin >= end; }
  std::uint64_t bytes() const { return empty() ? 0 : static_cast<std::uint64_t>(end - begin); }
  void take(std::int64_t offset, MPI_Count elements, const Layout& layout);
};

// Of what `rank` sends and receives; empty where that side says nothing, and for MPI_IN_PLACE.
// REQUIRES: shape_of() gave `shape`.
BufferSpan sent_span(const CallArguments& call, const Shape& shape, Rank rank);
BufferSpan received_span(const CallArguments& call, const Shape& shape, Rank rank);

// The addresses that the spans count from.
void*& sent_address(CallArguments& call);
void*& received_address(CallArguments& call);

}  // namespace quadrille
