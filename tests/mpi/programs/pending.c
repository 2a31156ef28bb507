/* SPDX-License-Identifier: BSD-3-Clause
 * pending OPERATION: rank 0 starts an operation of 4 MiB and enters each collective; the others
 * first wait for that operation's data and then enter. It only ends if rank 0 drives the MPI
 * library while it waits in the collective. OPERATION: isend, issend, bsend, rma (the others lock a
 * window of rank 0's and put into it). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 4 << 20 };

static int rank, size;
static char* data;
static MPI_Win window;
static long failures;

static void start(const char* operation, MPI_Request* requests, int tag) {
  for (int peer = 1; peer < size; ++peer) {
    MPI_Request* request = &requests[peer];
    *request = MPI_REQUEST_NULL;
    if (strcmp(operation, "isend") == 0)
      MPI_Isend(data, LENGTH, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request);
    if (strcmp(operation, "issend") == 0)
      MPI_Issend(data, LENGTH, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request);
    if (strcmp(operation, "bsend") == 0)
      MPI_Bsend(data, LENGTH, MPI_CHAR, peer, tag, MPI_COMM_WORLD);
  }
}

static void await(const char* operation, int tag) {
  if (strcmp(operation, "rma") == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(data, LENGTH, MPI_CHAR, 0, 0, LENGTH, MPI_CHAR, window);
    MPI_Win_unlock(0, window);
    return;
  }
  memset(data, 0, LENGTH);
  MPI_Recv(data, LENGTH, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < LENGTH; i += 4097) failures += data[i] != (char)(tag + 1);
}

static void collective(int which) {
  int from[64] = {rank}, into[64] = {0};
  if (which == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (which == 1) MPI_Bcast(from, 64, MPI_INT, size - 1, MPI_COMM_WORLD);
  if (which == 2) MPI_Reduce(from, into, 64, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (which == 3) MPI_Allreduce(from, into, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (which == 4) MPI_Allgather(from, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD);
  if (which == 5) MPI_Alltoall(from, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* operation = argc > 1 ? argv[1] : "isend";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  data = malloc(LENGTH);
  char* exposed = malloc(LENGTH);
  const int room = (LENGTH + MPI_BSEND_OVERHEAD) * size;
  void* buffer = malloc((size_t)room);
  MPI_Buffer_attach(buffer, room);
  const int one_sided = strcmp(operation, "rma") == 0;
  if (one_sided)
    MPI_Win_create(exposed, rank == 0 ? LENGTH : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Request* requests = calloc((size_t)size, sizeof *requests);
  for (int which = 0; which < 6; ++which) {
    memset(data, which + 1, LENGTH);
    if (rank == 0) {
      start(operation, requests, which);
    } else {
      await(operation, which);
    }
    collective(which);
    if (rank == 0 && !one_sided) MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
  }
  if (one_sided) MPI_Win_free(&window);
  MPI_Buffer_detach(&buffer, &(int){0});
  long total = 0;
  MPI_Reduce(&failures, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=6 failures=%ld\n", total);
  free(buffer);
  free(exposed);
  free(data);
  free(requests);
  MPI_Finalize();
  return 0;
}
