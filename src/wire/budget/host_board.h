// SPDX-License-Identifier: BSD-3-Clause
// The credit board of a host: one for each job, user and address, found by whoever draws on it -
// the wire under collectives and the libfabric provider, each in every rank - without any of them
// having started the others.
//
// Each holder has a name of its own, bound to an abstract Unix socket: the kernel gives it to one
// of a network namespace, and takes it back when that one ends, however it ends. A name leads to
// its process, and a file that this one keeps open, a memfd(2), is the board: it is there as long
// as anybody holds it, and leaves nothing behind. The system lets in those whom it would let look
// into the process.
//
// Thread rule: the board is for all at once; the rest belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "wire/budget/credit_budget.h"
#include "wire/links/descriptor.h"
#include "wire/seal/keys.h"

namespace quadrille::wire {

class HostBoard {
 public:
  // Of the host's interface with that address. Null where the system gives none, where a holder's
  // is not to be had (other ranks' processes are hidden from this one), or where all places are
  // taken. REQUIRES: start_cryptography() has returned true.
  static std::unique_ptr<HostBoard> join(const Secret& job, std::uint32_t address);
  HostBoard(const HostBoard&) = delete;
  HostBoard& operator=(const HostBoard&) = delete;
  // REQUIRES: no CreditBudget on it any more.
  ~HostBoard();

  CreditBoard& board() const { return *board_; }
  std::size_t holder() const { return holder_; }
  // The same for holders of the same board, never 0.
  std::uint64_t identity() const { return identity_; }

 private:
  HostBoard(CreditBoard& board, Descriptor memory, Descriptor name, std::size_t holder);

  CreditBoard* board_;
  Descriptor memory_;  // where others find it
  Descriptor name_;
  std::size_t holder_;
  std::uint64_t identity_ = 0;
};

}  // namespace quadrille::wire
