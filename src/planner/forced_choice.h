// SPDX-License-Identifier: BSD-3-Clause
// The user's own choice of algorithms: QUADRILLE_ALGORITHM=bcast:chain:segment=8192,alltoall:mpi.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "algorithms/algorithm.h"
#include "base/error.h"

namespace quadrille {

struct ForcedCandidate {
  const Algorithm* algorithm = nullptr;  // null: the MPI library
  Parameters parameters{};
};

// Parses entries `collective:algorithm[:name=value]...`, separated by ','. An algorithm may be
// named without its collective's prefix. Errors name the entry and list what there is.
Result<std::map<Collective, ForcedCandidate>> parse_forced_choice(std::string_view text);

}  // namespace quadrille
