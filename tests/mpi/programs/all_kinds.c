/* SPDX-License-Identifier: BSD-3-Clause
 * MPI calls of every kind, so many of each, for what a trace tells of a whole program: all_kinds
 * FILE, of four ranks. Between some of them it computes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 50, NUMBERS = 1000 };

static int failures;

static void check(int is_right, const char* what) {
  if (is_right) return;
  ++failures;
  fprintf(stderr, "wrong: %s\n", what);
}

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
  }
}

/* What the right neighbour in a ring sends is its rank. */
static void send_messages(int rank, int ranks) {
  double sent[NUMBERS], received[NUMBERS];
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int i = 0; i < NUMBERS; ++i) sent[i] = rank;
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Sendrecv(sent, NUMBERS, MPI_DOUBLE, left, 0, received, NUMBERS, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(received[NUMBERS - 1] == right, "MPI_Sendrecv");
    MPI_Request requests[2];
    MPI_Irecv(received, NUMBERS, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, NUMBERS, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void reduce(int ranks) {
  for (int round = 0; round < ROUNDS; ++round) {
    double one = 1, sum = 0, later = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Iallreduce(&one, &later, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    compute(0.002);
    int done = 0;
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    check(sum == ranks && later == ranks, "MPI_Iallreduce");
  }
}

static void put(int rank, int ranks) {
  int window[1] = {-1};
  MPI_Win win;
  MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  check(window[0] == (rank + ranks - 1) % ranks, "MPI_Put");
  MPI_Win_free(&win);
}

static void write_file(const char* path, int rank) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  int numbers[NUMBERS], read[NUMBERS];
  for (int i = 0; i < NUMBERS; ++i) numbers[i] = rank * NUMBERS + i;
  const MPI_Offset place = (MPI_Offset)sizeof numbers * rank;
  MPI_File_write_at(file, place, numbers, NUMBERS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Request request;
  MPI_File_iread_at(file, place, read, NUMBERS, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(memcmp(numbers, read, sizeof read) == 0, "MPI_File_iread_at");
  MPI_File_close(&file);
}

/* A request of a message and one of a collective, together. */
static void mix(int rank, int ranks) {
  int received = -1;
  MPI_Request requests[3];
  MPI_Irecv(&received, 1, MPI_INT, (rank + 1) % ranks, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, (rank + ranks - 1) % ranks, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  check(received == (rank + 1) % ranks, "MPI_Waitall");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  send_messages(rank, ranks);
  reduce(ranks);
  put(rank, ranks);
  write_file(argv[1], rank);
  mix(rank, ranks);
  int all = 0;
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("failures=%d\n", all);
  MPI_Finalize();
  return failures != 0;
}
