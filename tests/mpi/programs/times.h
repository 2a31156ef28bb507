/* SPDX-License-Identifier: BSD-3-Clause
 * The order of times, for qsort. */
#ifndef QUADRILLE_TESTS_TIMES_H
#define QUADRILLE_TESTS_TIMES_H

static int by_value(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return (a > b) - (a < b);
}

#endif
