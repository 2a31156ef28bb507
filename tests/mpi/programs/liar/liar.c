/* SPDX-License-Identifier: BSD-3-Clause
 * An MPI library that contradicts itself: preloaded behind Quadrille's, it answers wrongly about
 * communicators smaller than the world, on world rank LIAR_RANK or, without it, on all. LIAR:
 * group (MPI_Comm_group gives the world's), size, rank, translate (no process of the world's),
 * twice (two ranks are one process). The program's own calls are answered truly: they are made by
 * the MPI_ names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void* library(const char* symbol) { return dlsym(RTLD_NEXT, symbol); }
#define LIBRARY(function) ((__typeof__(&P##function))(uintptr_t)library("P" #function))

static int size_of(MPI_Comm comm) {
  int size = 0;
  LIBRARY(MPI_Comm_size)(comm, &size);
  return size;
}

static int lies(const char* what, int size) {
  const char* wanted = getenv("LIAR");
  const char* on = getenv("LIAR_RANK");
  int rank = 0;
  LIBRARY(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  return wanted != NULL && strcmp(wanted, what) == 0 && (on == NULL || atoi(on) == rank) &&
         size > 1 && size < size_of(MPI_COMM_WORLD);
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return LIBRARY(MPI_Comm_group)(lies("group", size_of(comm)) ? MPI_COMM_WORLD : comm, group);
}

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  const int code = LIBRARY(MPI_Comm_size)(comm, size);
  if (lies("size", *size)) *size += 1;
  return code;
}

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  const int code = LIBRARY(MPI_Comm_rank)(comm, rank);
  const int size = size_of(comm);
  if (lies("rank", size)) *rank = (*rank + 1) % size;
  return code;
}

int PMPI_Group_translate_ranks(MPI_Group from, int count, const int ranks[], MPI_Group into,
                               int found[]) {
  const int code = LIBRARY(MPI_Group_translate_ranks)(from, count, ranks, into, found);
  for (int i = 0; i < count && lies("translate", count); ++i) found[i] += 1000;
  if (lies("twice", count)) found[count - 1] = found[0];
  return code;
}
