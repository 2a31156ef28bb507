// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agree/count_exchange.h"

#include <mpi.h>

#include "algorithms/alltoall/count_exchange.h"
#include "mpi/communicator/communicator.h"

namespace quadrille {

CountExchange::CountExchange(const TopologyView& view, Rank rank)
    : hosts_(view, rank), telling_(exchange_counts(hosts_)) {}

int CountExchange::ask(Communicator& communicator, StoredCounts& counts, const char* operation) {
  const std::size_t ranks = hosts_.own().size();
  const std::size_t of_each =
      hosts_.targets_of(hosts_.place()).size() + hosts_.sources_of(hosts_.place()).size();
  tells_.clear();
  for (std::size_t place = 0; place < ranks; ++place) {
    if (place == hosts_.place()) continue;
    const std::vector<std::uint64_t> lengths = counts_for(hosts_, counts.view(), place);
    tells_.insert(tells_.end(), lengths.begin(), lengths.end());
  }
  told_.resize((ranks - 1) * of_each);
  CallMemory memory;
  memory.send = reinterpret_cast<const std::byte*>(tells_.data());
  memory.receive = reinterpret_cast<std::byte*>(told_.data());
  memory.element_stride = sizeof(std::uint64_t);
  const int code = communicator.run(telling_, memory, MPI_UINT64_T, operation).code;
  if (code != MPI_SUCCESS) return code;
  counts.told.assign(ranks, {});
  auto next = told_.begin();
  for (std::size_t place = 0; place < ranks; ++place) {
    if (place == hosts_.place()) continue;
    const auto end = next + static_cast<std::ptrdiff_t>(of_each);
    counts.told[place].assign(next, end);
    next = end;
  }
  return MPI_SUCCESS;
}

}  // namespace quadrille
