// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/host_set.h"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "network/model/model_cache.h"
#include "probe/measure/hosts/address_identity.h"
#include "probe/measure/hosts/candidates.h"

namespace quadrille {

std::string host_set_key(const StartHosts& hosts, const std::vector<std::string>& host_names) {
  int rank = 0;
  PMPI_Comm_rank(hosts.ranks, &rank);
  const std::uint64_t own = probe::own_address_identity(hosts.hosts_on_machine > 1);
  std::vector<std::uint64_t> all(rank == 0 ? hosts.host_of_rank.size() : 0);
  PMPI_Gather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, hosts.ranks);
  if (rank != 0) return {};
  std::vector<CachedHost> known(host_names.size());
  for (std::size_t of = all.size(); of-- > 0;) {
    const std::uint32_t host = hosts.host_of_rank[of];
    known[host] = {host_names[host], all[of]};
  }
  return cache_key(std::move(known), probe::wanted_by_mpi_settings());
}

}  // namespace quadrille
