/* SPDX-License-Identifier: BSD-3-Clause
 * threads THREADS ROUNDS [SUMS]: under MPI_THREAD_MULTIPLE each thread of a rank has a communicator
 * of its own and, at the same time as the others, calls collectives on it, sums elements of a type
 * and by an operation that the program has made, and creates and frees communicators from it. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { of_element = 512 };
static atomic_long failures;
static int rounds, sums;
static MPI_Datatype element;
static MPI_Op sum_of_elements;

static void expect(int holds) { failures += !holds; }

static void sum(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length * of_element; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/* Of an element of the program's own, by an operation of its own. */
static void sums_of_elements(MPI_Comm comm, int salt) {
  int rank, size, wrong = 0, mine[of_element], all[of_element];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < of_element; ++i) mine[i] = salt * 1000 + rank * 10 + i;
  MPI_Allreduce(mine, all, 1, element, sum_of_elements, comm);
  for (int i = 0; i < of_element; ++i)
    wrong += all[i] != size * (salt * 1000 + i) + 5 * size * (size - 1);
  expect(wrong == 0);
}

static void collectives(MPI_Comm comm, int salt) {
  int rank, size, sum = 0, root, mine[3] = {salt, salt + 1, salt + 2};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int value = rank * 3 + salt;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == 3 * size * (size - 1) / 2 + size * salt);
  root = salt % size;
  if (rank != root) mine[0] = mine[1] = mine[2] = -1;
  MPI_Bcast(mine, 3, MPI_INT, root, comm);
  expect(mine[0] == salt && mine[2] == salt + 2);
  int* all = malloc(sizeof(int) * 2 * (size_t)size);
  MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i) expect(all[i] == i * 3 + salt);
  for (int i = 0; i < size; ++i) all[i] = rank * 1000 + i + salt;
  MPI_Alltoall(all, 1, MPI_INT, all + size, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i) expect(all[size + i] == i * 1000 + rank + salt);
  free(all);
  MPI_Barrier(comm);
}

static MPI_Comm* comms;

static void* run(void* argument) {
  const MPI_Comm comm = *(MPI_Comm*)argument;
  const int thread = (int)((MPI_Comm*)argument - comms);
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < sums; ++i) sums_of_elements(comm, thread + 1);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm duplicate, half;
    collectives(comm, round);
    MPI_Comm_dup(comm, &duplicate);
    MPI_Comm_split(comm, rank % 2, -rank, &half);
    collectives(half, round);
    collectives(duplicate, round);
    MPI_Comm_free(&half);
    MPI_Comm_free(&duplicate);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, rank;
  const int threads = argc > 1 ? atoi(argv[1]) : 4;
  rounds = argc > 2 ? atoi(argv[2]) : 20;
  sums = argc > 3 ? atoi(argv[3]) : 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("this MPI library has no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 77);
  }
  pthread_t* running = malloc(sizeof(pthread_t) * (size_t)threads);
  comms = malloc(sizeof(MPI_Comm) * (size_t)threads);
  MPI_Type_contiguous(of_element, MPI_INT, &element);
  MPI_Type_commit(&element);
  MPI_Op_create(sum, 1, &sum_of_elements);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, run, &comms[i]);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
  MPI_Op_free(&sum_of_elements);
  MPI_Type_free(&element);
  const long mine = failures;
  long total = 0;
  MPI_Reduce(&mine, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%d failures=%ld\n", threads * (rounds + sums), total);
  free(comms);
  free(running);
  MPI_Finalize();
  return 0;
}
