/* SPDX-License-Identifier: BSD-3-Clause
 * The core's range of addresses is known; others are looked up once for each place that calls. */
#define _GNU_SOURCE
#include "preload/caller.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

static uintptr_t core_begin, core_end;

static int note_core(struct dl_phdr_info* object, size_t size, void* argument) {
  (void)size;
  const uintptr_t wanted = (uintptr_t)argument;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t from = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    const uintptr_t to = from + object->dlpi_phdr[i].p_memsz;
    if (from < begin) begin = from;
    if (to > end) end = to;
  }
  if (wanted < begin || wanted >= end) return 0;
  core_begin = begin;
  core_end = end;
  return 1;
}

void quadrille_core_is_at(const void* address) {
  dl_iterate_phdr(note_core, (void*)(uintptr_t)address);
}

static int begins_with(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* Open MPI's, MPICH's and Intel MPI's; a tool such as mpiP's libmpiP.so is none of them. */
static int is_part_of_mpi(const char* path) {
  static const char* const names[] = {"libmpi.so", "libmpi_", "libmpich", "libmpifort",
                                      "libmpicxx", "libpmpi", "libopen-", "libopen_",
                                      "mca_",      "libucc",  "libhcoll", "libmpifh"};
  const char* slash = strrchr(path, '/');
  const char* base = slash == NULL ? path : slash + 1;
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
    if (begins_with(base, names[i])) return 1;
  }
  return 0;
}

/* A return address, and in its lowest bit, which is no part of the key, the answer. */
static uintptr_t known[256];

int quadrille_core_calls(const void* return_address) {
  const uintptr_t caller = (uintptr_t)return_address;
  return caller >= core_begin && caller < core_end;
}

int quadrille_program_calls(const void* return_address) {
  if (quadrille_core_calls(return_address)) return 0;
  const uintptr_t caller = (uintptr_t)return_address;
  uintptr_t* slot = &known[(caller >> 1U) % (sizeof known / sizeof *known)];
  const uintptr_t found = __atomic_load_n(slot, __ATOMIC_RELAXED);
  const uintptr_t key = caller << 1U; /* addresses of programs leave the highest bit free */
  if ((found & ~(uintptr_t)1) == key && found != 0) return (int)(found & 1U);
  Dl_info where;
  const int is_program = dladdr((void*)(uintptr_t)return_address, &where) == 0 ||
                         where.dli_fname == NULL || !is_part_of_mpi(where.dli_fname);
  __atomic_store_n(slot, key | (uintptr_t)is_program, __ATOMIC_RELAXED);
  return is_program;
}
