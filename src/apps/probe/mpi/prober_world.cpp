// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/mpi/prober_world.h"

#include <algorithm>
#include <map>

#include "base/fingerprint.h"
#include "probe/measure/hosts/host_identity.h"
#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

constexpr std::int64_t between_looks_ns = 20'000'000;

}  // namespace

ProberWorld::ProberWorld() {
  int size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::uint64_t own = fingerprint(host_identity());
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  PMPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  std::map<std::uint64_t, HostIndex> number_of;
  for (int rank = 0; rank < size; ++rank) {
    const auto next = static_cast<HostIndex>(number_of.size());
    const auto [host, unseen] = number_of.try_emplace(all[static_cast<std::size_t>(rank)], next);
    if (unseen) agent_of_host_.push_back(rank);
    host_of_rank_.push_back(host->second);
  }
  PMPI_Comm_split(MPI_COMM_WORLD, is_agent() ? 0 : MPI_UNDEFINED, rank_, &agents_);
  if (agents_ != MPI_COMM_NULL) PMPI_Comm_set_errhandler(agents_, MPI_ERRORS_RETURN);
  PMPI_Comm_dup(MPI_COMM_WORLD, &words_);
}

ProberWorld::~ProberWorld() {
  if (agents_ != MPI_COMM_NULL) PMPI_Comm_free(&agents_);
  PMPI_Comm_free(&words_);
}

std::uint32_t ProberWorld::ranks_on_own_host() const {
  return static_cast<std::uint32_t>(std::ranges::count(host_of_rank_, own_host()));
}

int ProberWorld::await_word_of_coordinator(int word) const {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(&word, 1, MPI_INT, 0, words_, &request);
  for (int arrived = 0;;) {
    PMPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0) return word;
    sleep_for(between_looks_ns);
  }
}

}  // namespace quadrille::probe
