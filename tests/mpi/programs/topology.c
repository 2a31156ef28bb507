/* SPDX-License-Identifier: BSD-3-Clause
 * topology [adjacent]: every constructor of a topology with leave to reorder, with `adjacent`
 * all but MPI_Dist_graph_create. Whatever order the ranks get,
 * the topology is the one that was asked for, neighbours reach each other, and what a new
 * communicator inherits is what the standard says. Prints who is at each place of a ring, by rank
 * of the world. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { most_ranks = 64 };

static long reordered;
static int adjacent_only;

/* What holds of every new communicator of `members` processes. */
static void check_communicator(MPI_Comm comm, MPI_Comm old, int members) {
  int one = 1, sum = 0, moved = 0, anyone = 0, old_rank, new_rank, new_size;
  MPI_Comm_size(comm, &new_size);
  MPI_Comm_rank(comm, &new_rank);
  MPI_Comm_rank(old, &old_rank);
  expect(new_size == members, "the size of a new communicator");
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == members, "a sum over a new communicator");
  moved = new_rank != old_rank;
  MPI_Allreduce(&moved, &anyone, 1, MPI_INT, MPI_MAX, comm);
  if (new_rank == 0) reordered += anyone;
}

static void print_order(MPI_Comm comm) {
  int all[most_ranks], members, here;
  MPI_Comm_size(comm, &members);
  MPI_Comm_rank(comm, &here);
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
  if (here != 0) return;
  char text[8 * most_ranks] = "";
  for (int i = 0; i < members; ++i)
    snprintf(text + strlen(text), 8, "%s%d", i == 0 ? "" : ",", all[i]);
  printf("ring: %s\n", text);
  fflush(stdout);
}

static void grids(MPI_Comm old, int members) {
  int periodic[] = {1, 0}, sizes[2] = {members, 1}, found[2], wraps[2], at[2], back, left, right,
      got = -1, here;
  MPI_Comm ring;
  MPI_Cart_create(old, 1, sizes, periodic, 1, &ring);
  check_communicator(ring, old, members);
  MPI_Comm_rank(ring, &here);
  MPI_Cart_get(ring, 1, found, wraps, at);
  expect(found[0] == members && wraps[0] == 1 && at[0] == here, "the grid that was asked for");
  MPI_Cart_rank(ring, at, &back);
  expect(back == here, "rank and coordinates");
  MPI_Cart_shift(ring, 0, 1, &left, &right);
  MPI_Sendrecv(&here, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, ring, MPI_STATUS_IGNORE);
  expect(got == (here + members - 1) % members && got == left, "the left neighbour's message");
  if (old == MPI_COMM_WORLD) print_order(ring);
  MPI_Comm_free(&ring);

  int kept = 0, total = 0;
  sizes[0] = members - 1;
  MPI_Cart_create(old, 2, sizes, periodic, 1, &ring);
  if (ring != MPI_COMM_NULL) {
    kept = 1;
    check_communicator(ring, old, members - 1);
    MPI_Comm_free(&ring);
  }
  MPI_Allreduce(&kept, &total, 1, MPI_INT, MPI_SUM, old);
  expect(total == members - 1, "one process is left out of a grid that is one too small");
}

static void graphs(MPI_Comm old, int members) {
  int index[most_ranks], edges[2 * most_ranks], found[2], here, count;
  for (int node = 0; node < members; ++node) {
    index[node] = 2 * (node + 1);
    edges[2 * node] = (node + 1) % members;
    edges[2 * node + 1] = (node + members - 1) % members;
  }
  MPI_Comm graph;
  MPI_Graph_create(old, members, index, edges, 1, &graph);
  check_communicator(graph, old, members);
  MPI_Comm_rank(graph, &here);
  MPI_Graph_neighbors_count(graph, here, &count);
  expect(count == 2, "the number of a node's neighbours");
  MPI_Graph_neighbors(graph, here, 2, found);
  expect(memcmp(found, edges + 2 * here, sizeof found) == 0, "a node's neighbours");
  MPI_Comm_free(&graph);
}

static int holds(const int* list, int length, int wanted) {
  for (int i = 0; i < length; ++i)
    if (list[i] == wanted) return i;
  return -1;
}

/* Each rank tells the edges of the next one: to its neighbours in the ring. */
static void distributed_graphs(MPI_Comm old, int members, int weighted) {
  int here, here_in_new, node, degree = 2, targets[2], weights[2], in, out, has_weights;
  int sources[4], source_weights[4], found[4], found_weights[4];
  MPI_Comm_rank(old, &here);
  node = (here + 1) % members;
  targets[0] = (node + 1) % members;
  targets[1] = (node + members - 1) % members;
  weights[0] = 1000 + node;
  weights[1] = 1;
  MPI_Comm graph;
  MPI_Dist_graph_create(old, 1, &node, &degree, targets, weighted ? weights : MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 1, &graph);
  check_communicator(graph, old, members);
  MPI_Comm_rank(graph, &here_in_new);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &has_weights);
  expect(in == 2 && out == 2 && !has_weights == !weighted, "the degrees of a node");
  if (in == 2 && out == 2) {
    MPI_Dist_graph_neighbors(graph, 2, sources, source_weights, 2, found, found_weights);
    const int next = (here_in_new + 1) % members;
    const int previous = (here_in_new + members - 1) % members;
    const int at = holds(found, 2, next);
    expect(at >= 0 && holds(found, 2, previous) >= 0, "a node's destinations");
    expect(holds(sources, 2, next) >= 0 && holds(sources, 2, previous) >= 0, "a node's sources");
    if (weighted && at >= 0)
      expect(found_weights[at] == 1000 + here_in_new || members == 2, "an edge's weight");
  }
  MPI_Comm_free(&graph);
}

/* Each rank tells its own neighbours, but the last has none. */
static void adjacent_graphs(MPI_Comm old, int members, int weighted) {
  const int nodes = members - 1;
  int here, new_rank, degree, in, out, has_weights;
  int sources[2], destinations[2], in_weights[2], out_weights[2];
  int found_in[2], found_out[2], found_in_weights[2], found_out_weights[2], heard[2] = {-1, -1};
  MPI_Comm_rank(old, &here);
  degree = here < nodes ? 2 : 0;
  for (int i = 0; i < 2; ++i) {
    sources[i] = (here + (i == 0 ? nodes - 1 : 1)) % nodes;
    destinations[i] = (here + (i == 0 ? 1 : nodes - 1)) % nodes;
    in_weights[i] = 10 * (sources[i] + 1) + here;
    out_weights[i] = 10 * (here + 1) + destinations[i];
  }
  MPI_Comm graph;
  const int* none = weighted ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED;
  MPI_Dist_graph_create_adjacent(old, degree, sources, weighted && degree ? in_weights : none,
                                 degree, destinations, weighted && degree ? out_weights : none,
                                 MPI_INFO_NULL, 1, &graph);
  check_communicator(graph, old, members);
  MPI_Comm_rank(graph, &new_rank);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &has_weights);
  const int expected = new_rank < nodes ? 2 : 0;
  expect(in == expected && out == expected, "the degrees of a node that told them itself");
  if (expected == 2) {
    expect(!has_weights == !weighted, "whether edges have weights");
    MPI_Dist_graph_neighbors(graph, in, found_in, found_in_weights, out, found_out,
                             found_out_weights);
    for (int i = 0; i < 2; ++i) {
      expect(found_in[i] == (new_rank + (i == 0 ? nodes - 1 : 1)) % nodes,
             "sources in the order that was told");
      expect(found_out[i] == (new_rank + (i == 0 ? 1 : nodes - 1)) % nodes,
             "destinations in the order that was told");
      if (!weighted) continue;
      expect(found_in_weights[i] == 10 * (found_in[i] + 1) + new_rank, "weights of sources");
      expect(found_out_weights[i] == 10 * (new_rank + 1) + found_out[i], "weights of destinations");
    }
  }
  MPI_Neighbor_allgather(&new_rank, 1, MPI_INT, heard, 1, MPI_INT, graph);
  for (int i = 0; i < expected; ++i) expect(heard[i] == found_in[i], "what comes from each source");
  MPI_Comm_free(&graph);
}

static int handled, copied;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static void inheritance(void) {
  int sizes[] = {size}, periodic[] = {1}, value = 0, key;
  MPI_Comm old, ring = MPI_COMM_NULL;
  MPI_Errhandler own;
  MPI_Comm_dup(MPI_COMM_WORLD, &old);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(old, key, &key);
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(old, own);
  MPI_Cart_create(old, 1, sizes, periodic, 1, &ring);
  expect(copied == 0, "a topology's communicator inherits no attribute");
  MPI_Bcast(&value, 1, MPI_INT, -5, ring);
  expect(handled == 1, "it inherits the error handler");
  MPI_Comm_free(&ring);
  sizes[0] = size + 1;
  MPI_Cart_create(old, 1, sizes, periodic, 1, &ring);
  expect(handled == 2, "a grid that is too large reaches the error handler");
  MPI_Errhandler_free(&own);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&old);
}

static void all_of(MPI_Comm old) {
  int members;
  MPI_Comm_size(old, &members);
  if (members < 3) return;
  grids(old, members);
  graphs(old, members);
  for (int weighted = 0; weighted < 2; ++weighted) {
    if (!adjacent_only) distributed_graphs(old, members, weighted);
    adjacent_graphs(old, members, weighted);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  adjacent_only = argc > 1 && strcmp(argv[1], "adjacent") == 0;
  all_of(MPI_COMM_WORLD);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank < (size + 1) / 2, -rank, &half);
  all_of(half);
  MPI_Comm_free(&half);
  inheritance();
  const long mine[] = {checks, failures, reordered};
  long total[3] = {0, 0, 0};
  MPI_Reduce(mine, total, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld reordered=%ld\n", total[0], total[1], total[2]);
  MPI_Finalize();
  return 0;
}
