/* SPDX-License-Identifier: BSD-3-Clause
 * What a test program has checked: counted, and what does not hold told by its rank. */
#ifndef QUADRILLE_TEST_CHECKS_H
#define QUADRILLE_TEST_CHECKS_H

#include <stdio.h>

static int rank, size; /* in MPI_COMM_WORLD */
static long checks, failures;

static void expect(int holds, const char* what) {
  ++checks;
  if (holds) return;
  ++failures;
  printf("wrong on rank %d: %s\n", rank, what);
}

#endif
