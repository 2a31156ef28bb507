// SPDX-License-Identifier: BSD-3-Clause
// A nonblocking collective between its start and its completion: what it keeps of the program's
// arguments, of which only the buffers have to last, and the memory that it needs beside them.
// What asks the MPI library is done by the program's threads, when they start and complete it.
// A persistent one is started again and again.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "executor/background_calls.h"
#include "mpi/call/call_arguments.h"
#include "mpi/call/call_buffers.h"
#include "mpi/call/call_memory.h"
#include "mpi/device/device_memory.h"
#include "mpi/nonblocking/kept_arrays.h"
#include "planner/planner.h"
#include "schedule/shape.h"

namespace quadrille {

class PendingCall {
 public:
  // What is called before what is sent is looked at, and when data have come. Either may be empty.
  struct Hooks {
    std::function<void()> before;
    std::function<void()> after;
  };

  // REQUIRES: shape_of() gave `shape`, and where data are combined, own_combination() can.
  PendingCall(const CallArguments& call, const Shape& shape, Rank rank)
      : call_(call), shape_(shape), rank_(rank) {}
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  ~PendingCall();

  // REQUIRES: begin() was not called.
  void use(Hooks hooks) { hooks_ = std::move(hooks); }

  // The functions here return MPI error codes; each of them may throw std::bad_alloc.
  // Of a persistent call, first: keeps types and arrays for as long as this lives.
  int keep_arguments();
  // Finds the schedule. Nothing is sent or received.
  int prepare(Planner& planner, const Candidate& candidate);
  // Packs what is to be sent and lays the schedule over the memory. REQUIRES: prepare(), and
  // complete() after the last time.
  int begin();
  // REQUIRES: begin().
  const std::shared_ptr<BackgroundCall>& background() const { return background_; }
  // Brings what has come to where the program wants it; returns the MPI error code of the call.
  // REQUIRES: background()->is_done(), without an error.
  int complete();

  const char* name() const { return call_.name; }
  Collective collective() const { return shape_.collective; }

 private:
  int keep_received_types();
  int keep_sent_types();
  int keep_types(UserBlocks& blocks, std::vector<MPI_Datatype>& of_blocks);
  int keep(MPI_Datatype& type);
  void lay_out();

  CallArguments call_;
  Shape shape_;
  Rank rank_;
  Hooks hooks_;
  bool is_repeated_ = false;
  std::vector<MPI_Datatype> types_;       // copies of the program's, which it may free meanwhile
  std::vector<MPI_Datatype> sent_types_;  // where each block has its own
  std::vector<MPI_Datatype> received_types_;
  KeptArrays sent_arrays_;
  KeptArrays received_arrays_;
  CallBuffers buffers_;
  std::optional<HostCopies> host_;
  std::unique_ptr<CallData> data_;
  SharedSchedule schedule_;
  std::shared_ptr<BackgroundCall> background_;
};

}  // namespace quadrille
