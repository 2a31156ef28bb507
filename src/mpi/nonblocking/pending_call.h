// SPDX-License-Identifier: BSD-3-Clause
// A nonblocking collective between its start and its completion: what it keeps of the program's
// arguments, of which only the buffers have to last, and the memory that it needs beside them.
// What asks the MPI library is done by the program's threads, when they start and complete it.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "executor/background_calls.h"
#include "mpi/call/call_arguments.h"
#include "mpi/call/call_buffers.h"
#include "mpi/call/call_memory.h"
#include "mpi/call/device_memory.h"
#include "planner/planner.h"
#include "schedule/shape.h"

namespace quadrille {

class PendingCall {
 public:
  // `after` is called when the data have come. REQUIRES: shape_of() gave `shape`, and where
  // data are combined, own_combination() can.
  PendingCall(const CallArguments& call, const Shape& shape, std::function<void()> after);
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  ~PendingCall();

  // Packs what is to be sent and lays the schedule over the memory; returns an MPI error code. May
  // throw std::bad_alloc.
  int prepare(Planner& planner, const Candidate& candidate, Rank rank);
  // REQUIRES: prepare().
  const std::shared_ptr<BackgroundCall>& background() const { return background_; }
  // Brings what has come to where the program wants it; returns the MPI error code of the call.
  // REQUIRES: background()->is_done(), without an error.
  int complete();

  const char* name() const { return call_.name; }
  Collective collective() const { return shape_.collective; }

 private:
  int keep_received_types(Rank rank);
  int keep_types(UserBlocks& blocks);
  int keep(MPI_Datatype& type);

  CallArguments call_;
  Shape shape_;
  std::function<void()> after_;
  std::vector<MPI_Datatype> types_;  // copies of the program's, which it may free meanwhile
  std::vector<MPI_Datatype> received_types_;  // where each block has its own
  CallBuffers buffers_;
  std::optional<HostCopies> host_;
  std::unique_ptr<CallData> data_;
  std::shared_ptr<BackgroundCall> background_;
};

}  // namespace quadrille
