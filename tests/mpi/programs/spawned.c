/* SPDX-License-Identifier: BSD-3-Clause
 * spawned CHILDREN: the ranks start CHILDREN more of this program, and call collectives among
 * themselves, with them, and with both in one communicator. Rank 0 prints how many results were
 * wrong on all of them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong_among(MPI_Comm comm, int add) {
  enum { ints = 5000 };
  static int data[ints];
  int rank, ranks, sum = 0, wrong = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  for (int at = 0; at < ints; ++at) data[at] = rank == 0 ? at + add : -1;
  MPI_Bcast(data, ints, MPI_INT, 0, comm);
  for (int at = 0; at < ints; ++at) wrong += data[at] != at + add;
  return wrong + (sum != ranks * (ranks - 1) / 2);
}

int main(int argc, char** argv) {
  MPI_Comm between, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&between);
  const int is_child = between != MPI_COMM_NULL;
  if (!is_child) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, argc > 1 ? atoi(argv[1]) : 2, MPI_INFO_NULL, 0,
                   MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  }
  int rank, children = 0, wrong = 0, all_wrong = 0, told = 7;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int turn = 0; turn < 50; ++turn) wrong += wrong_among(MPI_COMM_WORLD, turn + is_child);
  MPI_Bcast(&told, 1, MPI_INT, is_child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
  wrong += told != 7;
  MPI_Intercomm_merge(between, is_child, &all);
  for (int turn = 0; turn < 50; ++turn) wrong += wrong_among(all, turn);
  MPI_Allreduce(&is_child, &children, 1, MPI_INT, MPI_SUM, all);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, all);
  if (!is_child && rank == 0) printf("children=%d wrong=%d\n", children, all_wrong);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  MPI_Finalize();
  return 0;
}
