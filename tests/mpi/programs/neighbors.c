/* SPDX-License-Identifier: BSD-3-Clause
 * neighbors: the neighbourhood collectives, blocking and nonblocking, on grids and graphs of all
 * kinds, compared with the MPI library's own, which QUADRILLE_PMPI=off leaves to the PMPI_ names.
 * Prints checks=, failures= and replaced=, the calls that Quadrille has taken over. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "executed.h"

enum { MOST_EDGES = 32, LONGEST = 3000, CALLS = 5 };

static const char* const names[CALLS] = {"neighbor_allgather", "neighbor_allgatherv",
                                         "neighbor_alltoall", "neighbor_alltoallv",
                                         "neighbor_alltoallw"};

static long replaced;

/* A communicator's edges, and where the blocks of calls with counts lie. */
struct edges {
  MPI_Comm comm;
  int sources, targets;
  int source[MOST_EDGES], target[MOST_EDGES];
  int send_counts[MOST_EDGES], receive_counts[MOST_EDGES];
  int send_places[MOST_EDGES], receive_places[MOST_EDGES];
  MPI_Aint send_bytes[MOST_EDGES], receive_bytes[MOST_EDGES];
  MPI_Datatype types[MOST_EDGES];
};

enum { ROOM = MOST_EDGES * (LONGEST + 3) * 2 };
static int sent[ROOM], received[ROOM], wanted[ROOM];

/* The two of a pair agree; blocks of one pair are as long as one another. */
static int length_of(int one, int other, int longest, int per_sender) {
  if (per_sender) return (one * 7 + 3) % 4 * longest / 3;
  const int low = one < other ? one : other, high = one < other ? other : one;
  return (low * 5 + high * 3) % 4 * longest / 3;
}

/* With `per_sender` a rank's blocks are of one length, as one for all is. */
static void lay_out(struct edges* e, int longest, int per_sender, int stride) {
  int own, at = 1;
  MPI_Comm_rank(e->comm, &own);
  for (int i = 0; i < e->targets; ++i) {
    e->send_counts[i] = e->target[i] < 0 ? 1 : length_of(own, e->target[i], longest, per_sender);
    e->send_places[i] = at;
    e->send_bytes[i] = (MPI_Aint)at * stride * (MPI_Aint)sizeof(int);
    at += e->send_counts[i] + 1;
  }
  at = 2;
  for (int i = e->sources; i-- > 0;) {
    e->receive_counts[i] = e->source[i] < 0 ? 1 : length_of(e->source[i], own, longest, per_sender);
    e->receive_places[i] = at;
    e->receive_bytes[i] = (MPI_Aint)at * stride * (MPI_Aint)sizeof(int);
    at += e->receive_counts[i] + 2;
  }
}

#define CALL(prefix, name, ...) \
  (request == NULL ? prefix##N##name(__VA_ARGS__) : prefix##In##name(__VA_ARGS__, request))

#define EVERY_CALL(P)                                                                        \
  const int block = longest;                                                                 \
  int own;                                                                                   \
  MPI_Comm_rank(e->comm, &own);                                                              \
  switch (which) {                                                                           \
    case 0:                                                                                  \
      return CALL(P, eighbor_allgather, sent, block, type, into, block, type, e->comm);      \
    case 1:                                                                                  \
      return CALL(P, eighbor_allgatherv, sent, length_of(own, own, longest, 1), type, into,  \
                  e->receive_counts, e->receive_places, type, e->comm);                      \
    case 2:                                                                                  \
      return CALL(P, eighbor_alltoall, sent, block, type, into, block, type, e->comm);       \
    case 3:                                                                                  \
      return CALL(P, eighbor_alltoallv, sent, e->send_counts, e->send_places, type, into,    \
                  e->receive_counts, e->receive_places, type, e->comm);                      \
    default:                                                                                 \
      return CALL(P, eighbor_alltoallw, sent, e->send_counts, e->send_bytes, e->types, into, \
                  e->receive_counts, e->receive_bytes, e->types, e->comm);                   \
  }

static int by_program(int which, const struct edges* e, int longest, MPI_Datatype type, int* into,
                      MPI_Request* request) {
  EVERY_CALL(MPI_)
}

static int by_library(int which, const struct edges* e, int longest, MPI_Datatype type, int* into,
                      MPI_Request* request) {
  EVERY_CALL(PMPI_)
}

static void compare(struct edges* e, const char* where, int longest, int stride) {
  MPI_Datatype type = MPI_INT;
  if (stride > 1) {
    MPI_Type_create_resized(MPI_INT, 0, stride * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
  }
  for (int i = 0; i < MOST_EDGES; ++i) e->types[i] = type;
  for (int i = 0; i < ROOM; ++i) sent[i] = rank * 1000003 + i * 7 + longest;
  for (int which = 0; which < CALLS; ++which) {
    for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
      MPI_Request request = MPI_REQUEST_NULL;
      char what[200];
      snprintf(what, sizeof what, "%s%s on %s, %d elements, stride %d", nonblocking ? "i" : "",
               names[which], where, longest, stride);
      lay_out(e, longest, which < 2, stride);
      memset(received, 0xee, sizeof received);
      memset(wanted, 0xee, sizeof wanted);
      int code = by_program(which, e, longest, type, received, nonblocking ? &request : NULL);
      const int is_replaced = executed_by_quadrille();
      replaced += is_replaced;
      expect(code == MPI_SUCCESS, what);
      if (nonblocking) {
        /* Of what a call of ours is given at its start, only its buffers have to last. */
        if (is_replaced) memset(e->receive_counts, 0x11, sizeof e->receive_counts);
        if (is_replaced) memset(e->receive_places, 0x11, sizeof e->receive_places);
        if (is_replaced) memset(e->types, 0, sizeof e->types);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        lay_out(e, longest, which < 2, stride);
        for (int i = 0; i < MOST_EDGES; ++i) e->types[i] = type;
      }
      by_library(which, e, longest, type, wanted, nonblocking ? &request : NULL);
      if (nonblocking) MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(memcmp(received, wanted, sizeof received) == 0, what);
    }
  }
  if (stride > 1) MPI_Type_free(&type);
}

static void try_all(struct edges* e, const char* where) {
  compare(e, where, 0, 1);
  compare(e, where, 3, 1);
  compare(e, where, LONGEST, 1);
  compare(e, where, LONGEST / 2, 2);
  MPI_Comm_free(&e->comm);
}

static void grid(int dimensions, const int* sizes, const int* periodic, const char* where) {
  int all = 1;
  for (int i = 0; i < dimensions; ++i) all *= sizes[i];
  if (all > size) return;
  static struct edges e;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periodic, 0, &e.comm);
  if (e.comm == MPI_COMM_NULL) return;
  e.sources = e.targets = 2 * dimensions;
  for (int i = 0; i < dimensions; ++i)
    MPI_Cart_shift(e.comm, i, 1, &e.source[2 * i], &e.source[2 * i + 1]);
  memcpy(e.target, e.source, sizeof e.target);
  try_all(&e, where);
}

/* Each rank with the next two, twice with the first. */
static void graph(void) {
  static struct edges e;
  int index[64], edges[64 * 6], at = 0;
  for (int i = 0; i < size; ++i) {
    edges[at++] = (i + 1) % size;
    edges[at++] = (i + size - 1) % size;
    edges[at++] = (i + 1) % size;
    edges[at++] = (i + size - 1) % size;
    edges[at++] = (i + 2) % size;
    edges[at++] = (i + size - 2) % size;
    index[i] = at;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &e.comm);
  MPI_Graph_neighbors_count(e.comm, rank, &e.sources);
  e.targets = e.sources;
  MPI_Graph_neighbors(e.comm, rank, e.sources, e.source);
  memcpy(e.target, e.source, sizeof e.target);
  try_all(&e, "a graph");
}

/* One way round, to itself, several times to the next; rank 0 has no neighbours. */
static void directed(void) {
  static struct edges e;
  e.sources = e.targets = 0;
  const int others = size - 1, own = rank - 1;
  static const int distance[] = {1, 0, 1, 2, 1, 0};
  for (int i = 0; rank > 0 && i < 6; ++i) {
    e.target[e.targets++] = 1 + (own + distance[i]) % others;
    e.source[e.sources++] = 1 + (own + 2 * others - distance[i]) % others;
  }
  /* The compiler takes MPI_UNWEIGHTED for an array without entries. */
  const int* const volatile unweighted = MPI_UNWEIGHTED;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, e.sources, e.source, unweighted, e.targets,
                                 e.target, unweighted, MPI_INFO_NULL, 0, &e.comm);
  try_all(&e, "a directed graph");
}

static void weighted(void) {
  static struct edges e;
  const int weights[2] = {3, 5};
  e.sources = e.targets = 2;
  for (int i = 0; i < 2; ++i) {
    e.target[i] = (rank + 1 + i) % size;
    e.source[i] = (rank + size - 1 - i) % size;
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, e.source, weights, 2, e.target, weights,
                                 MPI_INFO_NULL, 0, &e.comm);
  try_all(&e, "a weighted graph");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  const int ring[] = {size}, closed[] = {1, 1, 1}, open[] = {0, 0, 0}, mixed[] = {0, 1, 1};
  const int two_rows[] = {2, size / 2}, flat[] = {1, size}, cube[] = {2, 1, 2};
  grid(1, ring, closed, "a ring");
  grid(1, ring, open, "a line");
  grid(2, two_rows, closed, "a torus of two rows");
  grid(2, two_rows, mixed, "a tube");
  grid(2, flat, closed, "a torus of one row");
  grid(3, cube, closed, "a torus of 2 x 1 x 2");
  graph();
  directed();
  weighted();
  long all[3] = {checks, failures, replaced}, sum[3];
  MPI_Reduce(all, sum, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld replaced=%ld\n", sum[0], sum[1], sum[2]);
  MPI_Finalize();
  return failures != 0;
}
