/* SPDX-License-Identifier: BSD-3-Clause
 * Walks the loaded objects for the one that defines the MPI library's profiling entry. */
#define _GNU_SOURCE
#include "preload/find_mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

static int defines(void* handle, const char* symbol) { return dlsym(handle, symbol) != NULL; }

/* The base name tells the standard ABI from MPICH's own: one library file may well define both
 * handle sets. */
static enum quadrille_abi abi_of(void* handle, const char* path) {
  const char* slash = strrchr(path, '/');
  const char* base = slash == NULL ? path : slash + 1;
  if (defines(handle, "ompi_mpi_comm_world")) return QUADRILLE_ABI_OMPI;
  if (strncmp(base, "libmpi_abi.so", 13) == 0) return QUADRILLE_ABI_STANDARD;
  return QUADRILLE_ABI_MPICH;
}

static int fill(struct quadrille_mpi* mpi, const char* path) {
  void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  if (handle == NULL) return 0;
  mpi->handle = handle;
  mpi->abi = abi_of(handle, path);
  snprintf(mpi->path, sizeof mpi->path, "%s", path);
  return 1;
}

static int visit(struct dl_phdr_info* object, size_t size, void* argument) {
  (void)size;
  const char* slash = strrchr(object->dlpi_name, '/');
  if (slash == NULL || strncmp(slash, "/libmpi", 7) != 0) return 0;
  void* handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return 0;
  /* A library that merely depends on libmpi resolves the symbol too: ask where it is defined. */
  void* symbol = dlsym(handle, "PMPI_Init");
  Dl_info where;
  const int found =
      symbol != NULL && dladdr(symbol, &where) != 0 && fill(argument, where.dli_fname);
  dlclose(handle);
  return found;
}

struct quadrille_mpi quadrille_find_mpi(void) {
  struct quadrille_mpi mpi = {QUADRILLE_ABI_NONE, NULL, ""};
  void* symbol = dlsym(RTLD_NEXT, "PMPI_Init"); /* not the shim's own */
  Dl_info where;
  if (symbol != NULL && dladdr(symbol, &where) != 0 && fill(&mpi, where.dli_fname)) return mpi;
  dl_iterate_phdr(visit, &mpi);
  return mpi;
}

struct search {
  const char* symbol;
  void* found;
};

static int look_into(struct dl_phdr_info* object, size_t size, void* argument) {
  (void)size;
  struct search* search = argument;
  const char* slash = strrchr(object->dlpi_name, '/');
  if (slash == NULL || strncmp(slash, "/libmpi", 7) != 0) return 0;
  void* handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return 0;
  search->found = dlsym(handle, search->symbol);
  dlclose(handle);
  return search->found != NULL;
}

void* quadrille_find_in_any_part(const char* symbol) {
  struct search search = {symbol, NULL};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}
