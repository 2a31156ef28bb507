/* SPDX-License-Identifier: BSD-3-Clause
 * Calls whose blocks differ in length. Blocks lie in the reverse order of ranks, with gaps. */
#include "calls.h"

/* Elements from one rank to another: none to one and a half times the call's count. */
static int elements_between(const struct call* call, int source, int target) {
  return call->count * (((int)call->seed + 7 * source + 3 * target) % 4) / 2;
}
static int elements_of(const struct call* call, int rank) {
  return elements_between(call, rank, rank);
}
/* The same both ways, as exchanges in place need it. */
static int elements_of_pair(const struct call* call, int one, int other) {
  return one < other ? elements_between(call, one, other) : elements_between(call, other, one);
}

struct layout {
  int counts[MOST_RANKS];
  int displacements[MOST_RANKS]; /* elements */
  int elements;                  /* from the buffer's beginning to the last block's end */
};

static struct layout laid_out(const int counts[MOST_RANKS], int ranks) {
  struct layout layout = {{0}, {0}, 0};
  for (int i = ranks; i-- > 0;) {
    layout.counts[i] = counts[i];
    layout.displacements[i] = layout.elements;
    layout.elements += counts[i] + 1 + i % 2;
  }
  return layout;
}

static struct layout of_all(const struct call* call) {
  int counts[MOST_RANKS];
  for (int i = 0; i < size_of(call->comm); ++i) counts[i] = elements_of(call, i);
  return laid_out(counts, size_of(call->comm));
}

/* The same layout in ints, for a type of `ints` of them. */
static struct layout in_ints(struct layout layout, int ints, int ranks) {
  for (int i = 0; i < ranks; ++i) {
    layout.counts[i] *= ints;
    layout.displacements[i] *= ints;
  }
  layout.elements *= ints;
  return layout;
}

void compare_allgatherv(const struct call* call, const struct type_case* type) {
  char text[256];
  const int unpacked = type->ints > 0 && !call->in_place && call->root % 2 == 1;
  const MPI_Datatype into = unpacked ? MPI_INT : type->type;
  const struct layout blocks =
      in_ints(of_all(call), unpacked ? type->ints : 1, size_of(call->comm));
  const int own = elements_of(call, rank_in(call->comm));
  struct area send = area_of(type->type, own, ANY_BYTES, own_seed(call, 0));
  struct area ours = area_of(into, blocks.elements, ANY_BYTES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Allgatherv(from, own, type->type, ours.base, blocks.counts, blocks.displacements, into,
                 call->comm);
  note_executor();
  PMPI_Allgatherv(from, own, type->type, theirs.base, blocks.counts, blocks.displacements, into,
                  call->comm);
  check_same(&ours, &theirs, describe(text, "allgatherv", call, type->name));
  area_free(&send);
}

void compare_gatherv(const struct call* call, const struct type_case* type) {
  char text[256];
  const int at_root = rank_in(call->comm) == call->root;
  const struct layout blocks = of_all(call);
  const int own = elements_of(call, rank_in(call->comm));
  struct area send = area_of(type->type, own, ANY_BYTES, own_seed(call, 0));
  struct area ours = area_of(type->type, blocks.elements, ANY_BYTES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place && at_root ? MPI_IN_PLACE : send.base;
  MPI_Gatherv(from, own, type->type, at_root ? ours.base : NULL, at_root ? blocks.counts : NULL,
              at_root ? blocks.displacements : NULL, type->type, call->root, call->comm);
  note_executor();
  PMPI_Gatherv(from, own, type->type, at_root ? theirs.base : NULL, at_root ? blocks.counts : NULL,
               at_root ? blocks.displacements : NULL, type->type, call->root, call->comm);
  check_same(&ours, &theirs, describe(text, "gatherv", call, type->name));
  area_free(&send);
}

void compare_scatterv(const struct call* call, const struct type_case* type) {
  char text[256];
  const int at_root = rank_in(call->comm) == call->root;
  const int stays = call->in_place && at_root;
  const struct layout blocks = of_all(call);
  const int own = elements_of(call, rank_in(call->comm));
  struct area send = area_of(type->type, blocks.elements, ANY_BYTES, own_seed(call, 0));
  struct area ours = area_of(type->type, own, ANY_BYTES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = at_root ? send.base : NULL;
  MPI_Scatterv(from, blocks.counts, blocks.displacements, type->type,
               stays ? MPI_IN_PLACE : ours.base, own, type->type, call->root, call->comm);
  note_executor();
  PMPI_Scatterv(from, blocks.counts, blocks.displacements, type->type,
                stays ? MPI_IN_PLACE : theirs.base, own, type->type, call->root, call->comm);
  check_same(&ours, &theirs, describe(text, "scatterv", call, type->name));
  area_free(&send);
}

/* What this rank sends to, or receives from, each other. */
static struct layout exchanged(const struct call* call, int receives) {
  int counts[MOST_RANKS];
  const int rank = rank_in(call->comm);
  for (int i = 0; i < size_of(call->comm); ++i) {
    counts[i] = call->in_place ? elements_of_pair(call, rank, i)
                : receives     ? elements_between(call, i, rank)
                               : elements_between(call, rank, i);
  }
  return laid_out(counts, size_of(call->comm));
}

void compare_alltoallv(const struct call* call, const struct type_case* type) {
  char text[256];
  const struct layout out = exchanged(call, 0), in = exchanged(call, 1);
  struct area send = area_of(type->type, out.elements, ANY_BYTES, own_seed(call, 0));
  struct area ours = area_of(type->type, in.elements, ANY_BYTES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Alltoallv(from, out.counts, out.displacements, type->type, ours.base, in.counts,
                in.displacements, type->type, call->comm);
  note_executor();
  PMPI_Alltoallv(from, out.counts, out.displacements, type->type, theirs.base, in.counts,
                 in.displacements, type->type, call->comm);
  check_same(&ours, &theirs, describe(text, "alltoallv", call, type->name));
  area_free(&send);
}

/* Bytes from the buffer's beginning, and the types of each block: ints from even ranks where the
 * type consists of them and `unlike` is set. */
struct typed_layout {
  struct layout blocks;
  MPI_Datatype types[MOST_RANKS];
};

static struct typed_layout typed(struct layout layout, const struct type_case* type, int unlike,
                                 int ranks) {
  struct typed_layout result = {layout, {MPI_DATATYPE_NULL}};
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(type->type, &lower, &extent);
  for (int i = 0; i < ranks; ++i) {
    const int as_ints = unlike && type->ints > 0 && i % 2 == 0;
    result.types[i] = as_ints ? MPI_INT : type->type;
    if (as_ints) result.blocks.counts[i] *= type->ints;
    result.blocks.displacements[i] *= (int)extent;
  }
  return result;
}

void compare_alltoallw(const struct call* call, const struct type_case* type) {
  char text[256];
  const int ranks = size_of(call->comm);
  const struct layout out = exchanged(call, 0), in = exchanged(call, 1);
  const struct typed_layout sent = typed(out, type, 0, ranks);
  const struct typed_layout received = typed(in, type, !call->in_place, ranks);
  struct area send = area_of(type->type, out.elements, ANY_BYTES, own_seed(call, 0));
  struct area ours = area_of(type->type, in.elements, ANY_BYTES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* from = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Alltoallw(from, sent.blocks.counts, sent.blocks.displacements, sent.types, ours.base,
                received.blocks.counts, received.blocks.displacements, received.types, call->comm);
  note_executor();
  PMPI_Alltoallw(from, sent.blocks.counts, sent.blocks.displacements, sent.types, theirs.base,
                 received.blocks.counts, received.blocks.displacements, received.types, call->comm);
  check_same(&ours, &theirs, describe(text, "alltoallw", call, type->name));
  area_free(&send);
}

void compare_large_count_of_blocks(const struct call* call) {
#if MPI_VERSION >= 4
  char text[256];
  const struct layout out = exchanged(call, 0), in = exchanged(call, 1);
  MPI_Count sent[MOST_RANKS], received[MOST_RANKS];
  MPI_Aint from[MOST_RANKS], into[MOST_RANKS];
  for (int i = 0; i < size_of(call->comm); ++i) {
    sent[i] = out.counts[i];
    received[i] = in.counts[i];
    from[i] = out.displacements[i];
    into[i] = in.displacements[i];
  }
  struct area send = area_of(MPI_DOUBLE, out.elements, SMALL_DOUBLES, own_seed(call, 0));
  struct area ours = area_of(MPI_DOUBLE, in.elements, SMALL_DOUBLES, own_seed(call, 1));
  struct area theirs = area_copy(&ours);
  const void* data = call->in_place ? MPI_IN_PLACE : send.base;
  MPI_Alltoallv_c(data, sent, from, MPI_DOUBLE, ours.base, received, into, MPI_DOUBLE, call->comm);
  note_executor();
  PMPI_Alltoallv_c(data, sent, from, MPI_DOUBLE, theirs.base, received, into, MPI_DOUBLE,
                   call->comm);
  check_same(&ours, &theirs, describe(text, "alltoallv_c", call, "double"));
  area_free(&send);

  const struct layout all = of_all(call);
  for (int i = 0; i < size_of(call->comm); ++i) {
    received[i] = all.counts[i];
    into[i] = all.displacements[i];
  }
  const MPI_Count mine = received[rank_in(call->comm)];
  send = area_of(MPI_DOUBLE, mine, SMALL_DOUBLES, own_seed(call, 2));
  ours = area_of(MPI_DOUBLE, all.elements, SMALL_DOUBLES, own_seed(call, 3));
  theirs = area_copy(&ours);
  MPI_Allgatherv_c(send.base, mine, MPI_DOUBLE, ours.base, received, into, MPI_DOUBLE, call->comm);
  note_executor();
  PMPI_Allgatherv_c(send.base, mine, MPI_DOUBLE, theirs.base, received, into, MPI_DOUBLE,
                    call->comm);
  check_same(&ours, &theirs, describe(text, "allgatherv_c", call, "double"));
  area_free(&send);
#else
  (void)call;
#endif
}
