// SPDX-License-Identifier: BSD-3-Clause
// quadrille-messages-ompi, -mpich, -abi: how long it takes that all ranks exchange messages with
// the partners that a program's ranks have, at once, through the MPI library. Rank 0 writes a JSON
// object a line for each size.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/exit_codes.h"
#include "apps/messages/options.h"
#include "apps/messages/partners.h"
#include "base/whole_file.h"

namespace {

using namespace quadrille;
using namespace quadrille::messages;

constexpr std::size_t most_bytes = std::size_t{64} << 20U;  // of memory for receives
constexpr double batch_s = 1e-3;  // exchanges between two barriers take about as long
constexpr int most_in_batch = 32;
constexpr int fewest_batches = 3;

class Exchange {
 public:
  Exchange(const std::vector<Round>& rounds, std::size_t bytes)
      : rounds_(rounds), bytes_(static_cast<int>(bytes)), sent_(bytes + 1) {
    std::size_t most_senders = 0;
    for (const Round& round : rounds) most_senders = std::max(most_senders, round.senders.size());
    received_.resize(bytes * most_senders + 1);
  }

  // Returns how long `times` exchanges took, one after the other: of the slowest rank, in seconds.
  double run(int times) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int i = 0; i < times; ++i) {
      for (const Round& round : rounds_) go_through(round);
    }
    double took = MPI_Wtime() - began;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
  }

 private:
  void go_through(const Round& round) {
    requests_.clear();
    char* into = received_.data();
    for (const int sender : round.senders) {
      MPI_Irecv(into, bytes_, MPI_BYTE, sender, 0, MPI_COMM_WORLD, &requests_.emplace_back());
      into += bytes_;
    }
    for (const int receiver : round.receivers)
      MPI_Isend(sent_.data(), bytes_, MPI_BYTE, receiver, 0, MPI_COMM_WORLD,
                &requests_.emplace_back());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  const std::vector<Round>& rounds_;
  int bytes_;
  std::vector<char> sent_;
  std::vector<char> received_;
  std::vector<MPI_Request> requests_;
};

// Means tell of stalls, as a program's own time does; medians do not.
nlohmann::json measure(Exchange& exchange, double seconds) {
  exchange.run(2);  // connections are opened, memory is mapped
  const double once_s = exchange.run(1);
  const int batch =
      std::clamp(static_cast<int>(batch_s / std::max(once_s, 1e-6)), 1, most_in_batch);
  std::vector<double> times_s;
  double sum_s = 0;
  while (sum_s < seconds || times_s.size() < fewest_batches) {
    times_s.push_back(exchange.run(batch));
    sum_s += times_s.back();
  }
  const double mean_s = sum_s / static_cast<double>(times_s.size()) / batch;
  const auto middle = times_s.begin() + static_cast<std::ptrdiff_t>(times_s.size() / 2);
  std::ranges::nth_element(times_s, middle);
  return {{"type", "messages"},
          {"exchanges", times_s.size() * static_cast<std::size_t>(batch)},
          {"mean_ns", mean_s * 1e9},
          {"median_ns", *middle / batch * 1e9}};
}

void run(const MessagesOptions& options, const PartnersOfRanks& partners, int rank) {
  const std::vector<Round> rounds = rounds_of(rank, partners, options.at_once);
  std::size_t most_senders = 1;
  for (const Round& round : rounds) most_senders = std::max(most_senders, round.senders.size());
  MPI_Allreduce(MPI_IN_PLACE, &most_senders, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
  for (const std::size_t wanted : options.sizes) {
    const std::size_t bytes = std::min(wanted, most_bytes / most_senders);
    Exchange exchange(rounds, bytes);
    nlohmann::json line = measure(exchange, options.seconds);
    line["bytes"] = bytes;
    if (rank != 0) continue;
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }
}

// The file need be there on rank 0's host alone.
Result<PartnersOfRanks> read_partners(const std::string& path, int rank, int ranks) {
  std::string text;
  if (rank == 0) text = read_whole_file(path).value_or("");
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return parse_partners(text, ranks);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto parsed = parse_messages_options(argc, argv);
  int code = parsed.exit_code;
  if (parsed.run) {
    const auto partners = read_partners(parsed.options.partners, rank, ranks);
    if (partners.ok()) {
      run(parsed.options, partners.value(), rank);
    } else {
      if (rank == 0)
        std::fprintf(stderr, "quadrille: --like %s: %s\n", parsed.options.partners.c_str(),
                     partners.error().message.c_str());
      code = exit_code::failed;
    }
  } else if (rank == 0) {
    parsed.print();
  }
  MPI_Finalize();
  return code;
}
