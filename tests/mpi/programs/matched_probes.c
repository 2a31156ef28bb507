/* SPDX-License-Identifier: BSD-3-Clause
 * matched_probes [MODE]...: messages that MPI_Mprobe or MPI_Improbe takes and MPI_Mrecv or
 * MPI_Imrecv receives, sent by each MODE of send, ssend, isend, issend (all), of 0 to 1 MiB, found
 * by rank and tag or by wildcards, with a message of another tag in front of it that must stay.
 * Each rank sends to the next one in a ring. Prints checks=N failures=N. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { MOST = 1 << 20, OTHER_TAG = 3, TAG = 4 };

static char byte_of(int sender, int round, int i) {
  return (char)(sender * 37 + round * 11 + i * 7 + i / 1021);
}

static int holds(const char* data, int bytes, int sender, int round) {
  for (int i = 0; i < bytes; ++i) {
    if (data[i] != byte_of(sender, round, i)) return 0;
  }
  return 1;
}

/* Sends by `mode`; `request` is MPI_REQUEST_NULL where nothing is left to wait for. */
static void send(const char* mode, const char* data, int bytes, int to, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  if (strcmp(mode, "send") == 0) MPI_Send(data, bytes, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
  if (strcmp(mode, "ssend") == 0) MPI_Ssend(data, bytes, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
  if (strcmp(mode, "isend") == 0)
    MPI_Isend(data, bytes, MPI_CHAR, to, TAG, MPI_COMM_WORLD, request);
  if (strcmp(mode, "issend") == 0)
    MPI_Issend(data, bytes, MPI_CHAR, to, TAG, MPI_COMM_WORLD, request);
}

static void take(int round, int bytes, int from, char* in) {
  const int anybody = round & 1;
  const int source = anybody ? MPI_ANY_SOURCE : from;
  const int tag = round & 2 ? MPI_ANY_TAG : TAG;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int there = 0;
  if (round & 4) {
    while (!there) MPI_Improbe(source, tag, MPI_COMM_WORLD, &there, &message, &status);
  } else {
    MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, &status);
  }
  int count = -1;
  MPI_Get_count(&status, MPI_CHAR, &count);
  expect(count == bytes && status.MPI_SOURCE == from && status.MPI_TAG == TAG, "what was probed");
  MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  expect(!there, "a message that was taken is found again");
  memset(in, 0, (size_t)bytes);
  if (round & 8) {
    MPI_Request request;
    MPI_Imrecv(in, bytes, MPI_CHAR, &message, &request);
    MPI_Wait(&request, &status);
  } else {
    MPI_Mrecv(in, bytes, MPI_CHAR, &message, &status);
  }
  MPI_Get_count(&status, MPI_CHAR, &count);
  expect(count == bytes && status.MPI_SOURCE == from && status.MPI_TAG == TAG, "what was received");
  expect(message == MPI_MESSAGE_NULL, "the message's handle");
  expect(holds(in, bytes, from, round), "contents");
}

static void exchange(const char* mode, int round, int bytes, char* out, char* in) {
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  const char mark = (char)round;
  char got = 0;
  MPI_Request other, request;
  for (int i = 0; i < bytes; ++i) out[i] = byte_of(rank, round, i);
  /* In front of what MPI_ANY_TAG takes there may be none. */
  const int has_other = !(round & 2);
  if (has_other) MPI_Isend(&mark, 1, MPI_CHAR, next, OTHER_TAG, MPI_COMM_WORLD, &other);
  /* One that waits for its receive is sent by even ranks first, and taken by odd ones. */
  const int blocks = mode[0] == 's';
  if (!blocks || rank % 2 == 0) send(mode, out, bytes, next, &request);
  if (!blocks || rank % 2 == 1 || size % 2 == 1) take(round, bytes, previous, in);
  if (blocks && rank % 2 == 1) send(mode, out, bytes, next, &request);
  if (blocks && rank % 2 == 0 && size % 2 == 0) take(round, bytes, previous, in);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (!has_other) return;
  MPI_Recv(&got, 1, MPI_CHAR, previous, OTHER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(got == mark, "the message of another tag");
  MPI_Wait(&other, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  static const char* all[] = {"send", "ssend", "isend", "issend"};
  static const int bytes[] = {0, 1, 1400, 16384, 16385, 65536, MOST};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* out = malloc(MOST);
  char* in = malloc(MOST);
  const int modes = argc > 1 ? argc - 1 : 4;
  for (int m = 0; m < modes; ++m) {
    for (int i = 0; i < (int)(sizeof bytes / sizeof bytes[0]); ++i) {
      for (int round = 0; round < 16; ++round) {
        exchange(argc > 1 ? argv[1 + m] : all[m], round, bytes[i], out, in);
        MPI_Barrier(MPI_COMM_WORLD);
      }
    }
  }
  long sums[2], own[2] = {checks, failures};
  MPI_Reduce(own, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", sums[0], sums[1]);
  free(out);
  free(in);
  MPI_Finalize();
  return failures > 0;
}
