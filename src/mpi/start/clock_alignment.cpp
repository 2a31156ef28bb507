// SPDX-License-Identifier: BSD-3-Clause
// The two ranks that exchange poll without sleeping, because a sleep in the exchange would be
// uncertainty in the estimate; all others sleep until it is their turn.
#include "mpi/start/clock_alignment.h"

#include <sched.h>
#include <time.h>

#include <array>

#include "base/monotonic_clock.h"

namespace quadrille {
namespace {

constexpr int kClockTag = 3;

// Until another rank's turn is over.
void await_turn(MPI_Request* request) {
  constexpr timespec pause{0, 200'000};
  for (int done = 0; done == 0;) {
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done == 0) nanosleep(&pause, nullptr);
  }
}

void await(MPI_Request* request) {
  for (int done = 0; done == 0;) {
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done == 0) sched_yield();
  }
}

void send(std::int64_t* word, int count, int to, MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Isend(word, count, MPI_INT64_T, to, kClockTag, communicator, &request);
  await(&request);
}

std::int64_t exchange(int peer, MPI_Comm communicator, std::int64_t* asked,
                      std::int64_t* answered) {
  std::int64_t remote = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(&remote, 1, MPI_INT64_T, peer, kClockTag, communicator, &request);
  *asked = monotonic_now().value;
  send(asked, 1, peer, communicator);
  await(&request);
  *answered = monotonic_now().value;
  return remote;
}

void measure_peer(int peer, int exchanges, MPI_Comm communicator) {
  OffsetEstimate best{.at_ns = 0, .offset_ns = 0, .uncertainty_ns = INT64_MAX};
  for (int turn = 0; turn < exchanges; ++turn) {
    std::int64_t asked = 0, answered = 0;
    const std::int64_t remote = exchange(peer, communicator, &asked, &answered);
    const auto estimate = estimate_from(asked, remote, answered);
    if (estimate.uncertainty_ns < best.uncertainty_ns) best = estimate;
  }
  std::array<std::int64_t, 3> words{best.at_ns, best.offset_ns, best.uncertainty_ns};
  send(words.data(), 3, peer, communicator);
}

OffsetEstimate answer_root(int exchanges, MPI_Comm communicator) {
  for (int turn = 0; turn < exchanges; ++turn) {
    std::int64_t word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(&word, 1, MPI_INT64_T, 0, kClockTag, communicator, &request);
    if (turn == 0) {
      await_turn(&request);
    } else {
      await(&request);
    }
    word = monotonic_now().value;
    send(&word, 1, 0, communicator);
  }
  std::array<std::int64_t, 3> words{};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(words.data(), 3, MPI_INT64_T, 0, kClockTag, communicator, &request);
  await(&request);
  return {.at_ns = words[0], .offset_ns = words[1], .uncertainty_ns = words[2]};
}

}  // namespace

OffsetEstimate measure_offset(MPI_Comm communicator, int exchanges) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  if (rank != 0) return answer_root(exchanges, communicator);
  for (int peer = 1; peer < ranks; ++peer) measure_peer(peer, exchanges, communicator);
  return {.at_ns = monotonic_now().value, .offset_ns = 0, .uncertainty_ns = 0};
}

}  // namespace quadrille
