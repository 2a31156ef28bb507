/* SPDX-License-Identifier: BSD-3-Clause
 * libquadrille-timing.so: preloaded before libquadrille.so into jobs that write a trace, and into
 * no others. It defines the MPI functions of collectives.def and timed.def; each passes its call on
 * and tells the core library how long it took. What an MPI function calls in its turn is a part of
 * it.
 *
 * It passes words on as libquadrille.so does (shim.c), with as many as the longest signature has,
 * and likewise does nothing until an MPI function is called. */
#define _GNU_SOURCE
#include "preload/timing.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "preload/core.h"
#include "preload/symbols.h"

typedef word (*function)(word, word, word, word, word, word, word, word, word, word, word, word,
                         word, word);

struct entry {
  struct quadrille_timed_function function;
  const char* symbol;
  function next;
  int is_narrowed; /* the MPI library has no entry for large counts; next is the one with int */
};

static function find(const char* symbol) {
  void* found = dlsym(RTLD_NEXT, symbol);
  if (found == NULL) found = quadrille_library_symbol(symbol);
  return (function)(uintptr_t)found;
}

/* Some programs take the entries for large counts wherever they find them, and here they do. */
static function resolve(struct entry* entry) {
  function found = find(entry->symbol);
  if (found == NULL && entry->function.binding == QUADRILLE_TIMED_C_LARGE) {
    found = find(entry->function.name);
    entry->is_narrowed = 1;
  }
  if (found == NULL) {
    fprintf(stderr, "quadrille: %s is not in this program's MPI library\n", entry->symbol);
    abort();
  }
  __atomic_store_n(&entry->next, found, __ATOMIC_RELEASE);
  return found;
}

static int fits(const struct quadrille_timed_function* function, const word* words) {
  for (int i = 0; function->counts >> i != 0; ++i) {
    if ((function->counts >> i & 1U) != 0 && words[i] > INT_MAX) return 0;
  }
  return 1;
}

/* MPI_ERR_COUNT of the libraries that have no large counts. */
static word refuse(const struct entry* entry) {
  fprintf(stderr, "quadrille: %s: this MPI library takes counts of up to %d\n", entry->symbol,
          INT_MAX);
  return 2;
}

/* Where the stack of the program's call lies that this thread is in. A call further up the stack
 * has left it by longjmp. */
static __thread uintptr_t outermost;

static word pass_on(struct entry* entry, const word* w, const void* site) {
  function next = __atomic_load_n(&entry->next, __ATOMIC_ACQUIRE);
  if (__builtin_expect(next == NULL, 0)) next = resolve(entry);
  if (entry->is_narrowed && !fits(&entry->function, w)) return refuse(entry);
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  const int is_part = outermost > here;
  struct quadrille_timed_call call = {&entry->function, w, site, 0};
  if (!is_part) {
    outermost = here;
    quadrille_timed_begin(&call);
  }
  const word result =
      next(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13]);
  if (!is_part) {
    quadrille_timed_end(&call, (int)result);
    outermost = 0;
  }
  return result;
}

#define DEFINE(symbol, name, kind, binding, counts, request, requests)                             \
  EXPORT word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i,       \
                     word j, word k, word l, word m, word n);                                      \
  word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j,      \
              word k, word l, word m, word n) {                                                    \
    static struct entry entry = {{"MPI_" #name, QUADRILLE_TIMED_##kind, QUADRILLE_TIMED_##binding, \
                                  counts, request, requests},                                      \
                                 #symbol,                                                          \
                                 NULL,                                                             \
                                 0};                                                               \
    const word words[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n};                               \
    return pass_on(&entry, words, __builtin_return_address(0));                                    \
  }

#define FORTRAN(Name, lower, UPPER, ...) FORTRAN_SYMBOLS(DEFINE, lower, UPPER, Name, __VA_ARGS__)

#define TIMED(Name, lower, UPPER, kind, counts, request, requests) \
  DEFINE(MPI_##Name, Name, kind, C, counts, request, requests)     \
  FORTRAN(Name, lower, UPPER, kind, FORTRAN, counts, request, requests)
#define TIMED_LARGE(Name, lower, UPPER, kind, counts, request, requests) \
  TIMED(Name, lower, UPPER, kind, counts, request, requests)             \
  DEFINE(MPI_##Name##_c, Name, kind, C_LARGE, counts, request, requests)
#define AT(place) (1U << (place))
#include "preload/timed.def"

/* How many parameters there are, which is where a request comes behind them. */
#define NTH(a, b, c, d, e, f, g, h, i, nth, ...) nth
#define PARAMETERS(...) NTH(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)

#define ALL_OF(Name, lower, UPPER, kind, request)   \
  DEFINE(MPI_##Name, Name, kind, C, 0, request, -1) \
  FORTRAN(Name, lower, UPPER, kind, FORTRAN, 0, request, -1)
#define COLLECTIVE_WITHOUT_COUNTS(Name, lower, UPPER, executed_by, ...)                 \
  ALL_OF(Name, lower, UPPER, COLLECTIVE, -1)                                            \
  ALL_OF(I##lower, i##lower, I##UPPER, NONBLOCKING_COLLECTIVE, PARAMETERS(__VA_ARGS__)) \
  ALL_OF(Name##_init, lower##_init, UPPER##_INIT, NONBLOCKING_COLLECTIVE,               \
         PARAMETERS(__VA_ARGS__) + 1)                                                   \
  DEFINE(MPIX_##Name##_init, Name##_init, NONBLOCKING_COLLECTIVE, C, 0,                 \
         PARAMETERS(__VA_ARGS__) + 1, -1)
#define COLLECTIVE(Name, lower, UPPER, executed_by, ...)                                          \
  COLLECTIVE_WITHOUT_COUNTS(Name, lower, UPPER, executed_by, __VA_ARGS__)                         \
  DEFINE(MPI_##Name##_c, Name, COLLECTIVE, C_LARGE, 0, -1, -1)                                    \
  DEFINE(MPI_I##lower##_c, I##lower, NONBLOCKING_COLLECTIVE, C_LARGE, 0, PARAMETERS(__VA_ARGS__), \
         -1)                                                                                      \
  DEFINE(MPI_##Name##_init_c, Name##_init, NONBLOCKING_COLLECTIVE, C_LARGE, 0,                    \
         PARAMETERS(__VA_ARGS__) + 1, -1)
#include "preload/collectives.def"
