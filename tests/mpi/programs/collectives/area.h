/* SPDX-License-Identifier: BSD-3-Clause
 * Memory for elements of any datatype, with guards on both sides, so that two of them can be
 * compared byte by byte: what a call must not write counts too. Also the counting of checks. */
#ifndef QUADRILLE_TEST_AREA_H
#define QUADRILLE_TEST_AREA_H

#include <mpi.h>
#include <stddef.h>

struct area {
  char* memory;
  size_t bytes;
  char* base; /* what a call gets as buffer */
};

/* What the whole memory is filled with, gaps and guards too. */
enum contents {
  ANY_BYTES,
  SMALL_INTS,    /* 0 to 3 */
  SMALL_DOUBLES, /* 1, 2, -1: sums and products are exact in any order */
  DOUBLES_AND_INTS,
  ROUGH_DOUBLES, /* of very different size: every order of summation gives other bits */
};

/* The same contents for the same seed. */
struct area area_of(MPI_Datatype type, MPI_Count elements, enum contents contents, unsigned seed);
struct area area_copy(const struct area* original);
void area_free(struct area* area);
/* The bytes of an MPI_DOUBLE_INT behind its integer are no data: reductions may leave anything
 * there. */
void area_clear_padding(struct area* area);

struct tally {
  long checks;
  long failures;
  long replaced; /* calls that Quadrille executed */
};
extern struct tally tally;

/* Counts a check of the call that has just been made, before another one. */
void note_executor(void);
void check(int holds, const char* format, ...) __attribute__((format(printf, 2, 3)));
/* Compares, frees both, and counts. */
void check_same(struct area* ours, struct area* theirs, const char* what);

/* A deterministic sequence: the same on all ranks for the same state. */
unsigned next_random(unsigned long long* state);

#endif
