// SPDX-License-Identifier: BSD-3-Clause
// What a forwarded call costs: MPI_X, which the preloaded library sees, against PMPI_X, which it
// does not. One rank, so that the MPI library's own work is as small as it can be; also on a
// communicator whose state Quadrille keeps (two ranks).
//
//   quadrille run -- mpirun -np 1 build/quadrille-call-benchmark
#include <benchmark/benchmark.h>
#include <mpi.h>
#include <stdlib.h>

namespace {

void bcast_intercepted(benchmark::State& state) {
  char byte = 0;
  for (auto _ : state) MPI_Bcast(&byte, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
}
BENCHMARK(bcast_intercepted)->Iterations(200'000)->Repetitions(5);

void bcast_direct(benchmark::State& state) {
  char byte = 0;
  for (auto _ : state) PMPI_Bcast(&byte, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
}
BENCHMARK(bcast_direct)->Iterations(200'000)->Repetitions(5);

void allreduce_intercepted(benchmark::State& state) {
  double value = 1;
  for (auto _ : state) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
BENCHMARK(allreduce_intercepted)->Iterations(200'000)->Repetitions(5);

void allreduce_direct(benchmark::State& state) {
  double value = 1;
  for (auto _ : state) PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
BENCHMARK(allreduce_direct)->Iterations(200'000)->Repetitions(5);

class Silent final : public benchmark::BenchmarkReporter {
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

int main(int argc, char** argv) {
  setenv("QUADRILLE_PMPI", "off", 1);  // what is compared with is the MPI library alone
  MPI_Init(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Silent silent;
  if (rank == 0) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    benchmark::RunSpecifiedBenchmarks(&silent);
  }
  MPI_Finalize();
  return 0;
}
