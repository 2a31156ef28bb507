/* SPDX-License-Identifier: BSD-3-Clause
 * Communicators made in every way that MPI has for intra-communicators. */
#include <stdio.h>

#include "types.h"

static MPI_Comm split(int color, int key) {
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &made);
  return made;
}

static MPI_Comm of_a_group(int rank, int size) {
  MPI_Group world, part;
  MPI_Comm made = MPI_COMM_NULL;
  int range[1][3] = {{size - 1, size > 2 ? 1 : 0, -1}};
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_range_incl(world, 1, range, &part);
  if (rank >= range[0][1]) MPI_Comm_create_group(MPI_COMM_WORLD, part, 7, &made);
  PMPI_Group_free(&part);
  PMPI_Group_free(&world);
  return made;
}

static MPI_Comm created(int size) {
  MPI_Group world, part;
  MPI_Comm made;
  int range[1][3] = {{0, size - 1, 2}};
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_range_incl(world, 1, range, &part);
  MPI_Comm_create(MPI_COMM_WORLD, part, &made);
  PMPI_Group_free(&part);
  PMPI_Group_free(&world);
  return made;
}

static MPI_Comm row_of_grid(int size) {
  int sizes[2] = {0, 0};
  const int periods[2] = {1, 0};
  const int remaining[2] = {0, 1};
  MPI_Comm grid, row;
  PMPI_Dims_create(size, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 1, &grid);
  MPI_Cart_sub(grid, remaining, &row);
  MPI_Comm_free(&grid);
  return row;
}

static MPI_Comm ring_graph(int rank, int size) {
  const int before = (rank + size - 1) % size, after = (rank + 1) % size, weight = 1;
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &after, &weight,
                                 MPI_INFO_NULL, 0, &made);
  return made;
}

static MPI_Comm merged(int rank, int size) {
  MPI_Comm between, made, half = split(rank < size / 2, 0);
  PMPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 5, &between);
  MPI_Intercomm_merge(between, rank < size / 2, &made);
  PMPI_Comm_free(&between);
  MPI_Comm_free(&half);
  return made;
}

static MPI_Comm later_duplicate(void) {
  MPI_Comm made;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return made;
}

#if MPI_VERSION >= 4
static MPI_Comm of_a_group_alone(void) {
  MPI_Group world;
  MPI_Comm made;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_create_from_group(world, "of a group alone", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  PMPI_Group_free(&world);
  return made;
}
#endif

int make_communicators(struct communicator_case cases[MOST_CASES]) {
  int rank, size, number = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int part = 1; part < size && part <= 9; ++part) {
    snprintf(cases[number].name, sizeof cases[number].name, "the first %d", part);
    cases[number++].comm = split(rank < part ? 0 : MPI_UNDEFINED, rank);
  }
  MPI_Comm duplicate, host;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  const struct communicator_case others[] = {
    {"the world", MPI_COMM_WORLD},
    {"a duplicate", duplicate},
    {"the world reversed", split(0, -rank)},
    {"odd and even ranks", split(rank % 2, 0)},
    {"a host", host},
    {"a row of a grid", row_of_grid(size)},
    {"a graph", ring_graph(rank, size)},
    {"every other rank", created(size)},
    {"a group reversed", of_a_group(rank, size)},
    {"a later duplicate", later_duplicate()},
#if MPI_VERSION >= 4
    {"a group alone", of_a_group_alone()},
#endif
    {"a merged pair", size > 1 ? merged(rank, size) : split(0, 0)},
  };
  for (unsigned i = 0; i < sizeof others / sizeof *others; ++i) cases[number++] = others[i];
  return number;
}

void free_communicators(struct communicator_case cases[MOST_CASES], int number) {
  for (int i = 0; i < number; ++i) {
    if (cases[i].comm != MPI_COMM_NULL && cases[i].comm != MPI_COMM_WORLD)
      MPI_Comm_free(&cases[i].comm);
  }
}
