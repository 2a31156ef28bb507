/* SPDX-License-Identifier: BSD-3-Clause
 * Fortran's names of persistent collectives, for a program whose MPI library has none: what is
 * preloaded has them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void* preloaded(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) {
    fprintf(stderr, "nothing preloaded has %s\n", name);
    abort();
  }
  return found;
}

void preloaded_alltoall_init_(void* a, void* b, void* c, void* d, void* e, void* f, void* g,
                              void* h, void* i, void* j) {
  typedef void (*function)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);
  function next;
  *(void**)&next = preloaded("mpi_alltoall_init_");
  next(a, b, c, d, e, f, g, h, i, j);
}

void preloaded_alltoallw_init_(void* a, void* b, void* c, void* d, void* e, void* f, void* g,
                               void* h, void* i, void* j, void* k, void* l) {
  typedef void (*function)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                           void*, void*);
  function next;
  *(void**)&next = preloaded("mpi_alltoallw_init_");
  next(a, b, c, d, e, f, g, h, i, j, k, l);
}
