/* SPDX-License-Identifier: BSD-3-Clause
 * late_rank SECONDS WHAT: rank 1 enters a barrier SECONDS later than the others, doing WHAT
 * meanwhile: sleep, stop (SIGSTOP, woken by its child), die (kill -9 of itself). */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void stop_myself(unsigned seconds) {
  const pid_t stopped = getpid();
  const pid_t waker = fork();
  if (waker == 0) {
    sleep(seconds);
    kill(stopped, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  waitpid(waker, NULL, 0);
}

int main(int argc, char** argv) {
  int rank, sum = 0;
  const unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  const char* what = argc > 2 ? argv[2] : "sleep";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    if (strcmp(what, "sleep") == 0) sleep(seconds);
    if (strcmp(what, "stop") == 0) stop_myself(seconds);
    if (strcmp(what, "die") == 0) raise(SIGKILL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int one = 1;
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum=%d\n", sum);
  MPI_Finalize();
  return 0;
}
