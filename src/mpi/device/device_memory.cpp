// SPDX-License-Identifier: BSD-3-Clause
// Copies a buffer's whole span, gaps included: the call then runs in it as in the user's own, with
// the same types and displacements, and gaps come back as they were.
#include "mpi/device/device_memory.h"

#include "mpi/call/buffer_spans.h"
#include "mpi/call/call_buffers.h"
#include "mpi/device/device_driver.h"

namespace quadrille {

HostCopies::HostCopies(const CallArguments& call, const Shape& shape, Rank rank,
                       CallBuffers& buffers)
    : host_(call) {
  if (!has_device_driver()) return;
  const auto replace = [&](void*& address, const BufferSpan& span, auto&& memory) {
    Copy copy;
    if (address == MPI_IN_PLACE || span.empty()) return copy;
    std::byte* const first = static_cast<std::byte*>(address) + span.begin;
    if (!is_device_memory(first)) return copy;
    copy.bytes = span.bytes();
    copy.device = first;
    copy.host = memory(copy.bytes);
    if (!copy_device_memory(copy.host, copy.device, copy.bytes)) code_ = MPI_ERR_OTHER;
    address = copy.host - span.begin;
    return copy;
  };
  replace(sent_address(host_), sent_span(call, shape, rank),
          [&](std::uint64_t bytes) { return buffers.sent_by_device(bytes); });
  received_ = replace(received_address(host_), received_span(call, shape, rank),
                      [&](std::uint64_t bytes) { return buffers.received_by_device(bytes); });
}

int HostCopies::give_back() {
  if (received_.device == nullptr) return MPI_SUCCESS;
  return copy_device_memory(received_.device, received_.host, received_.bytes) ? MPI_SUCCESS
                                                                               : MPI_ERR_OTHER;
}

}  // namespace quadrille
