/* SPDX-License-Identifier: BSD-3-Clause
 * ring_balance world|random|topology STEPS BYTES [SEED]: load balancing around a ring, as a stencil
 * code of the 1990s does it. In each step all exchange their amount of work with both neighbours,
 * and whoever has more than its right neighbour moves BYTES of it there, whoever has less gives
 * BYTES of results back to it: each pair moves BYTES, in one direction or the other. The ring is in
 * the order of the ranks of the world, in a random order that SEED decides, or in the one that
 * MPI_Cart_create gives. Prints the time of a step, then for each place of the ring the host there
 * and in how many steps it gave to its right neighbour.
 *
 * The idea: B. Lowekamp, A. Beguelin, ECO, IPPS 1996, doi:10.1109/IPPS.1996.508087, section 5. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm ring_of_world(const char* order, unsigned seed) {
  int rank, size, periodic = 1;
  MPI_Comm ring, from = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned key = (unsigned)rank;
  if (strcmp(order, "random") == 0) { /* xorshift: G. Marsaglia, J. Stat. Softw. 8(14), 2003 */
    key = 2463534242u + key * 2654435761u + seed * 2246822519u;
    for (int i = 0; i < 8; ++i) key ^= key << 13, key ^= key >> 17, key ^= key << 5;
  }
  MPI_Comm_split(MPI_COMM_WORLD, 0, (int)(key >> 1), &from);
  MPI_Cart_create(from, 1, &size, &periodic, strcmp(order, "topology") == 0, &ring);
  MPI_Comm_free(&from);
  return ring;
}

struct balancing {
  MPI_Comm ring;
  char* buffers; /* two of `bytes` */
  int bytes;
  long work;
  int gave_right; /* steps */
};

/* Moves `bytes` between this rank and both neighbours: on each side from who has more to who has
 * less. */
static void balance(struct balancing* own) {
  int left, right, count = 0;
  long left_work, right_work;
  MPI_Request requests[2];
  MPI_Cart_shift(own->ring, 0, 1, &left, &right);
  MPI_Sendrecv(&own->work, 1, MPI_LONG, right, 1, &left_work, 1, MPI_LONG, left, 1, own->ring,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&own->work, 1, MPI_LONG, left, 2, &right_work, 1, MPI_LONG, right, 2, own->ring,
               MPI_STATUS_IGNORE);
  const int gives_right = own->work > right_work, takes_left = left_work > own->work;
  if (gives_right) {
    MPI_Isend(own->buffers, own->bytes, MPI_BYTE, right, 3, own->ring, &requests[count++]);
  } else {
    MPI_Irecv(own->buffers, own->bytes, MPI_BYTE, right, 4, own->ring, &requests[count++]);
  }
  if (takes_left) {
    MPI_Irecv(own->buffers + own->bytes, own->bytes, MPI_BYTE, left, 3, own->ring,
              &requests[count++]);
  } else {
    MPI_Isend(own->buffers + own->bytes, own->bytes, MPI_BYTE, left, 4, own->ring,
              &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  own->gave_right += gives_right;
  own->work += takes_left - gives_right;
}

static void print_places(const struct balancing* own, int rank, int size) {
  char name[MPI_MAX_PROCESSOR_NAME] = "", *names = NULL;
  int length, *gave = NULL;
  MPI_Get_processor_name(name, &length);
  if (rank == 0) {
    names = calloc((size_t)size, sizeof name);
    gave = calloc((size_t)size, sizeof *gave);
  }
  MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, own->ring);
  MPI_Gather(&own->gave_right, 1, MPI_INT, gave, 1, MPI_INT, 0, own->ring);
  if (rank == 0) {
    printf("ring=");
    for (int i = 0; i < size; ++i) printf("%s%s", i == 0 ? "" : ",", names + i * sizeof name);
    printf(" gave_right=");
    for (int i = 0; i < size; ++i) printf("%s%d", i == 0 ? "" : ",", gave[i]);
    printf("\n");
  }
  free(names);
  free(gave);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* order = argc > 1 ? argv[1] : "world";
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  struct balancing own = {.bytes = argc > 3 ? atoi(argv[3]) : 10000};
  own.ring = ring_of_world(order, argc > 4 ? (unsigned)atoi(argv[4]) : 0);
  own.buffers = calloc(2, (size_t)own.bytes);
  int rank, size;
  MPI_Comm_rank(own.ring, &rank);
  MPI_Comm_size(own.ring, &size);
  own.work = 100 + 37L * rank % 101;
  long before = 0, after = 0;
  MPI_Allreduce(&own.work, &before, 1, MPI_LONG, MPI_SUM, own.ring);
  balance(&own); /* connections are made */
  own.gave_right = 0;
  MPI_Barrier(own.ring);
  const double began = MPI_Wtime();
  for (int step = 0; step < steps; ++step) balance(&own);
  double took = MPI_Wtime() - began, longest = 0;
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, own.ring);
  MPI_Allreduce(&own.work, &after, 1, MPI_LONG, MPI_SUM, own.ring);
  if (rank == 0) {
    printf("step_us=%.0f work_before=%ld work_after=%ld\n", longest / steps * 1e6, before, after);
  }
  print_places(&own, rank, size);
  free(own.buffers);
  MPI_Comm_free(&own.ring);
  MPI_Finalize();
  return before == after ? 0 : 1;
}
