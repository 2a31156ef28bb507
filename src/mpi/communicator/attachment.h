// SPDX-License-Identifier: BSD-3-Clause
// What hangs on each intra-communicator of two or more ranks, as an attribute of it, from its first
// collective on, however the program has made it. It is little, and made without a message, until a
// collective is called for which there may be an algorithm: then the ranks compare what the MPI
// library has told each of them about the communicator and agree on a context number. Where it
// contradicts itself, or a rank cannot work on it, all leave the communicator to the library.
//
// Thread rule: MPI allows one thread at a time in a communicator's collectives; so is this.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "mpi/communicator/communicator.h"
#include "mpi/communicator/neighbourhood.h"
#include "schedule/shape.h"

namespace quadrille {

class Attachment {
 public:
  // Of `handle`; null for MPI_COMM_NULL, inter-communicators and single ranks, whose collectives
  // are forwarded. Sends nothing. Throws std::bad_alloc.
  static Attachment* find(MPI_Comm handle);

  // The attribute's delete callback.
  static int forget(MPI_Comm handle, int key, void* state, void* extra) noexcept;

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }

  // Why calls of `shape` are left to the MPI library whatever the communicator is like; null where
  // that is to be found out. The same on all ranks.
  const char* reason_to_leave(const Shape& shape) const;

  // Null where it has no topology. Sends nothing; may throw std::bad_alloc.
  const Neighbourhood* neighbourhood(bool in_nonblocking_calls);

  // Null where the communicator is left to the MPI library, on all of its ranks. Collective over
  // it when called for the first time, as part of the program's call `operation`.
  Communicator* communicator(const char* operation);
  // The same without agreeing: null, too, where the ranks have not agreed yet.
  Communicator* agreed_communicator() const { return communicator_.get(); }

 private:
  Attachment(MPI_Comm handle, Rank rank, Rank size, bool is_consistent)
      : handle_(handle), rank_(rank), size_(size), is_consistent_(is_consistent) {}
  static Attachment* attach(MPI_Comm handle);
  static Attachment* nobodys();
  void agree(const char* operation);
  void report_long_wait(const char* operation) const;

  MPI_Comm handle_;
  Rank rank_;
  Rank size_;
  bool is_consistent_;  // its size and its group's
  bool has_agreed_ = false;
  std::optional<Neighbourhood> neighbourhood_;  // once asked for
  std::optional<Neighbourhood> neighbourhood_of_nonblocking_;
  std::unique_ptr<Communicator> communicator_;
};

}  // namespace quadrille
