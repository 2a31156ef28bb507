/* SPDX-License-Identifier: BSD-3-Clause
 * Who executed the calling thread's latest collective, asked of the preloaded library at run time.
 */
#ifndef QUADRILLE_TEST_EXECUTED_H
#define QUADRILLE_TEST_EXECUTED_H

/* 1: an algorithm of Quadrille's; 0: the MPI library, or Quadrille is not in this process. */
int executed_by_quadrille(void);

#endif
