// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/multicast_agreement.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "mpi/runtime.h"

namespace quadrille {
namespace {

void say_once(const Runtime& runtime, std::size_t peer) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  const auto host_of = [&](std::size_t world_rank) {
    return runtime.host_name(runtime.host_of_world_rank()[world_rank]);
  };
  const auto own = static_cast<std::size_t>(runtime.world_rank());
  std::fprintf(stderr,
               "quadrille: what rank %zu (%s) sends by multicast no longer reaches rank %zu (%s); "
               "calls go without multicast from now on\n",
               own, host_of(own).c_str(), peer, host_of(peer).c_str());
}

}  // namespace

bool multicast_has_stopped(MPI_Comm ranks) {
  const Runtime& runtime = *Runtime::active();
  const auto unreached = runtime.wire()->unreached();
  // Of several that found it the highest rank speaks.
  const int own = unreached ? runtime.world_rank() : -1;
  int speaker = -1;
  PMPI_Allreduce(&own, &speaker, 1, MPI_INT, MPI_MAX, ranks);
  if (speaker < 0) return false;
  if (speaker == own) say_once(runtime, *unreached);
  return true;
}

}  // namespace quadrille
