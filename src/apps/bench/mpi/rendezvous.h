// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a communicator meet between timed calls: everyone's report travels up a
// binomial tree to rank 0, which decides, and its order travels down. Ranks sleep while they wait.
// Only PMPI point-to-point messages on a communicator of their own are used, so nothing here is
// intercepted or measured.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <limits>

#include "wire/flow/flow_statistics.h"

namespace quadrille::bench {

// What a rank has to say of its latest timed call. Instants are shared time in ns. Reports merge:
// the latest end, the largest lateness, the sum of what it cost, and so on, over all ranks.
struct Report {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

  std::int64_t last_end = kNone;
  std::int64_t last_receipt = kNone;  // ends of those ranks where a rooted operation's data arrives
  std::int64_t root_start = kNone;    // reported by the root alone
  std::int64_t lateness = kNone;      // start after the planned instant, ns
  std::int64_t local_duration = kNone;  // end - start on one clock, ns
  std::int64_t negative_slack = kNone;  // -(instant - arrival of the order that named it), ns
  std::int64_t wrong = 0;               // results that did not verify
  wire::FlowStatistics flows{};         // what the call cost on the wire

  void merge(const Report& other);
};

struct Order {
  std::int64_t instant = 0;  // shared time in ns at which the next call starts
  std::int64_t number = 0;   // what rank 0 decided: calls to make, or whether to go on
};

class Rendezvous {
 public:
  // Duplicates `communicator` by PMPI; collective.
  explicit Rendezvous(MPI_Comm communicator);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  // Returns rank 0's order on every rank. `decide` is called on rank 0 alone, with all reports
  // merged.
  Order meet(const Report& mine, const std::function<Order(const Report&)>& decide);
  // The same for orders without an instant.
  std::int64_t agree(const Report& mine, const std::function<std::int64_t(const Report&)>& decide);

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
};

// Waits for `request` in sleeping steps that drive the MPI library's progress.
void complete(MPI_Request* request);

}  // namespace quadrille::bench
