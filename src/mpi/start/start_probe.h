// SPDX-License-Identifier: BSD-3-Clause
// The network measured while the program starts: the essentials, within a fixed time, by one rank
// of each host, while all others sleep.
//
// Whatever goes wrong, the program starts without a model. A host that does not answer in time may
// do so later; until the end of the job there is somebody then to whom that may be delivered.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "mpi/start/mpi_control_channel.h"
#include "network/model/model.h"

namespace quadrille {

struct StartHosts {
  MPI_Comm ranks = MPI_COMM_NULL;           // all of the job's; errors on it return
  std::vector<std::uint32_t> host_of_rank;  // numbered in the order of their lowest rank
  std::uint32_t hosts = 0;
  std::uint32_t hosts_on_machine = 1;  // namespaces of this rank's kernel
};

class StartProbe {
 public:
  // Collective.
  explicit StartProbe(StartHosts hosts);
  // Collective, as is the end of the job.
  ~StartProbe();
  StartProbe(const StartProbe&) = delete;
  StartProbe& operator=(const StartProbe&) = delete;

  // The agents' part: rank 0 measures and has the model, or why there is none; the others serve and
  // have an error that nobody needs. Returns at once on a rank that is no agent.
  Result<NetworkModel> run();

  // On rank 0, after run(): every host has ended its service and no message is under way.
  bool over() const { return over_; }

 private:
  Result<NetworkModel> coordinate();
  void serve_coordinator();
  bool end_service();
  std::uint32_t ranks_on_own_host() const;

  StartHosts hosts_;
  int rank_ = 0;
  MPI_Comm agents_ = MPI_COMM_NULL;  // one rank a host
  std::unique_ptr<MpiControlChannel> channel_;
  bool over_ = false;
};

}  // namespace quadrille
