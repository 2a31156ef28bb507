// SPDX-License-Identifier: BSD-3-Clause
// What must hold of a model as a whole, wherever it came from: who makes one calls this before
// printing it, and parse_model does for every file.
#pragma once

#include <optional>

#include "network/model/model.h"

namespace quadrille {

// The first thing that is wrong, as an error that names its path in the model file: names used
// twice, a host in two segments, a trunk to nowhere, trunks that close a loop, an interval without
// its value.
std::optional<Error> check_model(const NetworkModel& model);

}  // namespace quadrille
