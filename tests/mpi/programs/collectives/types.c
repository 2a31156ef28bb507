/* SPDX-License-Identifier: BSD-3-Clause
 * Datatypes with gaps, backwards, with negative lower bounds and without data; operations of the
 * user's own. None with a negative extent: Open MPI's own allgather fails with one. */
#include "types.h"

#include <stddef.h>

static MPI_Datatype committed(MPI_Datatype type) {
  PMPI_Type_commit(&type);
  return type;
}

static MPI_Datatype strided(void) {
  MPI_Datatype type;
  PMPI_Type_vector(3, 2, 4, MPI_INT, &type);
  return committed(type);
}

static MPI_Datatype backwards(void) {
  const int lengths[] = {1, 2, 1};
  const int places[] = {4, 2, 0};
  MPI_Datatype type;
  PMPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  return committed(type);
}

static MPI_Datatype shifted(void) {
  MPI_Datatype pair, type;
  PMPI_Type_contiguous(2, MPI_INT, &pair);
  PMPI_Type_create_resized(pair, -8, 32, &type);
  PMPI_Type_free(&pair);
  return committed(type);
}

static MPI_Datatype record(void) {
  struct record {
    char letter;
    int number;
    double value;
  };
  const int lengths[] = {1, 1, 1};
  const MPI_Aint places[] = {offsetof(struct record, letter), offsetof(struct record, number),
                             offsetof(struct record, value)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  PMPI_Type_create_struct(3, lengths, places, types, &type);
  return committed(type);
}

/* Two ints in the order of memory, one behind the other, or the second before the first. */
static MPI_Datatype two_blocks(int first_place, int second_place) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {first_place, second_place};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  MPI_Datatype type;
  PMPI_Type_create_struct(2, lengths, places, types, &type);
  return committed(type);
}

static MPI_Datatype blocks_of_several(void) {
  const int lengths[] = {1, 0, 2};
  const MPI_Aint places[] = {0, 4, 12};
  MPI_Datatype three, type;
  PMPI_Type_contiguous(3, MPI_INT, &three);
  PMPI_Type_create_hindexed(3, lengths, places, three, &type);
  PMPI_Type_free(&three);
  return committed(type);
}

static MPI_Datatype several(int count, MPI_Datatype of) {
  MPI_Datatype type;
  PMPI_Type_contiguous(count, of, &type);
  return committed(type);
}

static MPI_Datatype duplicate(MPI_Datatype of) {
  MPI_Datatype type;
  PMPI_Type_dup(of, &type);
  return type;
}

/* What Fortran programs find by digits and range; where the library knows no Fortran, a double. */
static MPI_Datatype of_kind(void) {
  MPI_Datatype type;
  PMPI_Type_create_f90_real(15, 307, &type);
  return type == MPI_DATATYPE_NULL ? MPI_DOUBLE : type;
}

int make_types(struct type_case cases[MOST_CASES]) {
  const struct type_case made[] = {
      {"int", MPI_INT, 1},
      {"double", MPI_DOUBLE, 0},
      {"char", MPI_CHAR, 0},
      {"double complex", MPI_C_DOUBLE_COMPLEX, 0},
      {"double_int", MPI_DOUBLE_INT, 0},
      {"vector", strided(), 6},
      {"indexed backwards", backwards(), 4},
      {"resized, lower bound -8", shifted(), 2},
      {"struct", record(), 0},
      {"struct in memory order", two_blocks(0, 4), 2},
      {"struct backwards", two_blocks(4, 0), 2},
      {"blocks of several in a row", blocks_of_several(), 9},
      {"contiguous of 3", several(3, MPI_INT), 3},
      {"contiguous of vectors", several(2, strided()), 12},
      {"dup", duplicate(MPI_DOUBLE), 0},
      {"empty", several(0, MPI_INT), 0},
      {"contiguous of a kind", several(2, of_kind()), 0},
  };
  const int number = sizeof made / sizeof *made;
  for (int i = 0; i < number; ++i) cases[i] = made[i];
  return number;
}

/* Of the int at each place of the vector type's elements. */
static void add_vectors(void* in, void* inout, int* length, MPI_Datatype* type) {
  static const int places[] = {0, 1, 4, 5, 8, 9};
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *length; ++i) {
    const int* from = (const int*)((char*)in + i * extent);
    int* into = (int*)((char*)inout + i * extent);
    for (int k = 0; k < 6; ++k) into[places[k]] += from[places[k]];
  }
}

/* x -> a x + b, and then x -> c x + d: associative, not commutative. */
static void compose_maps(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *length; ++i) {
    const unsigned* first = (const unsigned*)((char*)in + i * extent);
    unsigned* second = (unsigned*)((char*)inout + i * extent);
    const unsigned factor = (first[0] + 2) * (second[0] + 2) - 2; /* kept as a - 2: never 0 */
    second[1] = first[1] * (second[0] + 2) + second[1];
    second[0] = factor;
  }
}

int make_reductions(struct reduction_case cases[MOST_CASES]) {
  MPI_Op add = MPI_OP_NULL, compose = MPI_OP_NULL;
  PMPI_Op_create(add_vectors, 1, &add);
  PMPI_Op_create(compose_maps, 0, &compose);
  const struct reduction_case made[] = {
      {"int sum", MPI_INT, MPI_SUM, SMALL_INTS},
      {"int max", MPI_INT, MPI_MAX, SMALL_INTS},
      {"unsigned char bor", MPI_UNSIGNED_CHAR, MPI_BOR, ANY_BYTES},
      {"double sum", MPI_DOUBLE, MPI_SUM, SMALL_DOUBLES},
      {"double prod", MPI_DOUBLE, MPI_PROD, SMALL_DOUBLES},
      {"double complex sum", MPI_C_DOUBLE_COMPLEX, MPI_SUM, SMALL_DOUBLES},
      {"double_int maxloc", MPI_DOUBLE_INT, MPI_MAXLOC, DOUBLES_AND_INTS},
      {"2int minloc", MPI_2INT, MPI_MINLOC, SMALL_INTS},
      {"user sum of vectors", strided(), add, SMALL_INTS},
      {"user composition", several(2, MPI_INT), compose, SMALL_INTS},
      {"user composition, lower bound -8", shifted(), compose, SMALL_INTS},
  };
  const int number = sizeof made / sizeof *made;
  for (int i = 0; i < number; ++i) cases[i] = made[i];
  return number;
}
