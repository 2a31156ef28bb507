/* SPDX-License-Identifier: BSD-3-Clause
 * communicator_churn COMMUNICATORS: splits so many off MPI_COMM_WORLD, of changing members in
 * changing order, uses each for an exchange, a sum and a broadcast, and frees it, some of them
 * later than the next is made. Prints how many results were wrong, and what grew on any rank from a
 * tenth of them on to the end: resident KiB, open descriptors, and files in /dev/shm. */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { block = 300, kept = 3 };

static int wrong = 0;

static int entries(const char* path) {
  int count = 0;
  DIR* directory = opendir(path);
  while (directory != NULL && readdir(directory) != NULL) ++count;
  if (directory != NULL) closedir(directory);
  return count;
}

static int resident_kib(void) {
  char line[256];
  int kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmRSS: %d", &kib) == 1) break;
  if (status != NULL) fclose(status);
  return kib;
}

static void measure(int out[3]) {
  out[0] = resident_kib();
  out[1] = entries("/proc/self/fd");
  out[2] = entries("/dev/shm");
}

static void use(MPI_Comm communicator, int seed) {
  int rank, ranks;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  unsigned char* sent = malloc((size_t)(block * ranks));
  unsigned char* received = malloc((size_t)(block * ranks));
  for (int i = 0; i < block * ranks; ++i)
    sent[i] = (unsigned char)(seed + rank * 31 + i / block * 7);
  MPI_Alltoall(sent, block, MPI_BYTE, received, block, MPI_BYTE, communicator);
  for (int i = 0; i < block * ranks; ++i)
    wrong += received[i] != (unsigned char)(seed + i / block * 31 + rank * 7);
  int sum = 0, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, communicator);
  wrong += sum != ranks;
  const int root = seed % ranks;
  memset(received, rank == root ? seed & 255 : 1, block);
  MPI_Bcast(received, block, MPI_BYTE, root, communicator);
  wrong += received[0] != (unsigned char)seed || received[block - 1] != (unsigned char)seed;
  free(sent);
  free(received);
}

int main(int argc, char** argv) {
  int rank, ranks, before[3] = {0}, after[3], grew[3], most[3], all_wrong = 0;
  MPI_Comm held[kept];
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int communicators = atoi(argv[1]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < kept; ++i) held[i] = MPI_COMM_NULL;
  for (int i = 0; i < communicators; ++i) {
    if (i == communicators / 10) measure(before);
    /* All; all but one; or halves that change. */
    const int color = i % 3 == 0   ? 0
                      : i % 3 == 1 ? rank == i / 3 % ranks
                                   : (rank + i / 3) % ranks * 2 / ranks;
    MPI_Comm* place = &held[i % kept];
    if (*place != MPI_COMM_NULL) MPI_Comm_free(place);
    MPI_Comm_split(MPI_COMM_WORLD, color, i % 2 == 0 ? rank : (rank + i) % ranks, place);
    use(*place, i);
  }
  for (int i = 0; i < kept; ++i)
    if (held[i] != MPI_COMM_NULL) MPI_Comm_free(&held[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  measure(after);
  for (int i = 0; i < 3; ++i) grew[i] = after[i] - before[i];
  MPI_Reduce(grew, most, 3, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong=%d\ngrew_kib=%d\ngrew_descriptors=%d\ngrew_shared=%d\n", all_wrong, most[0],
           most[1], most[2]);
  MPI_Finalize();
  return 0;
}
