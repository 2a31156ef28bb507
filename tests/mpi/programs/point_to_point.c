/* SPDX-License-Identifier: BSD-3-Clause
 * point_to_point [BYTES]: what the standard says of messages between two ranks, with contents
 * verified, up to messages of BYTES (16 MiB): sizes expected and unexpected, order, wildcards,
 * probes, cancelled receives, all modes of sending, persistent requests, truncation, many
 * unexpected messages to a rank that computes, messages to oneself. Each rank checks its neighbours
 * in a ring. Prints checks=N failures=N. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MANY = 1000, FLOOD_BYTES = 1000 };

static int rank, size, next, previous;
static long checks, failures;

static void check(int right, const char* what, long which) {
  ++checks;
  if (right) return;
  ++failures;
  fprintf(stderr, "wrong on rank %d: %s, %ld\n", rank, what, which);
}

static char byte_of(int sender, int tag, long i) {
  return (char)(sender * 37 + tag * 11 + i * 7 + i / 1021);
}

static void fill(char* data, long bytes, int sender, int tag) {
  for (long i = 0; i < bytes; ++i) data[i] = byte_of(sender, tag, i);
}

static int holds(const char* data, long bytes, int sender, int tag) {
  for (long i = 0; i < bytes; ++i) {
    if (data[i] != byte_of(sender, tag, i)) return 0;
  }
  return 1;
}

static int count_of(const MPI_Status* status) {
  int count;
  MPI_Get_count(status, MPI_CHAR, &count);
  return count;
}

static void sizes(long most, char* out, char* in) {
  const long around[] = {0,    1,    8,    64,   1000, 1400,  1419,
                         1431, 1440, 1448, 4096, 4097, 65536, 100003};
  long bytes[32];
  int count = 0;
  for (size_t i = 0; i < sizeof around / sizeof around[0]; ++i) bytes[count++] = around[i];
  for (long large = 1 << 20; large <= most; large *= 4) bytes[count++] = large + 3 * (large < most);
  for (int i = 0; i < count; ++i) {
    for (int expected = 0; expected < 2; ++expected) {
      MPI_Request requests[2];
      MPI_Status statuses[2];
      const int tag = 2 * i + expected;
      fill(out, bytes[i], rank, tag);
      memset(in, 0, (size_t)bytes[i]);
      if (expected)
        MPI_Irecv(in, (int)bytes[i], MPI_CHAR, previous, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Isend(out, (int)bytes[i], MPI_CHAR, next, tag, MPI_COMM_WORLD, &requests[1]);
      if (!expected)
        MPI_Irecv(in, (int)bytes[i], MPI_CHAR, previous, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Waitall(2, requests, statuses);
      check(holds(in, bytes[i], previous, tag), "contents of a message of so many bytes", bytes[i]);
      check(count_of(&statuses[0]) == bytes[i], "count of a message of so many bytes", bytes[i]);
    }
  }
}

/* Short and long messages with one tag, received with wildcards: each sender's come in order. */
static void order(char* out, char* in) {
  enum { ROUNDS = 40, LONG_BYTES = 30000 };
  MPI_Request requests[2 * ROUNDS];
  const int peers[2] = {next, previous};
  for (int i = 0; i < ROUNDS; ++i) {
    const int bytes = i % 3 == 0 ? LONG_BYTES - i : 10 + i;
    fill(out + (long)i * LONG_BYTES, bytes, rank, i);
    for (int p = 0; p < 2; ++p)
      MPI_Isend(out + (long)i * LONG_BYTES, bytes, MPI_CHAR, peers[p], 5, MPI_COMM_WORLD,
                &requests[2 * i + p]);
  }
  int from_next = 0, from_previous = 0;
  for (int i = 0; i < 2 * ROUNDS; ++i) {
    MPI_Status status;
    MPI_Recv(in, LONG_BYTES, MPI_CHAR, MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD,
             &status);
    /* With two ranks both neighbours are one, which sends each message twice. */
    int which = status.MPI_SOURCE == next ? from_next++ : from_previous++;
    if (next == previous) which /= 2;
    const int bytes = which % 3 == 0 ? LONG_BYTES - which : 10 + which;
    check(count_of(&status) == bytes && holds(in, bytes, status.MPI_SOURCE, which),
          "order of messages", i);
  }
  MPI_Waitall(2 * ROUNDS, requests, MPI_STATUSES_IGNORE);
}

static void probes(char* out, char* in) {
  const int bytes[] = {5, 50000};
  for (int i = 0; i < 2; ++i) {
    MPI_Request requests[2];
    fill(out, bytes[i], rank, 1);
    fill(out + bytes[i], bytes[i], rank, 2);
    MPI_Isend(out, bytes[i], MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out + bytes[i], bytes[i], MPI_CHAR, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Status status;
    MPI_Message message;
    MPI_Probe(previous, 2, MPI_COMM_WORLD, &status);
    check(count_of(&status) == bytes[i], "count of a probed message", bytes[i]);
    int there = 1;
    MPI_Iprobe(previous, 3, MPI_COMM_WORLD, &there, &status);
    check(!there, "a message that was never sent", bytes[i]);
    MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Iprobe(previous, 1, MPI_COMM_WORLD, &there, &status);
    check(!there, "a message that was taken by a matched probe", bytes[i]);
    MPI_Recv(in, bytes[i], MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    check(status.MPI_TAG == 2 && holds(in, bytes[i], previous, 2), "the message not taken",
          bytes[i]);
    MPI_Mrecv(in, bytes[i], MPI_CHAR, &message, &status);
    check(holds(in, bytes[i], previous, 1), "the message taken", bytes[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void cancelled(char* in) {
  char token = 1;
  MPI_Request request;
  MPI_Status status;
  int was = 0;
  MPI_Irecv(in, 10, MPI_CHAR, previous, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &was);
  check(was, "a receive was cancelled", 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv(&token, 1, MPI_CHAR, next, 77, in, 1, MPI_CHAR, previous, 77, MPI_COMM_WORLD,
               &status);
  check(in[0] == 1, "the message of a cancelled receive's tag", 0);
}

/* A synchronous send does not end before its receive begins. */
static void synchronous(char* out, char* in) {
  const int bytes[] = {0, 100, 40000};
  for (int i = 0; i < 3; ++i) {
    MPI_Request request;
    int done = 0;
    fill(out, bytes[i], rank, 9);
    MPI_Issend(out, bytes[i], MPI_CHAR, next, 9, MPI_COMM_WORLD, &request);
    for (int k = 0; k < 20; ++k) {
      struct timespec pause = {0, 500000};
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      nanosleep(&pause, NULL);
    }
    check(!done, "a synchronous send without a receive", bytes[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(in, bytes[i], MPI_CHAR, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(holds(in, bytes[i], previous, 9), "contents of a synchronous send", bytes[i]);
  }
}

static void buffered_and_ready(char* out, char* in) {
  const int bytes = 20000;
  int room;
  MPI_Request request;
  MPI_Pack_size(bytes, MPI_CHAR, MPI_COMM_WORLD, &room);
  room = 2 * room + 2 * MPI_BSEND_OVERHEAD;
  void* buffer = malloc((size_t)room);
  MPI_Buffer_attach(buffer, room);
  fill(out, bytes, rank, 21);
  MPI_Bsend(out, bytes, MPI_CHAR, next, 21, MPI_COMM_WORLD);
  memset(out, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_CHAR, previous, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(holds(in, bytes, previous, 21), "contents of a buffered send", bytes);
  MPI_Buffer_detach(&buffer, &room);
  free(buffer);
  MPI_Irecv(in, bytes, MPI_CHAR, previous, 22, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  fill(out, bytes, rank, 22);
  MPI_Rsend(out, bytes, MPI_CHAR, next, 22, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(holds(in, bytes, previous, 22), "contents of a ready send", bytes);
}

static void persistent(char* out, char* in) {
  const int bytes = 3000;
  MPI_Request requests[2];
  MPI_Send_init(out, bytes, MPI_CHAR, next, 31, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, bytes, MPI_CHAR, previous, 31, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 20; ++i) {
    fill(out, bytes, rank, i);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(holds(in, bytes, previous, i), "contents of a persistent send", i);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

static void truncated(char* out, char* in) {
  const int bytes[] = {200, 60000};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2; ++i) {
    MPI_Request request;
    int class = MPI_SUCCESS;
    fill(out, bytes[i], rank, 41);
    memset(in, 0, 200);
    MPI_Isend(out, bytes[i], MPI_CHAR, next, 41, MPI_COMM_WORLD, &request);
    MPI_Error_class(MPI_Recv(in, 100, MPI_CHAR, previous, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    &class);
    check(class == MPI_ERR_TRUNCATE, "a message too long for its receive", bytes[i]);
    check(in[100] == 0, "memory behind a receive", bytes[i]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* The receiver computes while many messages come; it takes the last one first. */
static void flood(char* out, char* in) {
  static MPI_Request requests[MANY];
  for (int i = 0; i < MANY; ++i) {
    fill(out + (long)i * FLOOD_BYTES, FLOOD_BYTES, rank, i);
    MPI_Isend(out + (long)i * FLOOD_BYTES, FLOOD_BYTES, MPI_CHAR, next, 100 + i, MPI_COMM_WORLD,
              &requests[i]);
  }
  const struct timespec pause = {0, 300000000};
  nanosleep(&pause, NULL);
  MPI_Recv(in, FLOOD_BYTES, MPI_CHAR, previous, 100 + MANY - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(holds(in, FLOOD_BYTES, previous, MANY - 1), "the last of many unexpected messages", MANY);
  for (int i = 0; i < MANY - 1; ++i) {
    MPI_Recv(in, FLOOD_BYTES, MPI_CHAR, previous, 100 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(holds(in, FLOOD_BYTES, previous, i), "one of many unexpected messages", i);
  }
  MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
}

static void to_oneself(char* out, char* in) {
  const int bytes[] = {0, 300, 70000};
  for (int i = 0; i < 3; ++i) {
    fill(out, bytes[i], rank, 51);
    MPI_Sendrecv(out, bytes[i], MPI_CHAR, rank, 51, in, bytes[i], MPI_CHAR, rank, 51,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(holds(in, bytes[i], rank, 51), "a message to oneself", bytes[i]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  const long most = argc > 1 ? atol(argv[1]) : 16L << 20;
  const size_t room = (size_t)(most > 2 << 20 ? most : 2 << 20) + 64;
  char* out = malloc(room);
  char* in = malloc(room);
  sizes(most, out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  order(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  probes(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  cancelled(in);
  MPI_Barrier(MPI_COMM_WORLD);
  synchronous(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  buffered_and_ready(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  persistent(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  truncated(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  flood(out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  to_oneself(out, in);
  long mine[2] = {checks, failures}, all[2];
  MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", all[0], all[1]);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
