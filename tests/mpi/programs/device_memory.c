/* SPDX-License-Identifier: BSD-3-Clause
 * device_memory DRIVER WHO: every collective with buffers in memory of a device, which the
 * processor cannot read, on all ranks or on the odd ones. Results have to be those of the MPI
 * library in host memory. DRIVER is loaded when collectives have run already, as programs do that
 * start their devices late. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "every_call.h"
#include "executed.h"

enum { elements = 6, most_ranks = 8, most = 2 * elements * most_ranks };

typedef void* (*memory_fn)(size_t bytes);
typedef int (*copy_fn)(uintptr_t into, uintptr_t from, size_t bytes);
typedef int (*push_fn)(void* context);
typedef int (*pop_fn)(void** context);

static void* driver;
static int *device_send, *device_receive;
static int host_send[most], host_receive[most];
static int counts[most_ranks], places[most_ranks], byte_places[most_ranks];
static MPI_Datatype types[most_ranks];

static void copy(void* into, const void* from) {
  void* context = driver;
  ((push_fn)(uintptr_t)dlsym(driver, "cuCtxPushCurrent_v2"))(context);
  ((copy_fn)(uintptr_t)dlsym(driver, "cuMemcpy"))((uintptr_t)into, (uintptr_t)from,
                                                  sizeof host_send);
  ((pop_fn)(uintptr_t)dlsym(driver, "cuCtxPopCurrent_v2"))(&context);
}

static void fill(void) {
  for (int i = 0; i < most; ++i) {
    host_send[i] = 1000 * rank + i;
    host_receive[i] = -1000 * rank - i;
  }
}

static int has_in_place(enum collective c) {
  return c != barrier && c != bcast && c != scatter && c != scatterv;
}
static int is_at_root_only(enum collective c) { return c == gather || c == gatherv || c == reduce; }

static struct call call_of(enum collective collective, MPI_Datatype type, int in_place, int* send,
                           int* receive) {
  const int root = 1;
  const int is_in_place =
      in_place && has_in_place(collective) && (rank == root || !is_at_root_only(collective));
  for (int i = 0; i < most_ranks; ++i) types[i] = type;
  /* A whole number of elements, whatever they are: the typed ones have a gap. */
  struct call call = {.collective = collective,
                      .send = is_in_place ? MPI_IN_PLACE : send,
                      .receive = receive,
                      .root = root,
                      .send_count = elements / 2,
                      .receive_count = elements / 2,
                      .send_type = type,
                      .receive_type = type,
                      .send_counts = counts,
                      .receive_counts = counts,
                      .send_places = collective == alltoallw ? byte_places : places,
                      .receive_places = collective == alltoallw ? byte_places : places,
                      .send_types = types,
                      .receive_types = types,
                      .op = MPI_SUM,
                      .comm = MPI_COMM_WORLD};
  return call;
}

static int reduces(enum collective c) {
  return c == reduce || c == allreduce || c == reduce_scatter_block || c == reduce_scatter ||
         c == scan || c == exscan;
}

static void compare(enum collective collective, MPI_Datatype type, int in_place, int on_device) {
  static int expected[most], result[most];
  fill();
  struct call call = call_of(collective, type, in_place, host_send, host_receive);
  expect(by_library(&call) == MPI_SUCCESS, name_of[collective]);
  memcpy(expected, host_receive, sizeof expected);
  for (int again = 0; again < 2; ++again) {
    fill();
    if (on_device) {
      copy(device_send, host_send);
      copy(device_receive, host_receive);
      call = call_of(collective, type, in_place, device_send, device_receive);
    } else {
      call = call_of(collective, type, in_place, host_send, host_receive);
    }
    expect(by_program(&call) == MPI_SUCCESS, name_of[collective]);
    expect(executed_by_quadrille(), name_of[collective]);
    on_device ? copy(result, device_receive) : (void)memcpy(result, host_receive, sizeof result);
    if (collective == exscan && rank == 0) continue; /* undefined there */
    if (collective == reduce_scatter_block || collective == reduce_scatter) {
      expect(memcmp(expected, result, sizeof(int) * elements / 2) == 0, name_of[collective]);
      continue; /* in place, what lies behind it is undefined */
    }
    expect(memcmp(expected, result, sizeof expected) == 0, name_of[collective]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast(host_send, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Datatype with_gap;
  MPI_Type_vector(2, 1, 2, MPI_INT, &with_gap);
  MPI_Type_commit(&with_gap);
  const int on_device = argc > 2 && (strcmp(argv[2], "all") == 0 || rank % 2 == 1);
  if (on_device) {
    driver = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (driver == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    const memory_fn memory = (memory_fn)(uintptr_t)dlsym(driver, "stand_in_device_memory");
    device_send = memory(sizeof host_send);
    device_receive = memory(sizeof host_receive);
  }
  for (int i = 0; i < most_ranks; ++i) {
    counts[i] = elements / 2;
    places[i] = elements / 2 * i;
    byte_places[i] = 2 * (int)sizeof(int) * elements * i;
  }
  for (int collective = 0; collective < collectives; ++collective) {
    for (int in_place = 0; in_place < 2; ++in_place) {
      compare((enum collective)collective, MPI_INT, in_place, on_device);
      if (!reduces((enum collective)collective))
        compare((enum collective)collective, with_gap, in_place, on_device);
    }
  }
  MPI_Type_free(&with_gap);
  long all[2] = {checks, failures}, sums[2] = {0, 0};
  PMPI_Reduce(all, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checks=%ld failures=%ld\n", sums[0], sums[1]);
  MPI_Finalize();
  return failures > 0;
}
