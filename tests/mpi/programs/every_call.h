/* SPDX-License-Identifier: BSD-3-Clause
 * A collective call as data: every collective's arguments in one struct, made by MPI_ or PMPI_. */
#ifndef QUADRILLE_TEST_EVERY_CALL_H
#define QUADRILLE_TEST_EVERY_CALL_H

#include <mpi.h>

#define COLLECTIVES(ROW)                                                                           \
  ROW(barrier, Barrier, (c->comm))                                                                 \
  ROW(bcast, Bcast, (c->receive, c->receive_count, c->receive_type, c->root, c->comm))             \
  ROW(reduce, Reduce, (c->send, c->receive, c->send_count, c->send_type, c->op, c->root, c->comm)) \
  ROW(allreduce, Allreduce, (c->send, c->receive, c->send_count, c->send_type, c->op, c->comm))    \
  ROW(reduce_scatter_block, Reduce_scatter_block,                                                  \
      (c->send, c->receive, c->send_count, c->send_type, c->op, c->comm))                          \
  ROW(reduce_scatter, Reduce_scatter,                                                              \
      (c->send, c->receive, c->send_counts, c->send_type, c->op, c->comm))                         \
  ROW(scan, Scan, (c->send, c->receive, c->send_count, c->send_type, c->op, c->comm))              \
  ROW(exscan, Exscan, (c->send, c->receive, c->send_count, c->send_type, c->op, c->comm))          \
  ROW(allgather, Allgather, (ONE_BLOCK_EACH, c->comm))                                             \
  ROW(alltoall, Alltoall, (ONE_BLOCK_EACH, c->comm))                                               \
  ROW(gather, Gather, (ONE_BLOCK_EACH, c->root, c->comm))                                          \
  ROW(scatter, Scatter, (ONE_BLOCK_EACH, c->root, c->comm))                                        \
  ROW(allgatherv, Allgatherv, (SENT, RECEIVED_FROM_EACH, c->comm))                                 \
  ROW(gatherv, Gatherv, (SENT, RECEIVED_FROM_EACH, c->root, c->comm))                              \
  ROW(scatterv, Scatterv, (SENT_TO_EACH, RECEIVED, c->root, c->comm))                              \
  ROW(alltoallv, Alltoallv, (SENT_TO_EACH, RECEIVED_FROM_EACH, c->comm))                           \
  ROW(alltoallw, Alltoallw,                                                                        \
      (c->send, c->send_counts, c->send_places, c->send_types, c->receive, c->receive_counts,      \
       c->receive_places, c->receive_types, c->comm))

#define SENT c->send, c->send_count, c->send_type
#define RECEIVED c->receive, c->receive_count, c->receive_type
#define ONE_BLOCK_EACH SENT, RECEIVED
#define SENT_TO_EACH c->send, c->send_counts, c->send_places, c->send_type
#define RECEIVED_FROM_EACH c->receive, c->receive_counts, c->receive_places, c->receive_type

#define NAME(name, function, arguments) name,
enum collective { COLLECTIVES(NAME) collectives };
#undef NAME

#define NAME(name, function, arguments) #name,
static const char* const name_of[] = {COLLECTIVES(NAME)};
#undef NAME

struct call {
  enum collective collective;
  void *send, *receive;
  int send_count, receive_count;
  MPI_Datatype send_type, receive_type;
  const int *send_counts, *receive_counts, *send_places, *receive_places;
  const MPI_Datatype *send_types, *receive_types;
  MPI_Op op;
  int root;
  MPI_Comm comm;
};

#define BY_PROGRAM(name, function, arguments) \
  case name:                                  \
    return MPI_##function arguments;
static int by_program(const struct call* c) {
  switch (c->collective) {
    COLLECTIVES(BY_PROGRAM)
    default:
      return MPI_ERR_INTERN;
  }
}
#undef BY_PROGRAM

#define BY_LIBRARY(name, function, arguments) \
  case name:                                  \
    return PMPI_##function arguments;
static int by_library(const struct call* c) {
  switch (c->collective) {
    COLLECTIVES(BY_LIBRARY)
    default:
      return MPI_ERR_INTERN;
  }
}
#undef BY_LIBRARY

#endif
