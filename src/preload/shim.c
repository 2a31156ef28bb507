/* SPDX-License-Identifier: BSD-3-Clause
 * libquadrille.so: the one library that LD_PRELOAD names, for every MPI. It defines the MPI symbols
 * of intercepted.def; at the first call of one it finds the process's MPI library and loads the
 * core library of that ABI, which lies beside it. Where there is no core that fits, every call goes
 * on to the MPI library.
 *
 * It is loaded into every process of a job's tree (shells, ssh, the launcher), so it has no
 * constructor, needs nothing but libc, and does nothing until an MPI function is called.
 *
 * The shim knows no MPI type. Handles, counts and addresses are all passed as machine words in
 * registers and 8-byte stack slots (System V x86-64, AAPCS64), so one definition with as many words
 * as the longest signature has, turned into a jump by the compiler, passes any of them on
 * untouched. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/caller.h"
#include "preload/core.h"
#include "preload/find_mpi.h"
#include "preload/symbols.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error \
    "the shim relies on 8-byte argument slots: check this architecture's calling convention first"
#endif

static struct quadrille_mpi mpi;
static const struct quadrille_core* core;
static pthread_once_t found_mpi = PTHREAD_ONCE_INIT;
static pthread_once_t loaded_late = PTHREAD_ONCE_INIT;

static void* next_symbol(const char* symbol) {
  void* found = dlsym(RTLD_NEXT, symbol);
  if (found == NULL && mpi.handle != NULL) found = dlsym(mpi.handle, symbol);
  if (found == NULL) found = quadrille_find_in_any_part(symbol);
  return found;
}

static const struct quadrille_shim shim = {QUADRILLE_CORE_VERSION, next_symbol};

static const char* core_file(enum quadrille_abi abi) {
  switch (abi) {
    case QUADRILLE_ABI_OMPI:
      return "libquadrille-ompi.so";
    case QUADRILLE_ABI_MPICH:
      return "libquadrille-mpich.so";
    case QUADRILLE_ABI_STANDARD:
      return "libquadrille-abi.so";
    case QUADRILLE_ABI_NONE:
      break;
  }
  return NULL;
}

static enum quadrille_abi abi_named(const char* name) {
  if (strcmp(name, "ompi") == 0) return QUADRILLE_ABI_OMPI;
  if (strcmp(name, "mpich") == 0) return QUADRILLE_ABI_MPICH;
  if (strcmp(name, "abi") == 0) return QUADRILLE_ABI_STANDARD;
  return QUADRILLE_ABI_NONE;
}

/* Every rank of a job meets the same trouble: the first one says so. */
static int is_first_rank(void) {
  static const char* const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                          "SLURM_PROCID"};
  for (unsigned i = 0; i < sizeof variables / sizeof *variables; ++i) {
    const char* rank = getenv(variables[i]);
    if (rank != NULL) return strcmp(rank, "0") == 0;
  }
  return 1;
}

static void complain(const char* what, const char* detail) {
  if (!is_first_rank()) return;
  fprintf(stderr, "quadrille: %s: %s; the program runs on with the MPI library alone\n", what,
          detail);
}

static int is_off(void) {
  const char* wanted = getenv("QUADRILLE_COLLECTIVES");
  return wanted != NULL && strcmp(wanted, "off") == 0;
}

static void load_core(void) {
  if (mpi.abi == QUADRILLE_ABI_NONE) {
    complain("no MPI library in this process", "is the program linked statically?");
    return;
  }
  const char* forced = getenv("QUADRILLE_ABI");
  if (forced != NULL && *forced != '\0' && abi_named(forced) != mpi.abi) {
    complain("QUADRILLE_ABI does not fit this program's MPI library", mpi.path);
    return;
  }
  Dl_info self;
  if (dladdr((void*)(uintptr_t)&load_core, &self) == 0) return;
  char path[4096];
  const char* slash = strrchr(self.dli_fname, '/');
  const int folder = slash == NULL ? 0 : (int)(slash + 1 - self.dli_fname);
  snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, core_file(mpi.abi));
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    complain("cannot load its core", dlerror());
    return;
  }
  quadrille_core_attach_fn attach =
      (quadrille_core_attach_fn)(uintptr_t)dlsym(handle, "quadrille_core_attach");
  core = attach == NULL ? NULL : attach(&shim);
  if (core != NULL) quadrille_core_is_at((const void*)(uintptr_t)attach);
  if (core == NULL) complain("its core is of another version", path);
}

static void find_mpi(void) {
  mpi = quadrille_find_mpi();
  if (!is_off()) load_core();
}

typedef word (*function)(word, word, word, word, word, word, word, word, word, word, word, word);

static function resolve(const char* symbol, function* slot) {
  pthread_once(&found_mpi, find_mpi);
  const int off = is_off();
  void* found = off || core == NULL ? NULL : core->implementation(symbol);
  if (found == NULL) found = next_symbol(symbol);
  /* A call that is there because the shim is: the core has it do with what the library has. */
  if (found == NULL && off) {
    pthread_once(&loaded_late, load_core);
    if (core != NULL) found = core->implementation(symbol);
  }
  if (found == NULL) {
    fprintf(stderr, "quadrille: %s is not in this program's MPI library\n", symbol);
    abort();
  }
  __atomic_store_n(slot, (function)(uintptr_t)found, __ATOMIC_RELEASE);
  return (function)(uintptr_t)found;
}

#define DEFINE(symbol)                                                                        \
  EXPORT word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i,  \
                     word j, word k, word l);                                                 \
  word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, \
              word k, word l) {                                                               \
    static function slot;                                                                     \
    function go = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);                                   \
    if (__builtin_expect(go == NULL, 0)) go = resolve(#symbol, &slot);                        \
    return go(a, b, c, d, e, f, g, h, i, j, k, l);                                            \
  }

/* PMPI_ is what tools call, and whoever wants the MPI library alone: the library itself and the
 * core, and whom QUADRILLE_PMPI=off lets. On all ranks the same calls have to come by: a program in
 * which one rank says PMPI_Allreduce and another MPI_Allreduce is right. */
static function resolve_profiling(const char* symbol, int of_all, function* taken_over,
                                  function* library) {
  pthread_once(&found_mpi, find_mpi);
  const char* wanted = getenv("QUADRILLE_PMPI");
  const int off = is_off() || (!of_all && wanted != NULL && strcmp(wanted, "off") == 0);
  function next = (function)(uintptr_t)next_symbol(symbol);
  if (next == NULL) {
    fprintf(stderr, "quadrille: %s is not in this program's MPI library\n", symbol);
    abort();
  }
  void* found = off || core == NULL ? NULL : core->implementation(symbol);
  __atomic_store_n(taken_over, found == NULL ? next : (function)(uintptr_t)found, __ATOMIC_RELAXED);
  __atomic_store_n(library, next, __ATOMIC_RELEASE);
  return next;
}

#define DEFINE_PROFILING(symbol, of_all, is_taken_over)                                       \
  EXPORT word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i,  \
                     word j, word k, word l);                                                 \
  word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, \
              word k, word l) {                                                               \
    static function taken_over, library;                                                      \
    function go = __atomic_load_n(&library, __ATOMIC_ACQUIRE);                                \
    if (__builtin_expect(go == NULL, 0))                                                      \
      go = resolve_profiling(#symbol, of_all, &taken_over, &library);                         \
    if (is_taken_over(__builtin_return_address(0)))                                           \
      go = __atomic_load_n(&taken_over, __ATOMIC_RELAXED);                                    \
    return go(a, b, c, d, e, f, g, h, i, j, k, l);                                            \
  }

static int anyone_else_calls(const void* return_address) {
  return !quadrille_core_calls(return_address);
}

#define C(name) DEFINE(MPI_##name) DEFINE_PROFILING(PMPI_##name, 0, quadrille_program_calls)
#define C_OF_ALL(name) DEFINE(MPI_##name) DEFINE_PROFILING(PMPI_##name, 1, anyone_else_calls)
#define MPIX(name) DEFINE(MPIX_##name) DEFINE_PROFILING(PMPIX_##name, 0, quadrille_program_calls)
#define C_AND_LARGE(name) C(name) C(name##_c)
#define DEFINE_FORTRAN(symbol, ...) DEFINE(symbol)
#define FORTRAN(lower, UPPER) FORTRAN_SYMBOLS(DEFINE_FORTRAN, lower, UPPER, )
#include "preload/intercepted.def"

EXPORT int quadrille_last_execution(char* text, int size) {
  return core == NULL ? -1 : core->last_execution(text, size);
}

EXPORT void* quadrille_library_symbol(const char* symbol) {
  pthread_once(&found_mpi, find_mpi);
  return next_symbol(symbol);
}

EXPORT void quadrille_timed_begin(struct quadrille_timed_call* call) {
  if (core != NULL) core->timed_begin(call);
}

EXPORT void quadrille_timed_end(struct quadrille_timed_call* call, int code) {
  if (core != NULL) core->timed_end(call, code);
}
