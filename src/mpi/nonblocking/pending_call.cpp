// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/nonblocking/pending_call.h"

#include <cstring>

#include "mpi/call/datatype.h"
#include "mpi/call/vector_collective.h"
#include "mpi/nonblocking/combination.h"

namespace quadrille {
namespace {

// Elements are the user's, combined where they lie.
class CombinedData final : public CallData {
 public:
  CombinedData(const CallArguments& call, const Shape& shape, CallBuffers& buffers)
      : call_(call), shape_(shape), buffers_(buffers) {}

  int fill() override { return MPI_SUCCESS; }
  const SharedSchedule& schedule(Planner& planner, const Candidate& candidate) override {
    if (shape_.collective != Collective::reduce_scatter) return planner.schedule(shape_, candidate);
    return planner.schedule(shape_, candidate, combined_blocks(call_, shape_.ranks));
  }
  CallMemory memory(std::uint64_t scratch_length) override {
    const std::size_t bytes = shape_.element_bytes;
    CallMemory memory;
    memory.element_stride = static_cast<std::int64_t>(bytes);
    memory.send = shape_.in_place ? nullptr : static_cast<const std::byte*>(call_.send.address);
    memory.receive = static_cast<std::byte*>(call_.receive.address);
    memory.scratch = buffers_.scratch(scratch_length * bytes);
    memory.copy = [bytes](const std::byte* from, std::byte* into, std::uint64_t length) {
      std::memcpy(into, from, length * bytes);
    };
    memory.reduce = own_combination(call_.op, call_.send.type);
    return memory;
  }
  int give_back() override { return MPI_SUCCESS; }

 private:
  const CallArguments& call_;
  const Shape& shape_;
  CallBuffers& buffers_;
};

}  // namespace

PendingCall::~PendingCall() {
  for (MPI_Datatype& type : types_) PMPI_Type_free(&type);
}

int PendingCall::keep(MPI_Datatype& type) {
  if (type == MPI_DATATYPE_NULL || is_predefined_type(type) ||
      combiner_of(type) == MPI_COMBINER_NAMED)
    return MPI_SUCCESS;
  types_.reserve(types_.size() + 1);
  const int code = PMPI_Type_dup(type, &type);
  if (code == MPI_SUCCESS) types_.push_back(type);
  return code;
}

// Where no block has elements, what says of which type they are may be none.
int PendingCall::keep_types(UserBlocks& blocks, std::vector<MPI_Datatype>& of_blocks) {
  const Rank number = blocks.number(shape_.ranks);
  if (!blocks.type_a_block) {
    for (Rank block = 0; block < number; ++block) {
      if (blocks.count(block) > 0) return keep(blocks.one_type);
    }
    return MPI_SUCCESS;
  }
  for (Rank block = 0; block < number; ++block) {
    const std::size_t place = blocks.place(block);
    if (of_blocks.size() <= place) of_blocks.resize(place + 1, MPI_DATATYPE_NULL);
    if (blocks.count(block) <= 0) continue;
    MPI_Datatype type = blocks.type(block);
    if (const int code = keep(type); code != MPI_SUCCESS) return code;
    of_blocks[place] = type;
  }
  blocks.types = of_blocks.data();
  return MPI_SUCCESS;
}

int PendingCall::keep_received_types() {
  if (is_reducing(shape_.collective)) return MPI_SUCCESS;
  const bool is_root = rank_ == shape_.root;
  switch (shape_.collective) {
    case Collective::barrier:
      return MPI_SUCCESS;
    case Collective::gather:
      return is_root ? keep(call_.receive.type) : MPI_SUCCESS;
    case Collective::scatter:
    case Collective::scatterv:
      return shape_.in_place ? MPI_SUCCESS : keep(call_.receive.type);
    case Collective::gatherv:
      return is_root ? keep_types(call_.receive_blocks, received_types_) : MPI_SUCCESS;
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return keep_types(call_.receive_blocks, received_types_);
    default:
      return keep(call_.receive.type);
  }
}

int PendingCall::keep_sent_types() {
  const bool is_root = rank_ == shape_.root;
  switch (shape_.collective) {
    case Collective::scatterv:
      return is_root ? keep_types(call_.send_blocks, sent_types_) : MPI_SUCCESS;
    case Collective::alltoallv:
    case Collective::neighbor_alltoallv:
      return call_.send_blocks.address == MPI_IN_PLACE ? MPI_SUCCESS
                                                       : keep_types(call_.send_blocks, sent_types_);
    case Collective::scatter:
      return is_root ? keep(call_.send.type) : MPI_SUCCESS;
    case Collective::allgather:
    case Collective::gather:
    case Collective::allgatherv:
    case Collective::gatherv:
    case Collective::alltoall:
      return call_.send.address == MPI_IN_PLACE ? MPI_SUCCESS : keep(call_.send.type);
    default:  // types of combined data are the MPI library's own
      return MPI_SUCCESS;
  }
}

int PendingCall::keep_arguments() {
  is_repeated_ = true;
  const bool is_root = rank_ == shape_.root;
  const bool has_send_arrays =
      has_send_blocks(shape_.collective) && (is_root || shape_.collective != Collective::scatterv);
  const bool has_receive_arrays = has_receive_blocks(shape_.collective) &&
                                  (is_root || shape_.collective != Collective::gatherv);
  if ((has_send_arrays && call_.send_blocks.address != MPI_IN_PLACE) ||
      shape_.collective == Collective::reduce_scatter)
    sent_arrays_.keep(call_.send_blocks, shape_.ranks);
  if (has_receive_arrays) received_arrays_.keep(call_.receive_blocks, shape_.ranks);
  return keep_sent_types();
}

void PendingCall::lay_out() {
  host_.emplace(call_, shape_, rank_, buffers_);
  if (is_reducing(shape_.collective)) {
    data_ = std::make_unique<CombinedData>(host_->call(), shape_, buffers_);
  } else {
    data_ = has_counts(shape_.collective) ? vector_blocks(host_->call(), shape_, rank_, buffers_)
                                          : equal_blocks(host_->call(), shape_, rank_, buffers_);
  }
}

int PendingCall::prepare(Planner& planner, const Candidate& candidate) {
  if (const int code = keep_received_types(); code != MPI_SUCCESS) return code;
  lay_out();
  schedule_ = data_->schedule(planner, candidate);
  if (is_repeated_) data_.reset();  // what is in the buffers now is not what will be sent
  return MPI_SUCCESS;
}

int PendingCall::begin() {
  if (hooks_.before) hooks_.before();
  if (data_ == nullptr) lay_out();
  if (host_->code() != MPI_SUCCESS) return host_->code();
  if (const int code = data_->fill(); code != MPI_SUCCESS) return code;
  background_ = std::make_shared<BackgroundCall>(
      schedule_, data_->memory(schedule_->schedule().scratch_length));
  return MPI_SUCCESS;
}

int PendingCall::complete() {
  if (background_->is_truncated()) return MPI_ERR_TRUNCATE;
  int code = data_->give_back();
  if (code == MPI_SUCCESS) code = host_->give_back();
  if (hooks_.after) hooks_.after();
  data_.reset();
  return code;
}

}  // namespace quadrille
