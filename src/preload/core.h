/* SPDX-License-Identifier: BSD-3-Clause
 * The contract between the preloaded shim and the core library of one MPI ABI.
 * Plain C: neither side may assume anything of the other's language or MPI. */
#ifndef QUADRILLE_PRELOAD_CORE_H
#define QUADRILLE_PRELOAD_CORE_H

#ifdef __cplusplus
extern "C" {
#endif

struct quadrille_timed_call;

#define QUADRILLE_CORE_VERSION 1

struct quadrille_shim {
  int version; /* QUADRILLE_CORE_VERSION */
  /* The next definition of an MPI symbol after the shim's own: another tool's, or the MPI
   * library's; NULL if there is none. */
  void* (*next)(const char* symbol);
};

struct quadrille_core {
  /* The core's definition of an MPI symbol, or NULL where it leaves the call alone. */
  void* (*implementation)(const char* symbol);
  /* See quadrille_last_execution. */
  int (*last_execution)(char* text, int size);
  /* See quadrille_timed_begin. */
  void (*timed_begin)(struct quadrille_timed_call* call);
  void (*timed_end)(struct quadrille_timed_call* call, int code);
};

/* Exported by each core library under the name "quadrille_core_attach". Returns NULL if it does not
 * fit. */
typedef const struct quadrille_core* (*quadrille_core_attach_fn)(const struct quadrille_shim* shim);

/* Exported by the shim: writes who executed the calling thread's latest collective, such as
 * "executor=quadrille algorithm=alltoall_ordered:partners=1:pieces=2" or "executor=mpi
 * reason=forwarded", as far as it fits, with a final zero. Behind the algorithm, where it went by
 * the wire, what its messages cost this rank: " packets=28 bytes=40000 resent=0
 * credit_wait_ns=71000 stalls=0". Returns its length, or -1 where no collective has been seen. */
int quadrille_last_execution(char* text, int size);

/* Exported by the shim: the MPI library's definition of a symbol, also where a module has loaded
 * the library for itself alone. NULL if there is none. */
void* quadrille_library_symbol(const char* symbol);

/* Exported by the shim, for libquadrille-timing.so (timing.h): before and after a call of the
 * program's that is no part of another one. */
void quadrille_timed_begin(struct quadrille_timed_call* call);
/* `code` is what the function has returned; nothing is known of it in Fortran. */
void quadrille_timed_end(struct quadrille_timed_call* call, int code);

#ifdef __cplusplus
}
#endif
#endif
