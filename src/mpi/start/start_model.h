// SPDX-License-Identifier: BSD-3-Clause
// Where the program's network model comes from: the file that the user names, the cache, or
// measuring now. Rank 0 decides; all ranks come to the same result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/settings.h"
#include "base/units.h"
#include "mpi/start/start_probe.h"

namespace quadrille {

enum class ModelOrigin : std::uint8_t { none, file, cache, measured };

const char* name_of(ModelOrigin origin);

struct StartModel {
  ModelOrigin origin = ModelOrigin::none;
  std::string text;     // of the model, as in a file; empty where there is none
  std::string problem;  // on rank 0: why there is none although one was asked or looked for
  Nanoseconds took{};
  // A probe that some host has not ended yet: to be kept till the end of the job.
  std::unique_ptr<StartProbe> unfinished;
};

// Fewer hosts leave nothing to plan.
inline constexpr std::uint32_t fewest_hosts_to_measure = 3;

// Collective over `hosts.ranks`.
// REQUIRES: settings.model and settings.probe are the same on all ranks.
StartModel find_start_model(const Settings& settings, const StartHosts& hosts,
                            const std::vector<std::string>& host_names);

}  // namespace quadrille
