/* SPDX-License-Identifier: BSD-3-Clause
 * Who calls a PMPI_ function: the program, or a tool that the program's calls go through, whose
 * collectives Quadrille may take over; or the MPI library and the core, whose own calls they are.
 *
 * Thread rule: any thread. */
#ifndef QUADRILLE_PRELOAD_CALLER_H
#define QUADRILLE_PRELOAD_CALLER_H

/* Has the object that holds `address` count as the core. Before any other thread asks. */
void quadrille_core_is_at(const void* address);

/* `return_address`: where the call returns to. */
int quadrille_program_calls(const void* return_address);
int quadrille_core_calls(const void* return_address);

#endif
