/* SPDX-License-Identifier: BSD-3-Clause
 * nonblocking [pending]: nonblocking collectives whose requests are completed in every way that MPI
 * has, among requests of other kinds. Prints checks=, failures= and replaced=, the starts that
 * Quadrille has taken over. pending: ends with collectives that no rank completes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "executed.h"

enum { MOST_RANKS = 16, MOST = 40000, OUTSTANDING = 2000 };

static long replaced;
static int sent[MOST_RANKS * MOST], received[MOST_RANKS * MOST];
static int counts[MOST_RANKS], starts[MOST_RANKS], counts_back[MOST_RANKS], starts_back[MOST_RANKS];

static void started(void) { replaced += executed_by_quadrille(); }

/* What `from` sends as its i-th number to `into` in round `round`. */
static int number(int from, int into, int i, int round) {
  return from * 1000003 + into * 10007 + i * 13 + round;
}

static void wait_by(MPI_Request* request, int way) {
  int flag = 0, index = 0, some = 0;
  MPI_Status status;
  switch (way % 7) {
    case 0:
      MPI_Wait(request, &status);
      break;
    case 1:
      while (!flag) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
      break;
    case 2:
      MPI_Waitany(1, request, &index, &status);
      expect(index == 0, "the index of waitany");
      break;
    case 3:
      while (some == 0) MPI_Testsome(1, request, &some, &index, MPI_STATUSES_IGNORE);
      break;
    case 4:
      while (!flag) MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
      expect(*request != MPI_REQUEST_NULL, "a status frees no request");
      MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
      break;
    case 5:
      MPI_Waitsome(1, request, &some, &index, MPI_STATUSES_IGNORE);
      expect(some == 1 && index == 0, "what waitsome gives");
      break;
    case 6: /* as a tool does */
      PMPI_Wait(request, &status);
      break;
  }
  expect(*request == MPI_REQUEST_NULL, "a complete request is null");
}

static void fill(MPI_Comm comm, int block, int round) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  for (int to = 0; to < ranks; ++to)
    for (int i = 0; i < block; ++i) sent[to * block + i] = number(own, to, i, round);
  memset(received, 0xff, sizeof(int) * (size_t)(ranks * block));
}

static void check_exchange(MPI_Comm comm, int block, int round, const char* what) {
  int own, ranks, right = 1;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  for (int from = 0; from < ranks; ++from)
    for (int i = 0; i < block; ++i)
      right = right && received[from * block + i] == number(from, own, i, round);
  expect(right, what);
}

static void exchanges(MPI_Comm comm, int block, int round) {
  MPI_Request request;
  fill(comm, block, round);
  MPI_Ialltoall(sent, block, MPI_INT, received, block, MPI_INT, comm, &request);
  started();
  wait_by(&request, round);
  check_exchange(comm, block, round, "ialltoall");

  int ranks;
  MPI_Comm_size(comm, &ranks);
  memcpy(received, sent, sizeof(int) * (size_t)(ranks * block));
  MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_INT, received, block, MPI_INT, comm, &request);
  started();
  wait_by(&request, round + 1);
  check_exchange(comm, block, round, "ialltoall in place");

  /* Of a type that is freed before the call is complete. */
  MPI_Datatype two;
  MPI_Type_vector(1, 1, 1, MPI_INT, &two);
  MPI_Datatype column;
  MPI_Type_create_resized(two, 0, 2 * sizeof(int), &column);
  MPI_Type_commit(&column);
  int* apart = malloc(2 * sizeof(int) * (size_t)(ranks * block + 1));
  for (int i = 0; i < ranks * block; ++i) {
    apart[2 * i] = -1;
    apart[2 * i + 1] = 77;
  }
  MPI_Ialltoall(sent, block, MPI_INT, apart, block, column, comm, &request);
  started();
  MPI_Type_free(&column);
  MPI_Type_free(&two);
  wait_by(&request, round + 2);
  int gaps = 1;
  for (int i = 0; i < ranks * block; ++i) {
    received[i] = apart[2 * i];
    gaps = gaps && apart[2 * i + 1] == 77;
  }
  expect(gaps, "gaps of a type stay as they were");
  check_exchange(comm, block, round, "ialltoall of a type with gaps");
  free(apart);
}

static void vectors(MPI_Comm comm, int block, int round) {
  int own, ranks;
  MPI_Request request;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  int at = 0, at_back = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    counts[peer] = (own * 7 + peer * 3 + round) % (block + 1);
    counts_back[peer] = (peer * 7 + own * 3 + round) % (block + 1);
    starts[peer] = at;
    starts_back[peer] = at_back;
    for (int i = 0; i < counts[peer]; ++i) sent[at + i] = number(own, peer, i, round);
    at += counts[peer];
    at_back += counts_back[peer] + 1;
  }
  memset(received, 0xff, sizeof(int) * (size_t)at_back);
  MPI_Ialltoallv(sent, counts, starts, MPI_INT, received, counts_back, starts_back, MPI_INT, comm,
                 &request);
  started();
  int kept[MOST_RANKS], kept_starts[MOST_RANKS];
  memcpy(kept, counts_back, sizeof kept);
  memcpy(kept_starts, starts_back, sizeof kept_starts);
  wait_by(&request, round + 3);
  int right = 1;
  for (int from = 0; from < ranks; ++from) {
    for (int i = 0; i < kept[from]; ++i)
      right = right && received[kept_starts[from] + i] == number(from, own, i, round);
    right = right && received[kept_starts[from] + kept[from]] == -1;
  }
  expect(right, "ialltoallv");

  for (int peer = 0, place = 0; peer < ranks; ++peer) {
    counts[peer] = peer + round % 5;
    starts[peer] = place;
    place += counts[peer];
  }
  for (int i = 0; i < counts[own]; ++i) sent[i] = number(own, 0, i, round);
  MPI_Iallgatherv(sent, counts[own], MPI_INT, received, counts, starts, MPI_INT, comm, &request);
  started();
  wait_by(&request, round);
  right = 1;
  for (int from = 0; from < ranks; ++from)
    for (int i = 0; i < counts[from]; ++i)
      right = right && received[starts[from] + i] == number(from, 0, i, round);
  expect(right, "iallgatherv");

  const int root = round % ranks;
  MPI_Igatherv(sent, counts[own], MPI_INT, received, counts, starts, MPI_INT, root, comm, &request);
  started();
  wait_by(&request, round + 1);
  if (own == root) {
    right = 1;
    for (int from = 0; from < ranks; ++from)
      for (int i = 0; i < counts[from]; ++i)
        right = right && received[starts[from] + i] == number(from, 0, i, round);
    expect(right, "igatherv");
  }
  MPI_Iscatterv(received, counts, starts, MPI_INT, sent + MOST, counts[own], MPI_INT, root, comm,
                &request);
  started();
  wait_by(&request, round + 2);
  expect(memcmp(sent, sent + MOST, sizeof(int) * (size_t)counts[own]) == 0, "iscatterv");
}

static void rooted(MPI_Comm comm, int block, int round) {
  int own, ranks;
  MPI_Request request;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  const int root = round % ranks;
  for (int i = 0; i < block; ++i) received[i] = own == root ? number(root, 0, i, round) : -1;
  MPI_Ibcast(received, block, MPI_INT, root, comm, &request);
  started();
  wait_by(&request, round);
  int right = 1;
  for (int i = 0; i < block; ++i) right = right && received[i] == number(root, 0, i, round);
  expect(right, "ibcast");

  for (int i = 0; i < block; ++i) sent[i] = number(own, 1, i, round);
  MPI_Igather(sent, block, MPI_INT, received, block, MPI_INT, root, comm, &request);
  started();
  wait_by(&request, round + 4);
  if (own == root) {
    right = 1;
    for (int from = 0; from < ranks; ++from)
      for (int i = 0; i < block; ++i)
        right = right && received[from * block + i] == number(from, 1, i, round);
    expect(right, "igather");
  }
  MPI_Iscatter(received, block, MPI_INT, sent + MOST, block, MPI_INT, root, comm, &request);
  started();
  wait_by(&request, round + 5);
  expect(memcmp(sent, sent + MOST, sizeof(int) * (size_t)block) == 0, "iscatter");

  MPI_Iallgather(sent, block, MPI_INT, received, block, MPI_INT, comm, &request);
  started();
  wait_by(&request, round + 2);
  right = 1;
  for (int from = 0; from < ranks; ++from)
    for (int i = 0; i < block; ++i)
      right = right && received[from * block + i] == number(from, 1, i, round);
  expect(right, "iallgather");

  MPI_Ibarrier(comm, &request);
  started();
  wait_by(&request, round);
}

static void reductions(MPI_Comm comm, int block, int round) {
  int own, ranks;
  MPI_Request request;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  const int all = ranks * (ranks + 1) / 2, root = round % ranks;
  for (int i = 0; i < block; ++i) sent[i] = (own + 1) * (i % 1000);
  MPI_Iallreduce(sent, received, block, MPI_INT, MPI_SUM, comm, &request);
  started();
  wait_by(&request, round);
  int right = 1;
  for (int i = 0; i < block; ++i) right = right && received[i] == all * (i % 1000);
  expect(right, "iallreduce");

  memcpy(received, sent, sizeof(int) * (size_t)block);
  MPI_Iallreduce(MPI_IN_PLACE, received, block, MPI_INT, MPI_MAX, comm, &request);
  started();
  wait_by(&request, round + 1);
  right = 1;
  for (int i = 0; i < block; ++i) right = right && received[i] == ranks * (i % 1000);
  expect(right, "iallreduce in place");

  memset(received, 0xff, sizeof(int) * (size_t)block);
  MPI_Ireduce(sent, received, block, MPI_INT, MPI_SUM, root, comm, &request);
  started();
  wait_by(&request, round + 2);
  right = 1;
  for (int i = 0; i < block; ++i)
    right = right && received[i] == (own == root ? all * (i % 1000) : -1);
  expect(right, "ireduce");

  MPI_Iscan(sent, received, block, MPI_INT, MPI_SUM, comm, &request);
  started();
  wait_by(&request, round + 3);
  right = 1;
  for (int i = 0; i < block; ++i)
    right = right && received[i] == (own + 1) * (own + 2) / 2 * (i % 1000);
  expect(right, "iscan");

  MPI_Iexscan(sent, received, block, MPI_INT, MPI_SUM, comm, &request);
  started();
  wait_by(&request, round + 4);
  right = 1;
  for (int i = 0; i < block && own > 0; ++i)
    right = right && received[i] == own * (own + 1) / 2 * (i % 1000);
  expect(right, "iexscan");

  const int part = block / ranks;
  MPI_Ireduce_scatter_block(sent, received, part, MPI_INT, MPI_SUM, comm, &request);
  started();
  wait_by(&request, round + 5);
  right = 1;
  for (int i = 0; i < part; ++i) right = right && received[i] == all * ((own * part + i) % 1000);
  expect(right, "ireduce_scatter_block");

  int first = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    counts[peer] = part > peer ? part - peer : 0;
    if (peer < own) first += counts[peer];
  }
  MPI_Ireduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, comm, &request);
  started();
  wait_by(&request, round + 6);
  right = 1;
  for (int i = 0; i < (part > own ? part - own : 0); ++i)
    right = right && received[i] == all * ((first + i) % 1000);
  expect(right, "ireduce_scatter");

  /* The same bits on all ranks. */
  static double from[MOST], into[MOST], roots[MOST];
  for (int i = 0; i < block; ++i) from[i] = 1.0 / (own + 3 + i % 17);
  MPI_Iallreduce(from, into, block, MPI_DOUBLE, MPI_SUM, comm, &request);
  started();
  wait_by(&request, round);
  memcpy(roots, into, sizeof roots);
  MPI_Bcast(roots, block, MPI_DOUBLE, 0, comm);
  expect(memcmp(roots, into, sizeof(double) * (size_t)block) == 0, "iallreduce of doubles");
}

/* Every operation on every type of numbers gives what the MPI library gives. */
static void operations(void) {
  const MPI_Datatype types[] = {
      MPI_INT,      MPI_LONG,     MPI_LONG_LONG,     MPI_SHORT,          MPI_SIGNED_CHAR,
      MPI_UNSIGNED, MPI_UINT64_T, MPI_UNSIGNED_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR,
      MPI_INT8_T,   MPI_INT16_T,  MPI_INT32_T,       MPI_INT64_T,        MPI_UINT8_T,
      MPI_UINT16_T, MPI_UINT32_T, MPI_FLOAT,         MPI_DOUBLE,         MPI_LONG_DOUBLE};
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                        MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  enum { FLOATING = 17, TYPES = 20, OPERATIONS = 10, ON_ALL = 4, NUMBERS = 64 };
  static long double from[NUMBERS], ours[NUMBERS], library[NUMBERS];
  for (int type = 0; type < TYPES; ++type) {
    int bytes;
    MPI_Type_size(types[type], &bytes);
    for (int op = 0; op < (type < FLOATING ? OPERATIONS : ON_ALL); ++op) {
      /* Small whole numbers: no order of floating-point sums and products is better than another.
       */
      for (int i = 0; i < NUMBERS; ++i) {
        const int value = (rank * 5 + i * 3 + op) % 4 - (type < FLOATING ? 0 : 1);
        if (types[type] == MPI_FLOAT) {
          ((float*)from)[i] = (float)value;
        } else if (types[type] == MPI_DOUBLE) {
          ((double*)from)[i] = value;
        } else if (types[type] == MPI_LONG_DOUBLE) {
          from[i] = value;
        } else if (op >= ON_ALL) {
          memset((char*)from + i * bytes, value * 67, (size_t)bytes);
        } else {
          /* Open MPI 4 with AVX: sums of short integers saturate, unsigned longs compare as signed.
           */
          memset((char*)from + i * bytes, 0, (size_t)bytes);
          ((char*)from)[i * bytes] = (char)(value % 3);
        }
      }
      memset(ours, 0, sizeof ours);
      memset(library, 0, sizeof library);
      MPI_Request request;
      MPI_Iallreduce(from, ours, NUMBERS, types[type], ops[op], MPI_COMM_WORLD, &request);
      started();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int from_rank = 0; from_rank < size; ++from_rank) {
        static long double theirs[NUMBERS];
        memcpy(theirs, from, sizeof theirs);
        MPI_Bcast(theirs, (int)sizeof theirs, MPI_BYTE, from_rank, MPI_COMM_WORLD);
        if (from_rank == 0) {
          memcpy(library, theirs, (size_t)(NUMBERS * bytes));
        } else {
          MPI_Reduce_local(theirs, library, NUMBERS, types[type], ops[op]);
        }
      }
      int right = 1;
      for (int i = 0; i < NUMBERS; ++i) {
        if (types[type] == MPI_LONG_DOUBLE) {
          right = right && ours[i] == library[i];
        } else {
          right = right &&
                  memcmp((char*)ours + i * bytes, (char*)library + i * bytes, (size_t)bytes) == 0;
        }
      }
      expect(right, "an operation");
      if (!right) printf("type %d operation %d\n", type, op);
    }
  }
}

/* Among messages between ranks, one of which comes only after the collective is awaited. */
static void mixed(int round) {
  MPI_Request requests[5];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size, block = 500;
  int got = -1, gives = rank + round, index, completed = 0, indices[5];
  fill(MPI_COMM_WORLD, block, round);
  requests[0] = MPI_REQUEST_NULL;
  MPI_Irecv(&got, 1, MPI_INT, previous, round, MPI_COMM_WORLD, &requests[1]);
  MPI_Ialltoall(sent, block, MPI_INT, received, block, MPI_INT, MPI_COMM_WORLD, &requests[2]);
  started();
  MPI_Isend(&gives, 1, MPI_INT, next, round, MPI_COMM_WORLD, &requests[3]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]);
  started();
  if (round % 3 == 0) {
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  } else if (round % 3 == 1) {
    for (int done = 0; done < 4; ++done) {
      MPI_Waitany(5, requests, &index, MPI_STATUS_IGNORE);
      expect(index >= 1 && index < 5 && requests[index] == MPI_REQUEST_NULL,
             "waitany among others");
    }
    MPI_Waitany(5, requests, &index, MPI_STATUS_IGNORE);
    expect(index == MPI_UNDEFINED, "nothing is left for waitany");
  } else {
    for (int done = 0; done < 4; done += completed)
      MPI_Waitsome(5, requests, &completed, indices, MPI_STATUSES_IGNORE);
    MPI_Testsome(5, requests, &completed, indices, MPI_STATUSES_IGNORE);
    expect(completed == MPI_UNDEFINED, "nothing is left for testsome");
  }
  expect(got == previous + round, "a message beside a collective");
  check_exchange(MPI_COMM_WORLD, block, round, "ialltoall among other requests");
}

/* Blocking collectives between the start and the end of nonblocking ones. */
static void between(int round) {
  MPI_Request request;
  const int block = 3000;
  fill(MPI_COMM_WORLD, block, round);
  MPI_Ialltoall(sent, block, MPI_INT, received, block, MPI_INT, MPI_COMM_WORLD, &request);
  started();
  int mine = rank + 1, sum = 0, all[MOST_RANKS];
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sum == size * (size + 1) / 2, "an allreduce between");
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) expect(all[i] == i + 1, "an allgather between");
  wait_by(&request, round);
  check_exchange(MPI_COMM_WORLD, block, round, "ialltoall around blocking ones");
}

static void many(void) {
  static MPI_Request requests[OUTSTANDING];
  static int values[OUTSTANDING];
  for (int i = 0; i < OUTSTANDING; ++i) {
    values[i] = rank == i % size ? i : -1;
    MPI_Ibcast(&values[i], 1, MPI_INT, i % size, MPI_COMM_WORLD, &requests[i]);
    started();
  }
  /* From the last to the first. */
  for (int i = OUTSTANDING - 1; i >= OUTSTANDING / 2; --i)
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  MPI_Waitall(OUTSTANDING / 2, requests, MPI_STATUSES_IGNORE);
  int right = 1;
  for (int i = 0; i < OUTSTANDING; ++i) right = right && values[i] == i;
  expect(right, "many at a time");
}

/* A communicator that is freed while its collective is under way. */
static void freed(int round) {
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int value = rank;
  MPI_Bcast(&value, 1, MPI_INT, 0, copy);
  fill(copy, 200, round);
  MPI_Ialltoall(sent, 200, MPI_INT, received, 200, MPI_INT, copy, &request);
  started();
  MPI_Comm_free(&copy);
  wait_by(&request, round);
  check_exchange(MPI_COMM_WORLD, 200, round, "ialltoall of a freed communicator");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm reverse;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &reverse);
  MPI_Barrier(MPI_COMM_WORLD); /* the ranks agree on their communicators */
  MPI_Barrier(reverse);
  static const int blocks[] = {1, 0, 17, 350, 4000, 12000};
  for (int round = 0; round < 12; ++round) {
    const int block = blocks[round % 6];
    exchanges(MPI_COMM_WORLD, block, round);
    exchanges(reverse, block, round);
    vectors(MPI_COMM_WORLD, block, round);
    rooted(MPI_COMM_WORLD, block, round);
    rooted(reverse, block, round);
    reductions(MPI_COMM_WORLD, block, round);
    reductions(reverse, block, round);
    mixed(round);
    between(round);
    freed(round);
  }
  operations();
  many();
  MPI_Comm_free(&reverse);
  if (argc > 1 && strcmp(argv[1], "pending") == 0) {
    static MPI_Request left[3];
    for (int i = 0; i < 3; ++i)
      MPI_Ialltoall(sent, 3000, MPI_INT, received, 3000, MPI_INT, MPI_COMM_WORLD, &left[i]);
  }
  long mine[3] = {checks, failures, replaced}, all[3];
  MPI_Reduce(mine, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld replaced=%ld\n", all[0], all[1], all[2]);
  MPI_Finalize();
  return failures != 0;
}
