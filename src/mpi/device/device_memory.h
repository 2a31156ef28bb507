// SPDX-License-Identifier: BSD-3-Clause
// Memory of devices (CUDA, HIP) that the processor cannot read: a call's buffers there are copied
// into host memory, and what is received is copied back. That is this rank's affair alone: others
// may have their buffers where they like, and nothing has to be agreed.
#pragma once

#include "mpi/call/call_arguments.h"
#include "mpi/call/call_buffers.h"
#include "schedule/shape.h"

namespace quadrille {

// The call's buffers as the processor can read them. Without a device driver in the process, and
// for buffers in host memory, they are the user's own.
class HostCopies {
 public:
  // Throws std::bad_alloc. REQUIRES: shape_of() gave `shape` for `call` on `rank`.
  HostCopies(const CallArguments& call, const Shape& shape, Rank rank, CallBuffers& buffers);
  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;

  // MPI_ERR_OTHER where the driver did not copy what is sent.
  int code() const { return code_; }
  const CallArguments& call() const { return host_; }
  // Copies back what has been received; returns an MPI error code.
  int give_back();

 private:
  struct Copy {
    std::byte* device = nullptr;  // null: there is none
    std::byte* host = nullptr;
    std::uint64_t bytes = 0;
  };

  CallArguments host_;
  Copy received_;
  int code_ = MPI_SUCCESS;
};

}  // namespace quadrille
