/* SPDX-License-Identifier: BSD-3-Clause
 * small_calls ROUNDS [COMMUNICATORS]: barriers, broadcasts, reductions and allreduces of up to 4
 * KiB on MPI_COMM_WORLD and on communicators of all, half and reversed ranks, ROUNDS times on each;
 * so many more duplicates of it are used once and freed. Prints what was wrong, how often a sum of
 * the same numbers had other bits than before or on another rank, and how many calls were
 * Quadrille's on communicators of all ranks and on those of fewer. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checks.h"
#include "executed.h"

enum { most = 512, lengths = 6 };
static const int length_of[lengths] = {1, 2, 3, 31, 128, most};

static long changed, executed_by_all, executed_by_some;

static void count_if_ours(MPI_Comm on) {
  int ranks;
  const int ours = executed_by_quadrille();
  MPI_Comm_size(on, &ranks);
  if (ranks == size) {
    executed_by_all += ours;
  } else {
    executed_by_some += ours;
  }
}

/* No sum of these is exact, so that another order has other bits. */
static double inexact(int of, int place) { return 1.0 / (3 + 7 * of + place % 11); }

static void sum_doubles(MPI_Comm on, int length, double first[most], int is_first) {
  double mine[most], sum[most], others[most];
  int own, ranks;
  MPI_Comm_rank(on, &own);
  MPI_Comm_size(on, &ranks);
  for (int i = 0; i < length; ++i) mine[i] = inexact(own, i);
  MPI_Allreduce(mine, sum, length, MPI_DOUBLE, MPI_SUM, on);
  count_if_ours(on);
  double expected = 0;
  for (int of = 0; of < ranks; ++of) expected += inexact(of, length - 1);
  const double error = sum[length - 1] - expected;
  expect(error < 1e-12 && error > -1e-12, "a sum of doubles");
  if (is_first) memcpy(first, sum, sizeof(double) * (size_t)length);
  changed += memcmp(first, sum, sizeof(double) * (size_t)length) != 0;
  memcpy(others, sum, sizeof(double) * (size_t)length);
  MPI_Bcast(others, length, MPI_DOUBLE, 0, on);
  changed += memcmp(others, sum, sizeof(double) * (size_t)length) != 0;
  memcpy(sum, mine, sizeof(double) * (size_t)length);
  MPI_Allreduce(MPI_IN_PLACE, sum, length, MPI_DOUBLE, MPI_SUM, on);
  changed += memcmp(first, sum, sizeof(double) * (size_t)length) != 0;
}

static void reduce_and_broadcast(MPI_Comm on, int length, int root) {
  int mine[most], sum[most], own, ranks, right = 1;
  MPI_Comm_rank(on, &own);
  MPI_Comm_size(on, &ranks);
  memset(sum, 0, sizeof sum);
  for (int i = 0; i < length; ++i) mine[i] = own + i;
  MPI_Reduce(mine, sum, length, MPI_INT, MPI_SUM, root, on);
  count_if_ours(on);
  for (int i = 0; i < length; ++i)
    right = right && sum[i] == (own == root ? ranks * (ranks - 1) / 2 + ranks * i : 0);
  MPI_Bcast(sum, length, MPI_INT, root, on);
  count_if_ours(on);
  for (int i = 0; i < length; ++i) right = right && sum[i] == ranks * (ranks - 1) / 2 + ranks * i;
  expect(right, "a reduction and a broadcast");
  struct {
    double value;
    int place;
  } pair = {own % 3, own}, largest;
  MPI_Allreduce(&pair, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, on);
  expect(largest.value == (ranks > 2 ? 2 : ranks - 1), "the largest and its place");
}

/* That all processes of a machine have; MPI_Wtime may count from each one's start. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void wait_for_the_late(MPI_Comm on, int late) {
  int own;
  double came, last;
  MPI_Comm_rank(on, &own);
  if (own == late) {
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  came = now();
  MPI_Barrier(on);
  const double left = now();
  count_if_ours(on);
  MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, on);
  expect(left >= last, "a barrier waits for all");
}

static void use(MPI_Comm on, int rounds) {
  static double first[lengths][most];
  int ranks;
  MPI_Comm_size(on, &ranks);
  for (int round = 0; round < rounds; ++round) {
    const int length = length_of[round % lengths];
    sum_doubles(on, length, first[round % lengths], round < lengths);
    reduce_and_broadcast(on, length, round % ranks);
    if (round % 8 == 0) wait_for_the_late(on, round / 8 % ranks);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 40;
  MPI_Comm all, half, reversed;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  use(MPI_COMM_WORLD, rounds);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  use(all, rounds);
  use(half, rounds);
  use(reversed, rounds);
  for (int more = argc > 2 ? atoi(argv[2]) : 0; more > 0; --more) {
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    use(one, 2);
    MPI_Comm_free(&one);
  }
  MPI_Comm_free(&all);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
  long mine[5] = {checks, failures, changed, executed_by_all, executed_by_some}, sum[5];
  MPI_Reduce(mine, sum, 5, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("checks=%ld failures=%ld changed=%ld by_all=%ld by_some=%ld\n", sum[0], sum[1], sum[2],
           sum[3], sum[4]);
  MPI_Finalize();
  return 0;
}
