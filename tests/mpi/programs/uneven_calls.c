/* SPDX-License-Identifier: BSD-3-Clause
 * uneven_calls CALLS: a sixth of that many MPI_Alltoallv with small blocks, all with large ones,
 * with small ones again, with both in turn, then MPI_Allgatherv, and MPI_Gatherv and MPI_Scatterv
 * of a root that moves on; blocks differ from pair to pair, their sizes from call to call. Prints
 * how many results were wrong and how many calls Quadrille executed, by phase. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "executed.h"

enum { most_ranks = 64 };

static int rank, ranks;

static int length(int call, int from, int to, int mean) {
  return mean / 2 + mean * ((call + 3 * from + 2 * to) % 5) / 4;
}

static int value(int call, int from, int to, int at) {
  return call * 1000003 + from * 10007 + to * 101 + at;
}

static int exchange(int call, int mean, int* send, int* receive) {
  int send_counts[most_ranks], send_starts[most_ranks];
  int receive_counts[most_ranks], receive_starts[most_ranks];
  int sent = 0, received = 0, wrong = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    send_counts[peer] = length(call, rank, peer, mean);
    receive_counts[peer] = length(call, peer, rank, mean);
    send_starts[peer] = sent;
    receive_starts[peer] = received;
    for (int at = 0; at < send_counts[peer]; ++at) send[sent + at] = value(call, rank, peer, at);
    sent += send_counts[peer];
    received += receive_counts[peer];
  }
  for (int at = 0; at < received; ++at) receive[at] = -1;
  MPI_Alltoallv(send, send_counts, send_starts, MPI_INT, receive, receive_counts, receive_starts,
                MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < ranks; ++peer) {
    for (int at = 0; at < receive_counts[peer]; ++at)
      wrong += receive[receive_starts[peer] + at] != value(call, peer, rank, at);
  }
  return wrong;
}

static int alternate(int call, int mean, int* send, int* receive) {
  return exchange(call, call % 3 == 0 ? mean : mean / 16, send, receive);
}

static int collect(int call, int mean, int* send, int* receive) {
  int counts[most_ranks] = {0}, starts[most_ranks];
  int all = 0, wrong = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    counts[peer] = length(0, peer, 0, mean);
    starts[peer] = all;
    all += counts[peer];
  }
  for (int at = 0; at < counts[rank]; ++at) send[at] = value(call, rank, 0, at);
  for (int at = 0; at < all; ++at) receive[at] = -1;
  MPI_Allgatherv(send, counts[rank], MPI_INT, receive, counts, starts, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < ranks; ++peer) {
    for (int at = 0; at < counts[peer]; ++at)
      wrong += receive[starts[peer] + at] != value(call, peer, 0, at);
  }
  return wrong;
}

/* In a call's rooted operation: each fourth rank has nothing. */
static int rooted_length(int call, int peer, int mean) {
  return (call + peer) % 4 == 0 ? 0 : length(call, peer, 0, mean);
}

/* Of all ranks, one block behind the other; returns the elements of all. */
static int lay_out(int call, int mean, int* counts, int* starts) {
  int all = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    counts[peer] = rooted_length(call, peer, mean);
    starts[peer] = all;
    all += counts[peer];
  }
  return all;
}

/* Only the root looks at all counts; it has its own block in place in every other call. */
static int collect_at_root(int call, int mean, int* send, int* receive) {
  int counts[most_ranks] = {0}, starts[most_ranks];
  int wrong = 0;
  const int root = call % ranks, is_root = rank == root;
  const int all = lay_out(call, mean, counts, starts);
  for (int at = 0; at < all; ++at) receive[at] = -1;
  int* own = is_root && call % 2 == 0 ? receive + starts[rank] : send;
  for (int at = 0; at < counts[rank]; ++at) own[at] = value(call, rank, root, at);
  MPI_Gatherv(own == send ? send : MPI_IN_PLACE, counts[rank], MPI_INT, is_root ? receive : NULL,
              is_root ? counts : NULL, is_root ? starts : NULL, MPI_INT, root, MPI_COMM_WORLD);
  for (int peer = 0; is_root && peer < ranks; ++peer) {
    for (int at = 0; at < counts[peer]; ++at)
      wrong += receive[starts[peer] + at] != value(call, peer, root, at);
  }
  return wrong;
}

static int spread_from_root(int call, int mean, int* send, int* receive) {
  int counts[most_ranks] = {0}, starts[most_ranks];
  int wrong = 0;
  const int root = call % ranks, is_root = rank == root;
  lay_out(call, mean, counts, starts);
  for (int peer = 0; is_root && peer < ranks; ++peer) {
    for (int at = 0; at < counts[peer]; ++at) send[starts[peer] + at] = value(call, root, peer, at);
  }
  MPI_Scatterv(is_root ? send : NULL, is_root ? counts : NULL, is_root ? starts : NULL, MPI_INT,
               receive, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
  for (int at = 0; at < counts[rank]; ++at) wrong += receive[at] != value(call, root, rank, at);
  return wrong;
}

static void phase(const char* name, int (*make)(int, int, int*, int*), int calls, int mean) {
  int wrong = 0, all_wrong = 0, executed = 0;
  int* send = malloc(sizeof(int) * 2 * (size_t)mean * (size_t)ranks);
  int* receive = malloc(sizeof(int) * 2 * (size_t)mean * (size_t)ranks);
  for (int call = 0; call < calls; ++call) {
    wrong += make(call, mean, send, receive);
    executed += executed_by_quadrille();
  }
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s_wrong=%d %s_executed=%d\n", name, all_wrong, name, executed);
  free(send);
  free(receive);
}

int main(int argc, char** argv) {
  const int calls = argc > 1 ? atoi(argv[1]) : 60;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  phase("small", exchange, calls / 6, 8);
  phase("large", exchange, calls, 2048);
  phase("small_again", exchange, calls, 8);
  phase("alternating", alternate, calls, 2048);
  phase("gathered", collect, calls, 2048);
  phase("at_root", collect_at_root, calls, 2048);
  phase("at_root_small", collect_at_root, calls, 8);
  phase("from_root", spread_from_root, calls, 2048);
  MPI_Finalize();
  return 0;
}
