/* SPDX-License-Identifier: BSD-3-Clause
 * What libquadrille-timing.so tells the core library of each MPI call of the program: the contract
 * between the two, in plain C. */
#ifndef QUADRILLE_PRELOAD_TIMING_H
#define QUADRILLE_PRELOAD_TIMING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum quadrille_timed_kind {
  QUADRILLE_TIMED_COLLECTIVE, /* blocking */
  QUADRILLE_TIMED_NONBLOCKING_COLLECTIVE,
  QUADRILLE_TIMED_POINT_TO_POINT,
  QUADRILLE_TIMED_ONE_SIDED,
  QUADRILLE_TIMED_IO,
  QUADRILLE_TIMED_COMMUNICATORS,
  /* These count as what has made their requests. */
  QUADRILLE_TIMED_COMPLETION,
  QUADRILLE_TIMED_COMPLETION_OF_VALUE, /* in C the request itself is passed */
};

enum quadrille_timed_binding {
  QUADRILLE_TIMED_C,
  QUADRILLE_TIMED_C_LARGE, /* counts are MPI_Count */
  QUADRILLE_TIMED_FORTRAN, /* all is passed by address */
};

struct quadrille_timed_function {
  const char* name; /* in C */
  enum quadrille_timed_kind kind;
  enum quadrille_timed_binding binding;
  unsigned counts; /* a bit for each parameter that is one; behind the first comes its type */
  /* Places of parameters; -1: there is none. */
  int request;
  int requests; /* how many there are; none: one */
};

struct quadrille_timed_call {
  const struct quadrille_timed_function* function;
  const intptr_t* words; /* the arguments */
  const void* site;      /* where the program called */
  int64_t began_ns;      /* the core's; 0: it does not count */
};

#ifdef __cplusplus
}
#endif
#endif
