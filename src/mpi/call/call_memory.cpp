// SPDX-License-Identifier: BSD-3-Clause
// User memory, staging for what is not contiguous, and the operations on elements.
#include "mpi/call/call_memory.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "mpi/call/call_buffers.h"
#include "mpi/call/datatype.h"
#include "mpi/call/self_message.h"

namespace quadrille {
namespace {

bool in_place(const CallArguments& call) { return call.send.address == MPI_IN_PLACE; }

// Elements in the whole of a buffer, of which MPI's count may be one block.
std::uint64_t elements_of(const UserBuffer& buffer, std::uint64_t blocks) {
  return static_cast<std::uint64_t>(std::max<MPI_Count>(buffer.count, 0)) * blocks;
}

// The user's receive buffer as bytes: itself, or a staging copy that take_in() fills and
// give_back() writes out.
class ReceiveSide {
 public:
  ReceiveSide(const UserBuffer& user, std::uint64_t blocks, CallBuffers& buffers)
      : user_(user), layout_(layout_of(user.type)), elements_(elements_of(user, blocks)) {
    bytes_ = layout_.contiguous ? static_cast<std::byte*>(user.address)
                                : buffers.receive_staging(size());
  }

  std::byte* bytes() const { return bytes_; }
  std::uint64_t size() const { return elements_ * layout_.size; }

  // Fills elements that hold data before the call.
  int take_in(std::uint64_t first, std::uint64_t count) {
    if (layout_.contiguous) return MPI_SUCCESS;
    const auto* from = static_cast<const std::byte*>(user_.address) +
                       static_cast<std::int64_t>(first) * layout_.extent;
    return pack(from, count, user_.type, layout_, bytes_ + first * layout_.size);
  }

  int give_back() {
    return layout_.contiguous ? MPI_SUCCESS
                              : unpack(bytes_, user_.address, elements_, user_.type, layout_);
  }

 private:
  UserBuffer user_;
  Layout layout_;
  std::uint64_t elements_;
  std::byte* bytes_;
};

int stage_send(const UserBuffer& user, std::uint64_t blocks, CallBuffers& buffers,
               const std::byte*& bytes) {
  const Layout layout = layout_of(user.type);
  const std::uint64_t elements = elements_of(user, blocks);
  if (layout.contiguous) {
    bytes = static_cast<const std::byte*>(user.address);
    return MPI_SUCCESS;
  }
  std::byte* staging = buffers.send_staging(elements * layout.size);
  bytes = staging;
  return pack(user.address, elements, user.type, layout, staging);
}

// The user's receive buffer where it is significant, else an empty one.
UserBuffer significant_receive(const CallArguments& call, const Shape& shape, Rank rank) {
  const bool is_root = rank == shape.root;
  const bool is_none = shape.collective == Collective::barrier ||
                       (shape.collective == Collective::gather && !is_root) ||
                       (shape.collective == Collective::scatter && is_root && shape.in_place);
  return is_none ? UserBuffer{nullptr, 0, MPI_BYTE} : call.receive;
}

std::uint64_t blocks_received(const Shape& shape) {
  const bool whole =
      shape.collective == Collective::bcast || shape.collective == Collective::scatter;
  return whole ? 1 : static_cast<std::uint64_t>(shape.ranks);
}

class EqualBlocks final : public CallData {
 public:
  EqualBlocks(const CallArguments& call, const Shape& shape, Rank rank, CallBuffers& buffers)
      : call_(call),
        shape_(shape),
        rank_(rank),
        buffers_(buffers),
        receive_(significant_receive(call, shape, rank), blocks_received(shape), buffers) {}

  int fill() override {
    const int code = fill_receive();
    return code == MPI_SUCCESS ? fill_send() : code;
  }
  const SharedSchedule& schedule(Planner& planner, const Candidate& candidate) override {
    return planner.schedule(shape_, candidate);
  }
  CallMemory memory(std::uint64_t scratch_length) override {
    return memory_of_bytes(send_, receive_.bytes(), buffers_.scratch(scratch_length));
  }
  int give_back() override {
    const bool unchanged = shape_.collective == Collective::bcast && rank_ == shape_.root;
    return unchanged ? MPI_SUCCESS : receive_.give_back();
  }

 private:
  int fill_send();
  int fill_receive();

  const CallArguments& call_;
  const Shape& shape_;
  Rank rank_;
  CallBuffers& buffers_;
  ReceiveSide receive_;
  const std::byte* send_ = nullptr;
};

int EqualBlocks::fill_send() {
  const auto ranks = static_cast<std::uint64_t>(shape_.ranks);
  const bool has_one_block =
      shape_.collective == Collective::allgather || shape_.collective == Collective::gather;
  if (has_one_block && !contribution_in_place(shape_, rank_))
    return stage_send(call_.send, 1, buffers_, send_);
  if (shape_.collective == Collective::scatter && rank_ == shape_.root)
    return stage_send(call_.send, ranks, buffers_, send_);
  if (shape_.collective != Collective::alltoall) return MPI_SUCCESS;
  if (!in_place(call_)) return stage_send(call_.send, ranks, buffers_, send_);
  // What arrives overwrites what has still to go out: the algorithms get a copy to send from.
  if (const int code = receive_.take_in(0, elements_of(call_.receive, ranks)); code != MPI_SUCCESS)
    return code;
  std::byte* copy = buffers_.send_staging(receive_.size());
  std::copy_n(receive_.bytes(), receive_.size(), copy);  // which may be none, of no memory
  send_ = copy;
  return MPI_SUCCESS;
}

// What the receive buffer holds before the call: the root's message of a bcast, the own block of an
// allgather or gather in place.
int EqualBlocks::fill_receive() {
  if (shape_.collective == Collective::bcast && rank_ == shape_.root)
    return receive_.take_in(0, elements_of(call_.receive, 1));
  if (shape_.collective != Collective::bcast && contribution_in_place(shape_, rank_)) {
    const std::uint64_t block = elements_of(call_.receive, 1);
    return receive_.take_in(block * static_cast<std::uint64_t>(rank_), block);
  }
  return MPI_SUCCESS;
}

}  // namespace

CallMemory memory_of_bytes(const std::byte* send, std::byte* receive, std::byte* scratch) {
  CallMemory memory;
  memory.send = send;
  memory.receive = receive;
  memory.scratch = scratch;
  memory.copy = [](const std::byte* from, std::byte* into, std::uint64_t length) {
    std::memcpy(into, from, length);
  };
  return memory;
}

std::unique_ptr<CallData> equal_blocks(const CallArguments& call, const Shape& shape, Rank rank,
                                       CallBuffers& buffers) {
  return std::make_unique<EqualBlocks>(call, shape, rank, buffers);
}

Outcome run_data_movement(Communicator& communicator, const Candidate& candidate,
                          const Shape& shape, const CallArguments& call) {
  CallBuffers& buffers = CallBuffers::of_this_thread();
  if (shape.collective == Collective::barrier) {
    const PreparedSchedule& prepared = *communicator.planner().schedule(shape, candidate);
    const CallMemory memory =
        memory_of_bytes(nullptr, nullptr, buffers.scratch(prepared.schedule().scratch_length));
    return communicator.run(prepared, memory, MPI_BYTE, call.name);
  }
  EqualBlocks data(call, shape, communicator.rank(), buffers);
  if (const int code = data.fill(); code != MPI_SUCCESS) return {code};
  const PreparedSchedule& prepared = *data.schedule(communicator.planner(), candidate);
  const CallMemory memory = data.memory(prepared.schedule().scratch_length);
  return communicator.run(prepared, memory, MPI_BYTE, call.name).then([&] {
    return data.give_back();
  });
}

namespace {

// Memory for `length` elements of a type whose data may begin before its address or run downwards.
std::byte* typed_scratch(std::uint64_t length, const Layout& layout) {
  if (length == 0) return nullptr;
  const std::int64_t last = static_cast<std::int64_t>(length - 1) * layout.extent;
  const std::int64_t lowest = std::min<std::int64_t>(last, 0) + layout.true_lower;
  const std::int64_t span = std::max(last, -last) + layout.true_extent;
  return CallBuffers::of_this_thread().scratch(static_cast<std::size_t>(span)) - lowest;
}

void copy_elements(const std::byte* from, std::byte* into, std::uint64_t length, MPI_Datatype type,
                   const Layout& layout) {
  if (layout.predefined) {
    // The last element ends where its data end: MPI_DOUBLE_INT has 12 bytes of 16.
    const auto span = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(length - 1) * layout.extent + layout.true_extent);
    std::memcpy(into, from, span);
    return;
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 30U;
  for (std::uint64_t done = 0; done < length; done += most) {
    const int now = static_cast<int>(std::min(most, length - done));
    const std::int64_t offset = static_cast<std::int64_t>(done) * layout.extent;
    message_to_self(from + offset, now, type, into + offset, now, type);
  }
}

// Combines by the MPI library, and keeps what went wrong first for the end of the call.
class Combining {
 public:
  Combining(MPI_Datatype type, MPI_Op op, std::int64_t extent)
      : type_(type), op_(op), extent_(extent) {}

  void operator()(const std::byte* from, std::byte* into, std::uint64_t length) try {
    constexpr std::uint64_t most = std::uint64_t{1} << 30U;
    for (std::uint64_t done = 0; done < length; done += most) {
      const int now = static_cast<int>(std::min(most, length - done));
      const std::int64_t offset = static_cast<std::int64_t>(done) * extent_;
      const int code = PMPI_Reduce_local(from + offset, into + offset, now, type_, op_);
      if (code_ == MPI_SUCCESS) code_ = code;
    }
  } catch (...) {  // the program's own operation may
    if (!thrown_) thrown_ = std::current_exception();
  }

  // The MPI error code of all that was combined.
  int end() const {
    if (thrown_) throw LeftByException(thrown_);
    return code_;
  }

 private:
  MPI_Datatype type_;
  MPI_Op op_;
  std::int64_t extent_;
  int code_ = MPI_SUCCESS;
  std::exception_ptr thrown_;
};

}  // namespace

Outcome run_reduction(Communicator& communicator, const PreparedSchedule& prepared,
                      const Shape& shape, const CallArguments& call) {
  const Layout layout = layout_of(call.send.type);
  CallMemory memory;
  memory.element_stride = layout.extent;
  memory.send = shape.in_place ? nullptr : static_cast<const std::byte*>(call.send.address);
  memory.receive = static_cast<std::byte*>(call.receive.address);
  memory.scratch = typed_scratch(prepared.schedule().scratch_length, layout);
  memory.copy = [&](const std::byte* from, std::byte* into, std::uint64_t length) {
    copy_elements(from, into, length, call.send.type, layout);
  };
  Combining combining(call.send.type, call.op, layout.extent);
  memory.reduce = std::ref(combining);
  return communicator.run(prepared, memory, call.send.type, call.name, call.op).then([&] {
    return combining.end();
  });
}

}  // namespace quadrille
