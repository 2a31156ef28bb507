// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job as the start of its wire sees them: where they are and what is known there.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "network/model/model.h"

namespace quadrille {

struct WireRanks {
  MPI_Comm ranks = MPI_COMM_NULL;  // all of the job's; errors on it return
  const std::vector<std::uint32_t>& host_of_rank;
  std::uint32_t hosts = 0;
  std::vector<std::uint32_t> segment_of_rank;    // all 0 without a model
  const NetworkModel* model = nullptr;           // or none
  const std::vector<std::uint32_t>& model_host;  // [hosts], with a model
};

}  // namespace quadrille
