// SPDX-License-Identifier: BSD-3-Clause
// Messages over the MPI library's own point-to-point calls, on the shadow communicator. Always
// there, on every network; waiting in it drives the MPI library's progress, so a peer that depends
// on a pending operation of ours goes on.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "executor/transport.h"

namespace quadrille {

class MpiPointToPoint final : public Transport {
 public:
  // One call's messages: `shadow_ranks[rank]` is a communicator rank's rank on `shadow`.
  struct Call {
    MPI_Comm shadow;
    int tag;
    int unused_tag;  // of no message on `shadow`, ever
    MPI_Datatype element;
    std::span<const int> shadow_ranks;
    MPI_Comm group = MPI_COMM_NULL;  // of the ranks of group steps, in their order
    MPI_Op op = MPI_OP_NULL;         // of reductions on it
  };

  MpiPointToPoint() = default;
  MpiPointToPoint(const MpiPointToPoint&) = delete;
  MpiPointToPoint& operator=(const MpiPointToPoint&) = delete;
  ~MpiPointToPoint() override = default;

  // REQUIRES: no message under way. What `call` refers to outlives the call.
  void begin(const Call& call);
  // Withdraws what is under way after an error.
  void abandon();
  // The MPI error code behind the last failure; also that of a message which has come, but was
  // longer or shorter than its receiver expected: the call goes on then, as others wait for this
  // rank.
  int mpi_error() const { return mpi_error_; }

  Result<bool> start_send(StepIndex step, Rank peer, const void* address,
                          std::uint64_t length) override;
  Result<bool> start_receive(StepIndex step, Rank peer, void* address,
                             std::uint64_t length) override;
  Result<bool> start_group_bcast(StepIndex step, Rank root, void* data,
                                 std::uint64_t length) override;
  Result<bool> start_group_reduce(StepIndex step, Rank root, const void* from, void* into,
                                  std::uint64_t length) override;
  Result<std::size_t> poll(std::span<StepIndex> completed) override;
  Carrier carrier_of(const Step&) const override { return Carrier::mpi_library; }
  void progress() override;

 private:
  enum class Kind : std::uint8_t { send, receive, group };
  struct Message {  // or a piece of one
    StepIndex step = 0;
    Kind kind = Kind::send;
    int elements = 0;
  };
  template <typename Start>
  Result<bool> start(StepIndex step, std::uint64_t length, Kind kind, Start&& start_piece);
  // Of `offset` elements.
  std::uint64_t bytes_before(std::uint64_t offset) const;
  Error failure(const char* what, int code);
  bool is_too_short(const Message& message, const MPI_Status& status) const;
  int add_what_was_freed(int done);
  bool last_piece_done(StepIndex step);

  Call call_{};
  // A slot a request; completed slots are swapped with the last, so the arrays stay dense.
  std::vector<MPI_Request> requests_;
  std::vector<Message> messages_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<std::pair<StepIndex, std::uint32_t>>
      split_;  // steps of several pieces, with those still out
  int mpi_error_ = MPI_SUCCESS;
  bool elements_have_bytes_ = true;
};

}  // namespace quadrille
