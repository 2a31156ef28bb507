/* SPDX-License-Identifier: BSD-3-Clause
 * persistent [loop BYTES CALLS]: persistent collectives, started again and again in any order,
 * among persistent messages, completed in every way that MPI has. Prints checks=, failures= and
 * replaced=, those that Quadrille has taken over; loop: the median time of an all-to-all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "executed.h"

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

enum { BLOCK = 900, MOST_RANKS = 16 };

static long replaced;
static int all_ours; /* of those made since it was set */
static int sent[MOST_RANKS * BLOCK], received[MOST_RANKS * BLOCK];

static int number(int from, int into, int i, int round) {
  return from * 1000003 + into * 10007 + i * 13 + round;
}

static void made(int code) {
  expect(code == MPI_SUCCESS, "an initialization");
  replaced += executed_by_quadrille();
  all_ours = all_ours && executed_by_quadrille();
}

static void fill(int round) {
  for (int to = 0; to < size; ++to)
    for (int i = 0; i < BLOCK; ++i) sent[to * BLOCK + i] = number(rank, to, i, round);
  memset(received, 0xff, sizeof received);
}

static int exchanged(const int* got, int round) {
  int right = 1;
  for (int from = 0; from < size; ++from)
    for (int i = 0; i < BLOCK; ++i)
      right = right && got[from * BLOCK + i] == number(from, rank, i, round);
  return right;
}

static void complete(MPI_Request* request, int way) {
  const MPI_Request before = *request;
  int flag = 0, index = 0, some = 0;
  switch (way % 6) {
    case 0:
      MPI_Wait(request, MPI_STATUS_IGNORE);
      break;
    case 1:
      while (!flag) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
      break;
    case 2:
      MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
      expect(index == 0, "the index of waitany");
      break;
    case 3:
      while (some == 0) MPI_Testsome(1, request, &some, &index, MPI_STATUSES_IGNORE);
      break;
    case 4:
      while (!flag) MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
      MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
      break;
    case 5:
      MPI_Waitsome(1, request, &some, &index, MPI_STATUSES_IGNORE);
      expect(some == 1 && index == 0, "what waitsome gives");
      break;
  }
  expect(*request == before, "a persistent request stays");
  MPI_Wait(request, MPI_STATUS_IGNORE); /* of one that is not active: returns at once */
}

/* Of types and arrays that are gone when it is started. */
static void of_each_kind(void) {
  MPI_Request request[9];
  MPI_Datatype pair, types[MOST_RANKS];
  int counts[MOST_RANKS], places[MOST_RANKS], bytes[MOST_RANKS];
  static int message[BLOCK], all[MOST_RANKS * BLOCK], by_type[MOST_RANKS * BLOCK];
  static int by_counts[MOST_RANKS * BLOCK], gathered[MOST_RANKS * BLOCK], own[BLOCK];
  static double numbers[3], sums[3];
  all_ours = 1;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int peer = 0; peer < size; ++peer) {
    counts[peer] = BLOCK / 2;
    places[peer] = peer * BLOCK / 2;
    bytes[peer] = peer * BLOCK * (int)sizeof(int);
    types[peer] = pair;
  }
  made(INIT(Alltoall)(sent, BLOCK, MPI_INT, received, BLOCK / 2, pair, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &request[0]));
  made(INIT(Bcast)(message, BLOCK, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]));
  made(INIT(Allreduce)(numbers, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request[2]));
  made(INIT(Allgather)(own, BLOCK, MPI_INT, all, BLOCK / 2, pair, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request[3]));
  made(INIT(Alltoallv)(sent, counts, places, pair, by_counts, counts, places, pair, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[4]));
  made(INIT(Alltoallw)(sent, counts, bytes, types, by_type, counts, bytes, types, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[5]));
  made(INIT(Gather)(own, BLOCK / 2, pair, gathered, BLOCK, MPI_INT, 0, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &request[6]));
  made(INIT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &request[7]));
  /* Open MPI 4 looks at types and communicators at each start; MPI has arrays stay. */
  const int lasts = !all_ours;
  MPI_Send_init(own, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &request[8]);
  if (!lasts) {
    MPI_Type_free(&pair);
    memset(types, 0, sizeof types);
    memset(counts, 0x11, sizeof counts);
    memset(places, 0x11, sizeof places);
    memset(bytes, 0x11, sizeof bytes);
  }
  for (int round = 0; round < 12; ++round) {
    fill(round);
    for (int i = 0; i < BLOCK; ++i) {
      message[i] = rank == size - 1 ? i + round : -1;
      own[i] = number(rank, 0, i, round);
    }
    for (int i = 0; i < 3; ++i) numbers[i] = rank + i + round;
    if (round % 3 == 0) {
      MPI_Startall(9, request);
    } else {
      /* Each rank in an order of its own. */
      for (int i = 0; i < 9; ++i) MPI_Start(&request[(i * 4 + rank * round) % 9]);
    }
    int got = -1, right = 1;
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got == number((rank + size - 1) % size, 0, 0, round), "a persistent message beside");
    if (round % 2 == 0) {
      MPI_Waitall(9, request, MPI_STATUSES_IGNORE);
    } else {
      for (int i = 0; i < 9; ++i) {
        int index = -1;
        MPI_Waitany(9, request, &index, MPI_STATUS_IGNORE);
        right = right && index >= 0 && index < 9;
      }
      expect(right, "nine indices of waitany");
      int index = 0;
      MPI_Waitany(9, request, &index, MPI_STATUS_IGNORE);
      expect(index == MPI_UNDEFINED, "none is active");
    }
    expect(exchanged(received, round), "alltoall");
    expect(exchanged(by_counts, round), "alltoallv");
    expect(exchanged(by_type, round), "alltoallw");
    right = 1;
    for (int i = 0; i < BLOCK; ++i) right = right && message[i] == i + round;
    expect(right, "bcast");
    for (int i = 0; i < 3; ++i)
      expect(sums[i] == size * (size - 1) / 2 + size * (i + round), "allreduce");
    right = 1;
    for (int from = 0; from < size; ++from)
      for (int i = 0; i < BLOCK; ++i)
        right = right && all[from * BLOCK + i] == number(from, 0, i, round) &&
                (rank != 0 || gathered[from * BLOCK + i] == number(from, 0, i, round));
    expect(right, "allgather and gather");
  }
  if (lasts) MPI_Type_free(&pair);
  for (int i = 0; i < 9; ++i) {
    MPI_Request_free(&request[i]);
    expect(request[i] == MPI_REQUEST_NULL, "a freed request is null");
  }
}

static void completed_in_every_way(void) {
  MPI_Comm copy, ring;
  const int dimension[] = {size}, closed[] = {1};
  all_ours = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dimension, closed, 0, &ring);
  MPI_Request exchange, neighbors;
  made(INIT(Alltoall)(sent, BLOCK, MPI_INT, received, BLOCK, MPI_INT, copy, MPI_INFO_NULL,
                      &exchange));
  static int from_neighbors[2 * BLOCK];
  made(INIT(Neighbor_alltoall)(sent, BLOCK, MPI_INT, from_neighbors, BLOCK, MPI_INT, ring,
                               MPI_INFO_NULL, &neighbors));
  const int lasts = !all_ours;
  if (!lasts) MPI_Comm_free(&copy);
  if (!lasts) MPI_Comm_free(&ring);
  const int lower = (rank + size - 1) % size, upper = (rank + 1) % size;
  for (int round = 0; round < 18; ++round) {
    fill(round);
    MPI_Start(&exchange);
    complete(&exchange, round);
    expect(exchanged(received, round), "alltoall on a communicator that is freed");
    MPI_Start(&neighbors);
    complete(&neighbors, round + 1);
    int right = 1;
    for (int i = 0; i < BLOCK; ++i)
      right = right && from_neighbors[i] == number(lower, 1, i, round) &&
              from_neighbors[BLOCK + i] == number(upper, 0, i, round);
    expect(right, "neighbor_alltoall on a communicator that is freed");
  }
  MPI_Request_free(&exchange);
  MPI_Request_free(&neighbors);
  if (lasts) MPI_Comm_free(&copy);
  if (lasts) MPI_Comm_free(&ring);
}

/* More of them, one after the other, than there are channels at a time. */
static void made_and_freed(void) {
  for (int round = 0; round < 300; ++round) {
    MPI_Request request;
    made(INIT(Alltoall)(sent, 10, MPI_INT, received, 10, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &request));
    if (round % 10 == 0) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  }
}

static void active_ones_are_refused(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  MPI_Request request;
  made(INIT(Alltoall)(sent, BLOCK, MPI_INT, received, BLOCK, MPI_INT, copy, MPI_INFO_NULL,
                      &request));
  if (executed_by_quadrille()) {
    fill(1);
    MPI_Start(&request);
    expect(MPI_Start(&request) != MPI_SUCCESS, "an active request is not started");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(exchanged(received, 1), "what was started is completed");
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&copy);
}

static int by_size(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return a < b ? -1 : a > b;
}

static void loop(int bytes, int calls) {
  char* from = calloc((size_t)size, (size_t)bytes);
  char* into = calloc((size_t)size, (size_t)bytes);
  double* times = calloc((size_t)calls, sizeof *times);
  MPI_Request request;
  const double before = MPI_Wtime();
  INIT(Alltoall)
  (from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  const double initialized = MPI_Wtime() - before;
  for (int call = 0; call < calls; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    times[call] = MPI_Wtime() - start;
  }
  MPI_Request_free(&request);
  MPI_Allreduce(MPI_IN_PLACE, times, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  qsort(times, (size_t)calls, sizeof *times, by_size);
  if (rank == 0)
    printf("bytes=%d init_ms=%.1f p10_ms=%.3f median_ms=%.3f p90_ms=%.3f\n", bytes,
           initialized * 1e3, times[calls / 10] * 1e3, times[calls / 2] * 1e3,
           times[calls * 9 / 10] * 1e3);
  free(from);
  free(into);
  free(times);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc == 4) {
    loop(atoi(argv[2]), atoi(argv[3]));
  } else {
    of_each_kind();
    completed_in_every_way();
    made_and_freed();
    active_ones_are_refused();
    long all[3] = {checks, failures, replaced}, sum[3];
    MPI_Reduce(all, sum, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("checks=%ld failures=%ld replaced=%ld\n", sum[0], sum[1], sum[2]);
  }
  MPI_Finalize();
  return failures != 0;
}
