// SPDX-License-Identifier: BSD-3-Clause
// PMPI_Isend, PMPI_Irecv, PMPI_Ibcast, PMPI_Ireduce and PMPI_Testsome; what has more than 2^30
// elements goes in pieces.
#include "mpi/communicator/mpi_p2p.h"

#include <algorithm>
#include <string>

namespace quadrille {
namespace {

// MPI-3 counts are int; both ends cut a message at the same places.
constexpr std::uint64_t largest_piece = std::uint64_t{1} << 30;

}  // namespace

void MpiPointToPoint::begin(const Call& call) {
  call_ = call;
  mpi_error_ = MPI_SUCCESS;
  int element_bytes = 0;
  PMPI_Type_size(call.element, &element_bytes);
  elements_have_bytes_ = element_bytes > 0;
}

void MpiPointToPoint::abandon() {
  for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
    // A collective cannot be withdrawn.
    if (requests_[slot] == MPI_REQUEST_NULL || messages_[slot].kind == Kind::group) continue;
    PMPI_Cancel(&requests_[slot]);
    PMPI_Request_free(&requests_[slot]);
  }
  requests_.clear();
  messages_.clear();
  split_.clear();
}

Error MpiPointToPoint::failure(const char* what, int code) {
  mpi_error_ = code;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return {ErrorKind::system, std::string(what) + ": " + text};
}

template <typename Start>
Result<bool> MpiPointToPoint::start(StepIndex step, std::uint64_t length, Kind kind,
                                    Start&& start_piece) {
  std::uint32_t pieces = 0;
  std::uint64_t offset = 0;
  do {
    const std::uint64_t piece = std::min(length - offset, largest_piece);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = start_piece(offset, static_cast<int>(piece), &request);
    if (code != MPI_SUCCESS) return failure("cannot start a message", code);
    requests_.push_back(request);
    messages_.push_back({step, kind, static_cast<int>(piece)});
    offset += piece;
    ++pieces;
  } while (offset < length);
  if (pieces > 1) split_.emplace_back(step, pieces);
  return true;
}

std::uint64_t MpiPointToPoint::bytes_before(std::uint64_t offset) const {
  if (offset == 0) return 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 1;
  PMPI_Type_get_extent(call_.element, &lower, &extent);
  return offset * static_cast<std::uint64_t>(extent);
}

Result<bool> MpiPointToPoint::start_send(StepIndex step, Rank peer, const void* address,
                                         std::uint64_t length) {
  return start(
      step, length, Kind::send, [&](std::uint64_t offset, int count, MPI_Request* request) {
        return PMPI_Isend(static_cast<const std::byte*>(address) + bytes_before(offset), count,
                          call_.element, call_.shadow_ranks[static_cast<std::size_t>(peer)],
                          call_.tag, call_.shadow, request);
      });
}

Result<bool> MpiPointToPoint::start_receive(StepIndex step, Rank peer, void* address,
                                            std::uint64_t length) {
  return start(
      step, length, Kind::receive, [&](std::uint64_t offset, int count, MPI_Request* request) {
        return PMPI_Irecv(static_cast<std::byte*>(address) + bytes_before(offset), count,
                          call_.element, call_.shadow_ranks[static_cast<std::size_t>(peer)],
                          call_.tag, call_.shadow, request);
      });
}

Result<bool> MpiPointToPoint::start_group_bcast(StepIndex step, Rank root, void* data,
                                                std::uint64_t length) {
  return start(step, length, Kind::group,
               [&](std::uint64_t offset, int count, MPI_Request* request) {
                 return PMPI_Ibcast(static_cast<std::byte*>(data) + bytes_before(offset), count,
                                    call_.element, root, call_.group, request);
               });
}

Result<bool> MpiPointToPoint::start_group_reduce(StepIndex step, Rank root, const void* from,
                                                 void* into, std::uint64_t length) {
  return start(step, length, Kind::group,
               [&](std::uint64_t offset, int count, MPI_Request* request) {
                 const std::uint64_t bytes = bytes_before(offset);
                 return PMPI_Ireduce(static_cast<const std::byte*>(from) + bytes,
                                     static_cast<std::byte*>(into) + bytes, count, call_.element,
                                     call_.op, root, call_.group, request);
               });
}

// A probe that finds a message returns at once, without progress, in every MPI library, and a
// neighbour's next message may always be there: so the probe is for what nobody sends.
void MpiPointToPoint::progress() {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, call_.unused_tag, call_.shadow, &found, MPI_STATUS_IGNORE);
}

// The MPI library reports those alone that are too long.
bool MpiPointToPoint::is_too_short(const Message& message, const MPI_Status& status) const {
  if (message.kind != Kind::receive || !elements_have_bytes_) return false;
  int came = 0;
  return PMPI_Get_count(&status, call_.element, &came) == MPI_SUCCESS && came != MPI_UNDEFINED &&
         came < message.elements;
}

// Where one message has an error Open MPI 4.1 frees each request of the list whose status names
// one, and that of a message under way may name an old one (ompi_errhandler_request_invoke): such a
// message goes on by itself, and nobody is told when it is done. Of a call that returns an error it
// counts as done.
int MpiPointToPoint::add_what_was_freed(int done) {
  const auto told = indices_.begin() + done;
  for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
    const int index = static_cast<int>(slot);
    if (requests_[slot] != MPI_REQUEST_NULL || std::find(indices_.begin(), told, index) != told)
      continue;
    indices_[static_cast<std::size_t>(done++)] = index;
  }
  return done;
}

bool MpiPointToPoint::last_piece_done(StepIndex step) {
  const auto entry =
      std::find_if(split_.begin(), split_.end(), [&](const auto& e) { return e.first == step; });
  if (entry == split_.end()) return true;
  if (--entry->second > 0) return false;
  split_.erase(entry);
  return true;
}

Result<std::size_t> MpiPointToPoint::poll(std::span<StepIndex> completed) {
  if (requests_.empty()) return std::size_t{0};
  const std::size_t pending = requests_.size();
  indices_.resize(pending);
  statuses_.resize(pending);
  int done = 0;
  const int code = PMPI_Testsome(static_cast<int>(pending), requests_.data(), &done,
                                 indices_.data(), statuses_.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (int i = 0; i < done; ++i) {
      const int error = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
      if (error == MPI_SUCCESS) continue;
      int error_class = error;
      PMPI_Error_class(error, &error_class);
      if (error_class != MPI_ERR_TRUNCATE) return failure("a message failed", error);
      mpi_error_ = error;
    }
  } else if (code != MPI_SUCCESS) {
    return failure("cannot test messages", code);
  }
  if (done <= 0) return std::size_t{0};
  const int with_status = done;
  if (code == MPI_ERR_IN_STATUS) done = add_what_was_freed(done);
  std::size_t reported = 0;
  for (int i = 0; i < done; ++i) {
    const Message& message =
        messages_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])];
    if (i < with_status && is_too_short(message, statuses_[static_cast<std::size_t>(i)]))
      mpi_error_ = MPI_ERR_TRUNCATE;
    if (last_piece_done(message.step)) completed[reported++] = message.step;
  }
  // From the highest slot down, so that the slot swapped in has not been freed itself.
  std::sort(indices_.begin(), indices_.begin() + done, std::greater<>());
  for (int i = 0; i < done; ++i) {
    const auto slot = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    requests_[slot] = requests_.back();
    messages_[slot] = messages_.back();
    requests_.pop_back();
    messages_.pop_back();
  }
  return reported;
}

}  // namespace quadrille
