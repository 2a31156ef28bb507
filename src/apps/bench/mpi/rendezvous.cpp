// SPDX-License-Identifier: BSD-3-Clause
// A binomial tree over ranks: the parent of a rank is the rank without its lowest set bit.
#include "apps/bench/mpi/rendezvous.h"

#include <algorithm>

#include "apps/bench/waiting.h"

namespace quadrille::bench {
namespace {

constexpr int kReportTag = 1;
constexpr int kOrderTag = 2;
// Both travel as these many 64-bit words.
constexpr int kReportWords = 12;
constexpr int kOrderWords = 2;
static_assert(sizeof(Report) == kReportWords * sizeof(std::int64_t));
static_assert(sizeof(Order) == kOrderWords * sizeof(std::int64_t));

void send(const void* words, int count, int to, int tag, MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Isend(words, count, MPI_INT64_T, to, tag, communicator, &request);
  complete(&request);
}

void receive(void* words, int count, int from, int tag, MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(words, count, MPI_INT64_T, from, tag, communicator, &request);
  complete(&request);
}

}  // namespace

void complete(MPI_Request* request) {
  PollingPause waiting;
  int done = 0;
  PMPI_Test(request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    waiting.pause();
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
  }
}

void Report::merge(const Report& other) {
  last_end = std::max(last_end, other.last_end);
  last_receipt = std::max(last_receipt, other.last_receipt);
  root_start = std::max(root_start, other.root_start);
  lateness = std::max(lateness, other.lateness);
  local_duration = std::max(local_duration, other.local_duration);
  negative_slack = std::max(negative_slack, other.negative_slack);
  wrong += other.wrong;
  flows += other.flows;
}

Rendezvous::Rendezvous(MPI_Comm communicator) {
  PMPI_Comm_dup(communicator, &communicator_);
  PMPI_Comm_rank(communicator_, &rank_);
  PMPI_Comm_size(communicator_, &ranks_);
}

Rendezvous::~Rendezvous() { PMPI_Comm_free(&communicator_); }

Order Rendezvous::meet(const Report& mine, const std::function<Order(const Report&)>& decide) {
  Report merged = mine;
  int bit = 1;
  for (; bit < ranks_ && (rank_ & bit) == 0; bit <<= 1) {
    if (rank_ + bit >= ranks_) continue;
    Report theirs;
    receive(&theirs, kReportWords, rank_ + bit, kReportTag, communicator_);
    merged.merge(theirs);
  }
  Order order;
  if (rank_ == 0) {
    order = decide(merged);
  } else {
    send(&merged, kReportWords, rank_ - bit, kReportTag, communicator_);
    receive(&order, kOrderWords, rank_ - bit, kOrderTag, communicator_);
  }
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (rank_ + bit < ranks_) send(&order, kOrderWords, rank_ + bit, kOrderTag, communicator_);
  }
  return order;
}

std::int64_t Rendezvous::agree(const Report& mine,
                               const std::function<std::int64_t(const Report&)>& decide) {
  return meet(mine,
              [&](const Report& merged) { return Order{.instant = 0, .number = decide(merged)}; })
      .number;
}

}  // namespace quadrille::bench
