/* SPDX-License-Identifier: BSD-3-Clause
 * transforms EDGE PAIRS: FFTW's own 3-D transforms of EDGE^3 complex numbers, there and back, PAIRS
 * times. Its transposes are MPI_Sendrecv, one partner after the other. Prints the mean time of a
 * transform and how far the first numbers are from where they began.
 * mpicc transforms.c -o transforms -lfftw3_mpi -lfftw3 -lm */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) {
    fprintf(stderr, "transforms EDGE PAIRS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  fftw_mpi_init();
  const ptrdiff_t edge = atoi(argv[1]);
  const int pairs = atoi(argv[2]);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ptrdiff_t planes, first;
  const ptrdiff_t room = fftw_mpi_local_size_3d(edge, edge, edge, MPI_COMM_WORLD, &planes, &first);
  fftw_complex* data = fftw_alloc_complex((size_t)room);
  fftw_plan there = fftw_mpi_plan_dft_3d(edge, edge, edge, data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                         FFTW_ESTIMATE);
  fftw_plan back = fftw_mpi_plan_dft_3d(edge, edge, edge, data, data, MPI_COMM_WORLD, FFTW_BACKWARD,
                                        FFTW_ESTIMATE);
  const ptrdiff_t own = planes * edge * edge;
  for (ptrdiff_t i = 0; i < own; ++i) {
    data[i][0] = (double)((i * 7 + rank * 13) % 101);
    data[i][1] = 0;
  }
  const double all = (double)edge * (double)edge * (double)edge;
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int pair = 0; pair < pairs; ++pair) {
    fftw_execute(there);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < own; ++i) {
      data[i][0] /= all;
      data[i][1] /= all;
    }
  }
  const double took = MPI_Wtime() - began;
  double error = 0;
  for (ptrdiff_t i = 0; i < own; ++i)
    error = fmax(error, fabs(data[i][0] - (double)((i * 7 + rank * 13) % 101)));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("%.2f ms each, error %g\n", took / pairs / 2 * 1e3, error);
  MPI_Finalize();
  return error > 1e-9;
}
