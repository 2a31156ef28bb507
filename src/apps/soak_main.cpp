// SPDX-License-Identifier: BSD-3-Clause
// quadrille-soak-ompi, -mpich, -abi: random messages and collectives for as long as wanted. Rank 0
// writes a JSON object for each sample of all ranks' memory.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/soak/memory.h"
#include "apps/soak/mpi/traffic.h"
#include "apps/soak/options.h"

namespace {

using namespace quadrille;

enum class Next : int { exchange, sample, end };

constexpr std::size_t kNumbers = 9;
using Sample = std::array<std::int64_t, kNumbers>;

Sample sample_of(const soak::Traffic& traffic) {
  const soak::Memory now = soak::read_memory();
  return {static_cast<std::int64_t>(traffic.calls()),
          static_cast<std::int64_t>(traffic.wrong()),
          now.resident_kib,
          now.anonymous_kib,
          now.threads,
          now.sockets,
          now.tcp_pages,
          now.udp_pages,
          now.kernel_kib};
}

// Returns how much was wrong on all ranks.
std::int64_t tell(const soak::Traffic& traffic, double seconds, int rank, int ranks) {
  static constexpr std::array<const char*, kNumbers> names{
      "calls",   "wrong",     "resident_kib", "anonymous_kib", "threads",
      "sockets", "tcp_pages", "udp_pages",    "kernel_kib"};
  const Sample own = sample_of(traffic);
  std::vector<std::int64_t> all(kNumbers * static_cast<std::size_t>(ranks));
  MPI_Allgather(own.data(), kNumbers, MPI_INT64_T, all.data(), kNumbers, MPI_INT64_T,
                MPI_COMM_WORLD);
  nlohmann::json line{{"type", "sample"}, {"seconds", seconds}};
  std::int64_t wrong = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    line[names.at(at % kNumbers)].push_back(all[at]);
    if (at % kNumbers == 1) wrong += all[at];
  }
  if (rank == 0) {
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }
  return wrong;
}

int run(const soak::SoakOptions& options) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  soak::Traffic traffic(options.seed);
  constexpr int between_looks = 32;  // exchanges
  const double began = MPI_Wtime();
  double sampled = began - options.between_samples_s;
  for (;;) {
    const double now = MPI_Wtime();
    auto next = Next::exchange;
    if (now - sampled >= options.between_samples_s) next = Next::sample;
    if (now - began >= options.seconds || (options.calls > 0 && traffic.calls() >= options.calls))
      next = Next::end;
    MPI_Bcast(&next, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (next != Next::exchange) {
      const std::int64_t wrong = tell(traffic, now - began, rank, ranks);
      sampled = now;
      if (wrong > 0 || next == Next::end) return wrong > 0 ? 1 : 0;
    }
    for (int i = 0; i < between_looks; ++i) traffic.exchange();
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto parsed = soak::parse_soak_options(argc, argv);
  int code = parsed.exit_code;
  if (parsed.run) {
    code = run(parsed.options);
  } else {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) parsed.print();
  }
  MPI_Finalize();
  return code;
}
