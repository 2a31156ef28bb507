// SPDX-License-Identifier: BSD-3-Clause
// Calls that are left to the MPI library for good, or until their trial is held again, recognised
// by their arguments alone: what is small is called often, and where ranks outnumber cores each
// call begins with cold caches. Looking one up reads a few cache lines; deciding again reads some
// dozens, the MPI library's among them.
//
// Each thread keeps its own. An entry holds while no communicator has been freed since, and is made
// only of arguments whose handles no other object can get: predefined datatypes and operations.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "mpi/call/call_arguments.h"
#include "planner/agree/trial.h"

namespace quadrille {

class ForwardCache {
 public:
  static ForwardCache& of_this_thread();
  // On any thread, before the handle of a communicator may name another one, and where the next
  // call of one has something to exchange: which calls a rank has kept is its own affair.
  static void forget_all() { epoch.fetch_add(1, std::memory_order_release); }

  // Why such a call is left to the MPI library; null where nothing is known of it. The call counts
  // in its trial.
  const char* reason(const CallArguments& call) const;
  // `reason` has to last, and `trial` until forget_all(). Nothing is kept of calls with other than
  // predefined handles. REQUIRES: the arguments are valid; all calls with such arguments on the
  // communicator will be left: for good, or with a trial as long as it is settled.
  void keep(const CallArguments& call, Rank rank, const char* reason, Trial* trial = nullptr);

 private:
  struct Entry {
    const char* reason = nullptr;
    Trial* trial = nullptr;
    std::uint64_t epoch = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype send_type = MPI_DATATYPE_NULL;
    MPI_Datatype receive_type = MPI_DATATYPE_NULL;
    MPI_Count send_count = 0;
    MPI_Count receive_count = 0;
    int root = 0;
    Collective collective = Collective::barrier;
    bool send_in_place = false;
    bool receive_in_place = false;

    bool operator==(const Entry&) const = default;
  };

  static Entry described(const CallArguments& call);
  static std::size_t place_of(const Entry& entry);

  static inline std::atomic<std::uint64_t> epoch{1};
  std::array<Entry, 16> entries_{};
};

}  // namespace quadrille
