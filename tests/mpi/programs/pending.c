/* SPDX-License-Identifier: BSD-3-Clause
 * pending OPERATION [BLOCK [ROUNDS [LENGTH]]]: the last rank starts an operation of LENGTH bytes (4
 * MiB) and enters each collective, which makes it wait for the others; these first wait for that
 * operation's data and then enter. It only ends if the last rank drives the MPI library while it
 * waits in the collective. OPERATION: isend, issend, bsend, rma (the others lock a window of the
 * last rank's and put into it). The collectives are of BLOCK ints (16) a rank, all of them ROUNDS
 * times (1). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16 };

static int rank, size, owner;
static int length = 4 << 20, block = 16, rounds = 1;
static char* data;
static MPI_Win window;
static long failures;

static void start(const char* operation, MPI_Request* requests, int tag) {
  for (int peer = 0; peer < owner; ++peer) {
    MPI_Request* request = &requests[peer];
    *request = MPI_REQUEST_NULL;
    if (strcmp(operation, "isend") == 0)
      MPI_Isend(data, length, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request);
    if (strcmp(operation, "issend") == 0)
      MPI_Issend(data, length, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request);
    if (strcmp(operation, "bsend") == 0)
      MPI_Bsend(data, length, MPI_CHAR, peer, tag, MPI_COMM_WORLD);
  }
}

static void await(const char* operation, int tag) {
  if (strcmp(operation, "rma") == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, window);
    MPI_Put(data, length, MPI_CHAR, owner, 0, length, MPI_CHAR, window);
    MPI_Win_unlock(owner, window);
    return;
  }
  memset(data, 0, (size_t)length);
  MPI_Recv(data, length, MPI_CHAR, owner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < length; i += 4097) failures += data[i] != (char)(tag + 1);
}

static int *from, *into; /* [ranks][block] */
static int counts[MOST_RANKS], starts[MOST_RANKS], starts_in_bytes[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(void) { MPI_Bcast(from, block, MPI_INT, 0, MPI_COMM_WORLD); }
static void scatter(void) {
  MPI_Scatter(from, block, MPI_INT, into, block, MPI_INT, 0, MPI_COMM_WORLD);
}
static void scatterv(void) {
  MPI_Scatterv(from, counts, starts, MPI_INT, into, block, MPI_INT, 0, MPI_COMM_WORLD);
}
static void gather(void) {
  MPI_Gather(from, block, MPI_INT, into, block, MPI_INT, owner, MPI_COMM_WORLD);
}
static void gatherv(void) {
  MPI_Gatherv(from, block, MPI_INT, into, counts, starts, MPI_INT, owner, MPI_COMM_WORLD);
}
static void allgather(void) {
  MPI_Allgather(from, block, MPI_INT, into, block, MPI_INT, MPI_COMM_WORLD);
}
static void allgatherv(void) {
  MPI_Allgatherv(from, block, MPI_INT, into, counts, starts, MPI_INT, MPI_COMM_WORLD);
}
static void alltoall(void) {
  MPI_Alltoall(from, block, MPI_INT, into, block, MPI_INT, MPI_COMM_WORLD);
}
static void alltoallv(void) {
  MPI_Alltoallv(from, counts, starts, MPI_INT, into, counts, starts, MPI_INT, MPI_COMM_WORLD);
}
static void alltoallw(void) {
  MPI_Alltoallw(from, counts, starts_in_bytes, types, into, counts, starts_in_bytes, types,
                MPI_COMM_WORLD);
}
static void reduce(void) { MPI_Reduce(from, into, block, MPI_INT, MPI_SUM, owner, MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(from, into, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void reduce_scatter(void) {
  MPI_Reduce_scatter(from, into, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(from, into, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(void) { MPI_Scan(from, into, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void exscan(void) { MPI_Exscan(from, into, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

static void (*const collectives[])(void) = {
    barrier,   bcast,     scatter,    scatterv,       gather,
    gatherv,   allgather, allgatherv, alltoall,       alltoallv,
    alltoallw, reduce,    allreduce,  reduce_scatter, reduce_scatter_block,
    scan,      exscan};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

static void prepare(void) {
  for (int peer = 0; peer < size; ++peer) {
    counts[peer] = block;
    starts[peer] = peer * block;
    starts_in_bytes[peer] = starts[peer] * (int)sizeof(int);
    types[peer] = MPI_INT;
  }
}

int main(int argc, char** argv) {
  const char* operation = argc > 1 ? argv[1] : "isend";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  owner = size - 1;
  if (argc > 2) block = atoi(argv[2]);
  if (argc > 3) rounds = atoi(argv[3]);
  if (argc > 4) length = atoi(argv[4]);
  from = calloc((size_t)(size * block), sizeof *from);
  into = calloc((size_t)(size * block), sizeof *into);
  prepare();
  data = malloc((size_t)length);
  char* exposed = malloc((size_t)length);
  const int room = (length + MPI_BSEND_OVERHEAD) * size;
  void* buffer = malloc((size_t)room);
  MPI_Buffer_attach(buffer, room);
  const int one_sided = strcmp(operation, "rma") == 0;
  if (one_sided)
    MPI_Win_create(exposed, rank == owner ? length : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Request* requests = calloc((size_t)size, sizeof *requests);
  for (int call = 0; call < rounds * COLLECTIVES; ++call) {
    const int which = call % COLLECTIVES;
    memset(data, which + 1, (size_t)length);
    if (rank == owner) {
      start(operation, requests, which);
    } else {
      await(operation, which);
    }
    collectives[which]();
    if (rank == owner && !one_sided) MPI_Waitall(owner, requests, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&buffer, &(int){0});  // ends once what is buffered has left
    MPI_Buffer_attach(buffer, room);
  }
  if (one_sided) MPI_Win_free(&window);
  MPI_Buffer_detach(&buffer, &(int){0});
  long total = 0;
  MPI_Reduce(&failures, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%d failures=%ld\n", rounds * (int)COLLECTIVES, total);
  free(from);
  free(into);
  free(buffer);
  free(exposed);
  free(data);
  free(requests);
  MPI_Finalize();
  return 0;
}
