/* SPDX-License-Identifier: BSD-3-Clause
 * Areas of memory and the counting of checks. */
#include "area.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../executed.h"

struct tally tally;

unsigned next_random(unsigned long long* state) {
  /* Knuth's MMIX generator. */
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(*state >> 33);
}

static double double_of(enum contents contents, unsigned random) {
  static const double small[] = {1, 2, -1, 1};
  if (contents != ROUGH_DOUBLES) return small[random % 4];
  return ((double)random - 1e9) * (random % 3 == 0 ? 1e-9 : 1.7);
}

static void fill(char* memory, size_t bytes, enum contents contents, unsigned seed) {
  unsigned long long state = seed;
  next_random(&state);
  for (size_t i = 0; i < bytes; i += 8) {
    const unsigned random = next_random(&state);
    if (contents == SMALL_INTS) {
      const int pair[2] = {(int)(random % 4), (int)(random / 4 % 4)};
      memcpy(memory + i, pair, 8);
    } else if (contents == SMALL_DOUBLES || contents == ROUGH_DOUBLES ||
               (contents == DOUBLES_AND_INTS && i % 16 == 0)) {
      const double value = double_of(contents, random);
      memcpy(memory + i, &value, 8);
    } else if (contents == DOUBLES_AND_INTS) {
      const int pair[2] = {(int)(random % 1000), 0};
      memcpy(memory + i, pair, 8);
    } else {
      const unsigned long long word = random * 0x9e3779b97f4a7c15ULL;
      memcpy(memory + i, &word, 8);
    }
  }
}

struct area area_of(MPI_Datatype type, MPI_Count elements, enum contents contents, unsigned seed) {
  MPI_Aint lower, extent, true_lower, true_extent;
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  const MPI_Aint last = elements > 0 ? (MPI_Aint)(elements - 1) * extent : 0;
  const MPI_Aint low = (last < 0 ? last : 0) + true_lower;
  const MPI_Aint high = (last > 0 ? last : 0) + true_lower + true_extent;
  const MPI_Aint guard = 64;
  const MPI_Aint before = (guard - low + 15) / 16 * 16; /* elements stay aligned */
  struct area area;
  area.bytes = ((size_t)(before + high + guard) + 15) / 16 * 16;
  area.memory = malloc(area.bytes);
  area.base = area.memory + before;
  fill(area.memory, area.bytes, contents, seed);
  return area;
}

struct area area_copy(const struct area* original) {
  struct area copy = {malloc(original->bytes), original->bytes, NULL};
  copy.base = copy.memory + (original->base - original->memory);
  memcpy(copy.memory, original->memory, original->bytes);
  return copy;
}

void area_free(struct area* area) { free(area->memory); }

void note_executor(void) { tally.replaced += executed_by_quadrille(); }

void check(int holds, const char* format, ...) {
  ++tally.checks;
  if (holds) return;
  if (++tally.failures > 5) return;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char what[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  printf("wrong on world rank %d: %s\n", rank, what);
}

void area_clear_padding(struct area* area) {
  for (char* pair = area->base; pair + 16 <= area->memory + area->bytes; pair += 16)
    memset(pair + 12, 0, 4);
}

void check_same(struct area* ours, struct area* theirs, const char* what) {
  size_t differs = 0;
  while (differs < ours->bytes && ours->memory[differs] == theirs->memory[differs]) ++differs;
  check(differs == ours->bytes, "%s: byte %ld of the buffer", what,
        (long)differs - (long)(ours->base - ours->memory));
  area_free(ours);
  area_free(theirs);
}
