/* SPDX-License-Identifier: BSD-3-Clause
 * large_element: broadcasts one element of more bytes than an int counts, as programs make it out
 * of pieces and a rest to exchange more than a count of MPI 3 does. The pieces lie at different
 * addresses, but in the same memory, so that a rank needs little of its own.
 * large_element apart: the rest does not begin where the pieces end.
 * large_element none: combines no elements of 4 GiB each. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { piece = 1 << 20, pieces = 2049, rest = 12345 };

static char* memory_for_one(void) {
  const size_t bytes = (size_t)(pieces + 1) * piece;
  char* start =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const int shared = memfd_create("pieces", 0);
  if (start == MAP_FAILED || ftruncate(shared, piece) != 0) return NULL;
  for (size_t i = 0; i < pieces; ++i) {
    if (mmap(start + i * piece, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared, 0) ==
        MAP_FAILED)
      return NULL;
  }
  return start;
}

static int gap = 0; /* before the rest */

static MPI_Datatype type_of_one(void) {
  MPI_Datatype one, all, made;
  MPI_Type_contiguous(piece, MPI_BYTE, &one);
  MPI_Type_contiguous(pieces, one, &all);
  const int lengths[2] = {1, rest};
  const MPI_Aint places[2] = {0, (MPI_Aint)piece * pieces + gap};
  const MPI_Datatype types[2] = {all, MPI_BYTE};
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&one);
  MPI_Type_free(&all);
  return made;
}

static char expected(size_t i, int of_rest) { return (char)(i * 7 + i / 251 + (of_rest ? 3 : 0)); }

static void combine(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)length, (void)type;
}

static int combine_none(void) {
  char none[2] = {0, 0};
  MPI_Datatype part, type;
  MPI_Op op;
  MPI_Type_contiguous(1 << 16, MPI_BYTE, &part);
  MPI_Type_contiguous(1 << 16, part, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(combine, 1, &op);
  const int code = MPI_Reduce(&none[0], &none[1], 0, type, op, 0, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Type_free(&part);
  return code != MPI_SUCCESS;
}

static int broadcast_one(int rank) {
  int failures = 0;
  char* const buffer = memory_for_one();
  if (buffer == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  char* const last = buffer + (size_t)piece * pieces + gap;
  MPI_Datatype type = type_of_one();
  for (size_t i = 0; i < piece; ++i) buffer[i] = rank == 0 ? expected(i, 0) : 0;
  for (size_t i = 0; i < rest; ++i) last[i] = rank == 0 ? expected(i, 1) : 0;
  failures += MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  for (size_t i = 0; i < piece; ++i) failures += buffer[i] != expected(i, 0);
  for (size_t i = 0; i < rest; ++i) failures += last[i] != expected(i, 1);
  MPI_Type_free(&type);
  return failures;
}

int main(int argc, char** argv) {
  int rank, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "apart") == 0) gap = 64;
  const int of_none = argc > 1 && strcmp(argv[1], "none") == 0;
  const int failures = of_none ? combine_none() : broadcast_one(rank);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("failures=%d\n", all);
  MPI_Finalize();
  return 0;
}
